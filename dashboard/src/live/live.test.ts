import { describe, expect, it } from "vitest";
import { GRACE_MS, judgeConnection, SILENCE_MS } from "./connection";
import { progressOf } from "./progress";
import { findRate, KEPT_MS, remember, type Sample } from "./rate";

const now = 1_000_000;

describe("the connection", () => {
  it("is live while the stream speaks", () => {
    expect(judgeConnection({ heardAt: now - 500, brokenSince: null, isAnswered: null }, now)).toBe("live");
  });

  it("says nothing of a stream that is back in a moment", () => {
    expect(judgeConnection({ heardAt: now - 2500, brokenSince: now - 2000, isAnswered: null }, now)).toBe(
      "live",
    );
  });

  it("polls when the stream stays away and the server answers", () => {
    expect(judgeConnection({ heardAt: now - 5000, brokenSince: now - GRACE_MS, isAnswered: true }, now)).toBe(
      "polling",
    );
  });

  it("polls when the stream is open and silent", () => {
    expect(judgeConnection({ heardAt: now - SILENCE_MS, brokenSince: null, isAnswered: true }, now)).toBe(
      "polling",
    );
  });

  it("is offline when nobody answers", () => {
    expect(
      judgeConnection({ heardAt: now - 60_000, brokenSince: now - 50_000, isAnswered: false }, now),
    ).toBe("offline");
  });

  it("polls when the stream could never be opened", () => {
    expect(judgeConnection({ heardAt: null, brokenSince: now - GRACE_MS, isAnswered: null }, now)).toBe(
      "polling",
    );
  });

  it("is connecting before anything was heard", () => {
    expect(judgeConnection({ heardAt: null, brokenSince: now - 100, isAnswered: null }, now)).toBe(
      "connecting",
    );
  });
});

describe("the rate", () => {
  const at = (ms: number, pages: number, runId = 1): Sample => ({ at: ms, pages, runId, queued: 0 });

  it("is of the last moments", () => {
    expect(findRate([at(0, 0), at(4000, 1000), at(8000, 1040)])).toBe(10);
  });

  it("is not known from one sample", () => {
    expect(findRate([at(0, 5)])).toBeNull();
  });

  it("does not mix two runs", () => {
    expect(findRate([at(0, 500), at(1000, 500), at(2000, 3, 2)])).toBeNull();
  });

  it("forgets what is old and what was told twice", () => {
    const samples = remember([at(0, 1), at(KEPT_MS, 2)], at(KEPT_MS + 1, 3));
    expect(samples.map((each) => each.pages)).toEqual([2, 3]);
    expect(remember(samples, at(KEPT_MS + 1, 3))).toBe(samples);
  });
});

describe("polling", () => {
  it("tells what the stream would", () => {
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
    } as const;
    expect(progressOf(stats, undefined, null)).toMatchObject({
      run: null,
      pages: 5,
      queued: 4,
      domains: 6,
      domains_queued: 3,
      domains_resting: 3,
    });
  });
});
