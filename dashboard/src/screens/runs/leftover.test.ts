import { describe, expect, it } from "vitest";
import { describeLeftover, isUnfinished } from "./leftover";

const NOTHING = { due: 0, held: 0, later: 0, resting: 0, capped: 0, inactive: 0, aside: 0, next_at: null };

describe("what a run has left", () => {
  it("is not told where nothing is left", () => {
    expect(describeLeftover(NOTHING, "done")).toEqual([]);
    expect(isUnfinished(NOTHING)).toBe(false);
  });

  it("is told by what holds it back", () => {
    const left = { ...NOTHING, capped: 1170, later: 1, resting: 2, next_at: "2026-11-17T12:00:00Z" };
    expect(describeLeftover(left, "done")).toEqual([
      "1,170 urls for the next run: a domain gives only so many pages in one (limits.pages_per_domain, or its own rule).",
      "1 url to be tried again after failures, the first at 2026-11-17T12:00:00Z.",
      "2 urls of sites that are blocked, unreachable or at rest.",
    ]);
    expect(isUnfinished(left)).toBe(true);
  });

  it("waits where another crawl has the domain", () => {
    const left = { ...NOTHING, aside: 2 };
    expect(describeLeftover(left, "done")).toEqual([
      "2 urls of domains that other crawls or sources had. They come back when it goes on.",
    ]);
    expect(isUnfinished(left)).toBe(true);
  });

  it("is all that can be had where sites hold it back", () => {
    expect(isUnfinished({ ...NOTHING, resting: 5 })).toBe(false);
  });

  it("depends on how the run ended", () => {
    const left = { ...NOTHING, due: 3 };
    expect(describeLeftover(left, "budget")[0]).toContain("limits.max_pages");
    expect(describeLeftover(left, "stopped")).toEqual(["3 urls for the next run."]);
  });
});
