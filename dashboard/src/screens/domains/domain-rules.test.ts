import { describe, expect, it } from "vitest";
import { buildChange, describeLimits, draftOf } from "./domain-rules";

const NONE = { delay_s: null, per_domain: null, pages_per_run: null, is_active: true };

describe("rules of a domain", () => {
  it("are typed as they are", () => {
    expect(draftOf({ ...NONE, delay_s: 2.5, pages_per_run: 0 })).toEqual({
      delay_s: "2.5",
      per_domain: "",
      pages_per_run: "0",
      is_active: true,
    });
  });

  it.each([
    ["nothing, where nothing changes", {}, {}],
    ["a rule that is typed", { delay_s: "2,5" }, { delay_s: 2.5 }],
    ["several", { per_domain: "2", is_active: false }, { per_domain: 2, is_active: false }],
    ["no limit of pages", { pages_per_run: "0" }, { pages_per_run: 0 }],
  ])("are ordered: %s", (_, typed, expected) => {
    expect(buildChange({ ...draftOf(NONE), ...typed }, NONE)).toEqual(expected);
  });

  it("are dropped where the field is emptied", () => {
    const rules = { ...NONE, delay_s: 2, per_domain: 3 };
    expect(buildChange({ ...draftOf(rules), delay_s: " " }, rules)).toEqual({ delay_s: null });
  });

  it("are not ordered while something is no number", () => {
    expect(buildChange({ ...draftOf(NONE), per_domain: "many" }, NONE)).toBeNull();
    expect(buildChange({ ...draftOf(NONE), delay_s: "-1" }, NONE)).toBeNull();
  });

  it("are told with what says so", () => {
    const told = describeLimits({
      delay_s: 3,
      delay_source: "domain rule",
      at_a_time: { value: 2, source: "domain rule" },
      page_limit: { value: 0, source: "setting" },
    });
    expect(told.map((each) => each.told)).toEqual([
      "3.0 s (domain rule)",
      "2 (domain rule)",
      "no limit (setting)",
    ]);
  });
});
