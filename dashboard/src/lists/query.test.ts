import { describe, expect, it } from "vitest";
import { hasFilters, pickFilters, pickNumber } from "./query";

describe("the query of a list", () => {
  it("has the filters that are set", () => {
    const search = { domain: "a.test", fate: "", q: undefined, tab: "x" };
    expect(pickFilters(search, "domain", "fate", "q")).toEqual({ domain: "a.test" });
  });

  it("has numbers once they are typed in full", () => {
    expect(pickNumber("run", "12")).toEqual({ run: 12 });
    for (const text of ["", "x", "0", "-1", "1.5", undefined]) expect(pickNumber("run", text)).toEqual({});
  });

  it("is filtered by anything but its sort order", () => {
    expect(hasFilters({ sort: "name" })).toBe(false);
    expect(hasFilters({ sort: "name", q: "x" })).toBe(true);
  });
});
