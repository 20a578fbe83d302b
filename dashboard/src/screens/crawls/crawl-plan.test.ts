import { describe, expect, it } from "vitest";
import { describePlan, describeTaken, FRESH_PLAN, readPlan } from "./crawl-plan";

describe("a plan", () => {
  it("tells seeds, domains and the least time", () => {
    const told = describePlan({
      ...FRESH_PLAN,
      urls: "https://a.example/\nhttps://www.a.example/b",
      perDomain: "600",
      delay_s: "2",
    });
    expect(told[0]).toBe("It begins with 2 seeds on 1 domain.");
    expect(told.join(" ")).toContain("at least 20 min");
  });

  it("says which crawl goes on", () => {
    const tell = (name: string, urls: string) => describePlan({ ...FRESH_PLAN, name, urls }).join(" ");
    expect(tell("", "")).toContain("the only crawl that waits goes on");
    expect(tell("docs", "")).toContain("the crawl of that name");
    expect(tell("docs", "https://a.example/")).toContain("If there is a crawl of that name");
    expect(tell(" ", "https://a.example/")).toContain("named by its first seed");
  });

  it("tells which domains came from other crawls", () => {
    const taken = { domain: "a.example", owner: "crawl docs", urls: 1 };
    expect(describeTaken([taken, { ...taken, urls: 0 }])).toEqual([
      "a.example was part of crawl docs until now; 1 url of it will wait until that goes on.",
      "a.example was part of crawl docs until now.",
    ]);
  });

  it("warns of a crawl without a pause and of one without an end", () => {
    const told = describePlan({ ...FRESH_PLAN, delay_s: "0", kind: "any" }).join(" ");
    expect(told).toContain("your own servers");
    expect(told).toContain("does not end by itself");
  });

  it("begins with the server's settings", () => {
    const settings = {
      politeness: { delay_s: 0.5 },
      limits: { max_pages: null, max_depth: 3 },
      scope: { kind: "site", exclude: ["a", "b"] },
    };
    expect(readPlan(settings)).toMatchObject({
      delay_s: "0.5",
      maxPages: "",
      maxDepth: "3",
      perDomain: "1000",
      kind: "site",
      exclude: "a\nb",
    });
  });
});
