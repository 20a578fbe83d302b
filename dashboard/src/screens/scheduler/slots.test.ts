import { describe, expect, it } from "vitest";
import { groupByHour, isNewDay, levelOf } from "./slots";

describe("the heat map", () => {
  const slots = Array.from({ length: 97 }, (_, index) => ({
    at: new Date(Date.parse("2026-05-01T22:45:00Z") + index * 900_000).toISOString(),
    jobs: index % 3,
  }));

  it("has one row per hour, with partial hours at both ends", () => {
    const hours = groupByHour(slots, 15);
    expect(hours).toHaveLength(25);
    expect(hours[0]?.quarters.map((each) => each?.jobs ?? null)).toEqual([null, null, null, 0]);
    expect(hours[24]?.quarters.map((each) => each === null)).toEqual([false, false, false, false]);
    expect(hours.map((_, index) => isNewDay(hours, index)).indexOf(true)).toBe(2);
  });

  it("is darker where more runs start, and light where the peak is low", () => {
    expect([0, 1, 2, 3, 4].map((jobs) => levelOf(jobs, 4))).toEqual([0, 1, 2, 3, 4]);
    expect(levelOf(1, 1)).toBe(1);
    expect(levelOf(1, 100)).toBe(1);
    expect(levelOf(100, 100)).toBe(4);
  });
});
