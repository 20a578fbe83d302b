import { describe, expect, it } from "vitest";
import { GRACE_MS, judgeConnection, SILENCE_MS } from "./connection";
import { progressOf } from "./progress";
import {
  describeRuns,
  findRate,
  findRunRate,
  KEPT_MS,
  listRates,
  rateOf,
  remember,
  type Sample,
} from "./rate";
import type { ActiveRun, Progress } from "./types";

const now = 1_000_000;

describe("the connection", () => {
  it("is live while events arrive", () => {
    expect(judgeConnection({ heardAt: now - 500, brokenSince: null, isAnswered: null }, now)).toBe("live");
  });

  it("ignores a stream that reconnects quickly", () => {
    expect(judgeConnection({ heardAt: now - 2500, brokenSince: now - 2000, isAnswered: null }, now)).toBe(
      "live",
    );
  });

  it("polls when the stream stays down and the server responds", () => {
    expect(judgeConnection({ heardAt: now - 5000, brokenSince: now - GRACE_MS, isAnswered: true }, now)).toBe(
      "polling",
    );
  });

  it("polls when the stream is open and silent", () => {
    expect(judgeConnection({ heardAt: now - SILENCE_MS, brokenSince: null, isAnswered: true }, now)).toBe(
      "polling",
    );
  });

  it("is offline when the server does not respond", () => {
    expect(
      judgeConnection({ heardAt: now - 60_000, brokenSince: now - 50_000, isAnswered: false }, now),
    ).toBe("offline");
  });

  it("polls when the stream could never be opened", () => {
    expect(judgeConnection({ heardAt: null, brokenSince: now - GRACE_MS, isAnswered: null }, now)).toBe(
      "polling",
    );
  });

  it("is connecting before the first event", () => {
    expect(judgeConnection({ heardAt: null, brokenSince: now - 100, isAnswered: null }, now)).toBe(
      "connecting",
    );
  });
});

describe("the rate", () => {
  const at = (ms: number, pages: number, runId = 1): Sample => ({ at: ms, pages: new Map([[runId, pages]]) });
  const both = (ms: number, first: number, second: number): Sample => ({
    at: ms,
    pages: new Map([
      [1, first],
      [2, second],
    ]),
  });

  it("covers the last few seconds", () => {
    expect(findRate([at(0, 0), at(4000, 1000), at(8000, 1040)])).toBe(10);
  });

  it("is not known from one sample", () => {
    expect(findRate([at(0, 5)])).toBeNull();
  });

  it("does not mix two runs", () => {
    expect(findRate([at(0, 500), at(1000, 500), at(2000, 3, 2)])).toBeNull();
  });

  it("exists for all runs together and for each run", () => {
    const samples = [both(0, 500, 7), both(2000, 540, 11)];
    expect(findRate(samples)).toBe(22);
    expect([1, 2, 3].map((id) => findRunRate(samples, id))).toEqual([20, 2, null]);
  });

  it("counts a run from its first sample until it ends", () => {
    expect(findRate([at(0, 0), both(1000, 10, 0), both(3000, 30, 4)])).toBe(12);
    expect(findRate([both(0, 10, 900), both(1000, 20, 990), at(2000, 30)])).toBe(10);
  });

  it("is null where it is unknown, and zero without active runs", () => {
    const none: Sample = { at: 6000, pages: new Map() };
    expect(listRates([at(0, 100), at(500, 102), at(5000, 110), none])).toEqual([null, null, 2, 0]);
  });

  it("is smooth although pages are stored in batches", () => {
    const samples = Array.from({ length: 61 }, (_, index) => at(index * 500, 5 * Math.floor(index / 2)));
    const known = listRates(samples).filter((rate) => rate !== null);
    expect(Math.max(...known)).toBeLessThanOrEqual(5.5);
    expect(Math.min(...known)).toBeGreaterThanOrEqual(4.5);
  });

  it("comes from the workers at first, and is zero for a paused run", () => {
    const run = { id: 1, state: "running", pages_per_min: 120 } as ActiveRun;
    expect(rateOf([], run)).toBe(2);
    expect(rateOf([], { ...run, state: "paused" })).toBe(0);
  });

  it("drops old and repeated samples", () => {
    const samples = remember([at(0, 1), at(KEPT_MS, 2)], at(KEPT_MS + 1, 3));
    expect(samples.map((each) => each.pages.get(1))).toEqual([2, 3]);
    expect(remember(samples, at(KEPT_MS + 1, 3))).toBe(samples);
  });
});

describe("active runs", () => {
  const progress = (...states: string[]) =>
    ({ runs: states.map((state) => ({ state })), runs_count: states.length }) as unknown as Progress;

  it.each([
    ["no active runs", progress()],
    ["1 active run", progress("running")],
    ["2 active runs, 1 paused", progress("running", "paused")],
    ["2 runs paused", progress("paused", "paused")],
  ])("%s", (words, given) => {
    expect(describeRuns(given)).toBe(words);
  });
});

describe("polling", () => {
  it("builds what the stream sends", () => {
    const stats = {
      at: "2026-05-01T12:00:00Z",
      pages: 5,
      urls: 9,
      queued: 4,
      requests: 7,
      wire_bytes: 1,
      pages_per_min: 2,
      workers: 1,
      fates: {},
      domains: { pending: 1, active: 2, blocked: 3 },
      queued_at_rest: 0,
      forecast_s: 1,
      run_id: 1,
      run_state: "running",
      runs_under_way: 0,
    } as const;
    const underWay = { at: stats.at, runs: [], runs_count: 0 };
    expect(progressOf(stats, underWay, null)).toMatchObject({
      runs: [],
      pages: 5,
      queued: 4,
      domains: 6,
      domains_queued: 3,
      domains_resting: 3,
    });
  });
});
