import { describe, expect, it } from "vitest";
import type { Schemas } from "../../api/client";
import { buildRates } from "./rates";

function point(at: string, pages: number, share: number | null): Schemas["ParserPointView"] {
  return {
    at,
    version: "1",
    figures: {
      pages,
      items: pages,
      invalid: 0,
      empty: 0,
      errors: 0,
      share_with_items: share,
      share_valid: 1,
      confidence: null,
    },
  };
}

const FIRST = "2026-01-01T00:00:00Z";
const SECOND = "2026-01-02T00:00:00Z";

describe("how a parser did", () => {
  it("has a point for each day, oldest first", () => {
    const rates = buildRates([point(SECOND, 10, 0.5), point(FIRST, 10, 1)]);
    expect(rates?.withItems).toEqual([1, 0.5]);
    expect(rates?.times).toEqual([Date.parse(FIRST) / 1000, Date.parse(SECOND) / 1000]);
  });

  it("weighs versions of the same day by their pages", () => {
    expect(buildRates([point(FIRST, 30, 1), point(FIRST, 10, 0)])?.withItems).toEqual([0.75]);
  });

  it("is shown for a week or more", () => {
    const [first, second] = [Date.parse(FIRST) / 1000, Date.parse(SECOND) / 1000];
    expect(buildRates([point(FIRST, 1, 1), point(SECOND, 1, 1)])?.span).toEqual([
      second - 7 * 86_400,
      second,
    ]);
    const late = "2026-01-31T00:00:00Z";
    expect(buildRates([point(FIRST, 1, 1), point(late, 1, 1)])?.span).toEqual([
      first,
      Date.parse(late) / 1000,
    ]);
  });

  it("has gaps where nothing is known", () => {
    expect(buildRates([point(FIRST, 1, null)])?.confidence).toEqual([null]);
    expect(buildRates([])).toBeNull();
  });
});
