import { describe, expect, it } from "vitest";
import { JOB } from "./job-fixture";
import { JOB_STATES, listActions, measureIntervals } from "./job-states";

describe("actions of a job", () => {
  it.each([
    ["pending", ["cancel"]],
    ["scheduled", ["force-run", "pause", "cancel"]],
    ["running", ["cancel"]],
    ["completed", []],
    ["failed", ["retry"]],
    ["paused", ["resume", "cancel"]],
    ["cancelled", []],
  ] as const)("%s: %s", (state, actions) => {
    expect(listActions(state)).toEqual(actions);
  });

  it("are known for every state", () => {
    expect(JOB_STATES).toHaveLength(7);
  });
});

describe("the interval of a job", () => {
  it("doubles with each unchanged run, up to a day", () => {
    const now_s = [0, 1, 2, 9].map((count) => measureIntervals({ ...JOB, unchanged_count: count })?.now_s);
    expect(now_s).toEqual([21_600, 43_200, 86_400, 86_400]);
  });

  it("is never shorter than configured", () => {
    const weekly = { ...JOB, interval_minutes: 7, interval_type: "days" as const, unchanged_count: 3 };
    expect(measureIntervals(weekly)).toEqual({ configured_s: 604_800, now_s: 604_800 });
  });

  it("is fixed without adaptive scheduling, and null for a single run", () => {
    expect(measureIntervals({ ...JOB, adaptive_scheduling: false, unchanged_count: 5 })?.now_s).toBe(21_600);
    expect(measureIntervals({ ...JOB, interval_minutes: null })).toBeNull();
  });
});
