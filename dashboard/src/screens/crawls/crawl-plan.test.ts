import { describe, expect, it } from "vitest";
import { describePlan, describeTaken, FRESH_PLAN, readPlan } from "./crawl-plan";

describe("a plan", () => {
  it("describes seeds, domains and the minimum duration", () => {
    const sentences = describePlan({
      ...FRESH_PLAN,
      urls: "https://a.example/\nhttps://www.a.example/b",
      perDomain: "600",
      delay_s: "2",
    });
    expect(sentences[0]).toBe("Starts with 2 seeds on 1 domain.");
    expect(sentences.join(" ")).toContain("at least 20 min");
  });

  it("says which crawl continues", () => {
    const planOf = (name: string, urls: string) => describePlan({ ...FRESH_PLAN, name, urls }).join(" ");
    expect(planOf("", "")).toContain("continues the only crawl");
    expect(planOf("docs", "")).toContain("the crawl with this name");
    expect(planOf("docs", "https://a.example/")).toContain("If a crawl with this name exists");
    expect(planOf(" ", "https://a.example/")).toContain("Named after its first seed");
  });

  it("describes domains taken over from other crawls", () => {
    const taken = { domain: "a.example", owner: "crawl docs", urls: 1 };
    expect(describeTaken([taken, { ...taken, urls: 0 }])).toEqual([
      "a.example was taken over from crawl docs. 1 queued URL will wait until that crawl continues.",
      "a.example was taken over from crawl docs.",
    ]);
  });

  it("warns of a crawl without a delay and of one without an end", () => {
    const sentences = describePlan({ ...FRESH_PLAN, delay_s: "0", kind: "any" }).join(" ");
    expect(sentences).toContain("your own servers");
    expect(sentences).toContain("does not end on its own");
  });

  it("starts with the server's settings", () => {
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
