import { describe, expect, it } from "vitest";
import { describeValue, lineOf, selectionOf } from "./yaml-lines";

describe("the YAML editor", () => {
  it("finds lines", () => {
    expect(lineOf({ where: "line 12", message: "" })).toBe(12);
    expect(selectionOf("ab\ncde\n", 2)).toEqual([3, 6]);
    expect(selectionOf("ab", 9)).toEqual([3, 3]);
  });

  it("shortens values", () => {
    expect(["a", 1, ["a", "b"], { a: 1 }, false].map(describeValue)).toEqual([
      "a",
      "1",
      "a, b",
      '{"a":1}',
      "false",
    ]);
  });
});
