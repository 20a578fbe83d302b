import { describe, expect, it } from "vitest";
import { describeLeftover, isUnfinished } from "./leftover";

const NOTHING = { due: 0, held: 0, later: 0, resting: 0, capped: 0, inactive: 0, aside: 0, next_at: null };

describe("what a run has left", () => {
  it("is empty if nothing is left", () => {
    expect(describeLeftover(NOTHING, "done")).toEqual([]);
    expect(isUnfinished(NOTHING)).toBe(false);
  });

  it("is described by what blocks it", () => {
    const left = { ...NOTHING, capped: 1170, later: 1, resting: 2, next_at: "2026-11-17T12:00:00Z" };
    expect(describeLeftover(left, "done")).toEqual([
      "1,170 URLs left for the next run: the page limit of a domain was reached (limits.pages_per_domain, or a domain rule).",
      "1 URL to be retried after failures, the first at 2026-11-17T12:00:00Z.",
      "2 URLs on sites that are blocked, unreachable or on hold.",
    ]);
    expect(isUnfinished(left)).toBe(true);
  });

  it("waits while another crawl has the domain", () => {
    const left = { ...NOTHING, aside: 2 };
    expect(describeLeftover(left, "done")).toEqual([
      "2 URLs on domains that other crawls or sources had. They return when this crawl continues.",
    ]);
    expect(isUnfinished(left)).toBe(true);
  });

  it("is not unfinished if only sites hold it back", () => {
    expect(isUnfinished({ ...NOTHING, resting: 5 })).toBe(false);
  });

  it("depends on how the run ended", () => {
    const left = { ...NOTHING, due: 3 };
    expect(describeLeftover(left, "budget")[0]).toContain("limits.max_pages");
    expect(describeLeftover(left, "stopped")).toEqual(["3 URLs left for the next run."]);
  });
});
