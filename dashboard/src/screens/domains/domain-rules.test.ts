import { describe, expect, it } from "vitest";
import { buildChange, describeLimits, draftOf } from "./domain-rules";

const NONE = { delay_s: null, per_domain: null, pages_per_run: null, is_active: true };

describe("domain rules", () => {
  it("fill the form", () => {
    expect(draftOf({ ...NONE, delay_s: 2.5, pages_per_run: 0 })).toEqual({
      delay_s: "2.5",
      per_domain: "",
      pages_per_run: "0",
      is_active: true,
    });
  });

  it.each([
    ["nothing, if nothing changes", {}, {}],
    ["a rule", { delay_s: "2,5" }, { delay_s: 2.5 }],
    ["several rules", { per_domain: "2", is_active: false }, { per_domain: 2, is_active: false }],
    ["no page limit", { pages_per_run: "0" }, { pages_per_run: 0 }],
  ])("are sent: %s", (_, typed, expected) => {
    expect(buildChange({ ...draftOf(NONE), ...typed }, NONE)).toEqual(expected);
  });

  it("are removed when the field is emptied", () => {
    const rules = { ...NONE, delay_s: 2, per_domain: 3 };
    expect(buildChange({ ...draftOf(rules), delay_s: " " }, rules)).toEqual({ delay_s: null });
  });

  it("are not sent while a field is not a number", () => {
    expect(buildChange({ ...draftOf(NONE), per_domain: "many" }, NONE)).toBeNull();
    expect(buildChange({ ...draftOf(NONE), delay_s: "-1" }, NONE)).toBeNull();
  });

  it("are described with where they come from", () => {
    const limits = describeLimits({
      delay_s: 3,
      delay_source: "domain rule",
      at_a_time: { value: 2, source: "domain rule" },
      page_limit: { value: 0, source: "setting" },
    });
    expect(limits.map((each) => each.text)).toEqual([
      "3.0 s (domain rule)",
      "2 (domain rule)",
      "no limit (setting)",
    ]);
  });
});
