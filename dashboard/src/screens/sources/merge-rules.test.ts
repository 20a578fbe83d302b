import { describe, expect, it } from "vitest";
import { describePlan, FRESH_PLAN, readPlan } from "../crawls/crawl-plan";
import { buildRules, describeRule, freshRule, type MergeRule, readRules } from "./merge-rules";

const SORTING: MergeRule = {
  name: "sorting",
  under: "/list",
  ignore_parameters: ["sort", "view"],
  ignore_matching: ["^page=1,2$"],
  ignore_trailing_slash: false,
};
const SLASH: MergeRule = {
  name: null,
  under: null,
  ignore_parameters: [],
  ignore_matching: [],
  ignore_trailing_slash: true,
};

describe("merge rules", () => {
  it("are unchanged by the form", () => {
    expect(buildRules(readRules([SORTING, SLASH]))).toEqual([SORTING, SLASH]);
    expect(readRules(null)).toEqual([]);
  });

  it("are dropped if left empty", () => {
    const first = freshRule([]);
    const second = { ...freshRule([first]), parameters: " sort ,, view\n" };
    expect(second.id).not.toBe(first.id);
    expect(buildRules([first, second]).map((each) => each.ignore_parameters)).toEqual([["sort", "view"]]);
  });

  it("are described on one line", () => {
    expect(describeRule(SORTING)).toBe("sorting: ignore sort, view, ^page=1,2$ under /list");
    expect(describeRule(SLASH)).toBe("ignore the trailing slash");
  });

  it("are part of a crawl's plan", () => {
    const plan = readPlan({ scope: { merge_rules: [SLASH] } });
    expect(plan.mergeRules).toHaveLength(1);
    expect(describePlan(plan)).toContain("URLs merged by the merge rule are fetched once.");
    expect(describePlan(FRESH_PLAN).join(" ")).not.toContain("merge rule");
  });
});
