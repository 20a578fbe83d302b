import { describe, expect, it } from "vitest";
import type { Schemas } from "../../api/client";
import { FRESH_SCHEDULE } from "../jobs/schedule-draft";
import {
  buildSource,
  describeSource,
  FRESH_SOURCE,
  isComplete,
  readHeaders,
  readSource,
} from "./source-draft";

describe("a source", () => {
  const definition: Schemas["SourceDefinition"] = {
    name: "News",
    description: "",
    enabled: true,
    seeds: ["https://example.com/"],
    scope: {
      kind: null,
      include: null,
      exclude: ["\\.pdf$"],
      keep_parameters: ["ref"],
      merge_rules: [
        {
          name: "sorting",
          under: "example.com/list",
          ignore_parameters: ["sort", "view"],
          ignore_matching: ["^page=1$"],
          ignore_trailing_slash: false,
        },
        {
          name: null,
          under: null,
          ignore_parameters: [],
          ignore_matching: [],
          ignore_trailing_slash: true,
        },
      ],
    },
    limits: { max_depth: 3, max_pages: null, pages_per_domain: 0, new_urls_per_s: 100 },
    traps: { enabled: true, window: null, novelty: null, budget: 1000 },
    extract: {
      only: ["main > article", "h1"],
      without: null,
      response_headers: ["server"],
      article: "fallback",
      detect_language: true,
      markdown: true,
      content_types: ["application/pdf"],
      pdf_pages: 50,
    },
    store_bodies: true,
    sitemaps: { enabled: true, guess: false },
    validation: { min_bytes: 500 },
    archives: { enabled: true, queue_below: 10, per_day: null, paths: ["/archive"] },
    pagination: { enabled: false, per_day: 20 },
    refresh: { every: [{ kind: "product", hours: 6 }] },
    candidates: [
      { name: "shop", uses: "shop_next", share: 0.1 },
    ] as unknown as Schemas["SourceDefinition"]["candidates"],
    item_rules: { product: { required: ["price"] } },
    audit_every_h: 24,
    parsers: [{ name: "shop" }] as unknown as Schemas["SourceDefinition"]["parsers"],
    similarity: { enabled: true, distance: 2, least_chars: null, keep: false },
    delay_s: 0.5,
    share_pace: "site",
    network: { enabled: false },
    user_agent: null,
    contact: null,
    headers: { "X-Key": "***" },
    feeds: true,
    feed_interval_minutes: 15,
    recrawl: "all",
    schedule: {
      interval_minutes: 6,
      interval_type: "hours",
      adaptive_scheduling: false,
      timezone: "Europe/Vienna",
      active_hours: { days: ["mon", "tue"], from: "08:00", until: "18:00" },
      max_retries: 0,
      retry_backoff_seconds: 30,
      priority: 1,
    },
  };

  it("is unchanged by the form", () => {
    expect(buildSource(readSource(definition))).toEqual(definition);
    const once = { ...definition, schedule: null };
    expect(buildSource(readSource(once))).toEqual(once);
  });

  it("has one selector per line", () => {
    expect(readSource(definition).only).toBe("main > article\nh1");
    expect(buildSource({ ...FRESH_SOURCE, without: " .clock \n\n#related\n" }).extract).toEqual({
      only: null,
      without: [".clock", "#related"],
      response_headers: null,
      article: null,
      detect_language: null,
      markdown: null,
      content_types: null,
      pdf_pages: null,
    });
  });

  it("keeps whether Markdown is kept", () => {
    expect(readSource(definition).markdown).toBe(true);
    expect(buildSource({ ...FRESH_SOURCE, markdown: false }).extract.markdown).toBe(false);
  });

  it("keeps whether bodies are stored", () => {
    expect(readSource(definition).storeBodies).toBe(true);
    expect(buildSource({ ...FRESH_SOURCE, storeBodies: false }).store_bodies).toBe(false);
    expect(buildSource(FRESH_SOURCE).store_bodies).toBeNull();
  });

  it("keeps whether PDFs are read", () => {
    expect(readSource(definition).pdf).toBe(true);
    expect(buildSource({ ...FRESH_SOURCE, pdf: false }).extract.content_types).toEqual([]);
    expect(readSource(buildSource({ ...FRESH_SOURCE, pdf: false })).pdf).toBe(false);
    expect(readSource(buildSource(FRESH_SOURCE)).pdf).toBe(null);
  });

  it("can be sent with a name, a seed and valid numbers", () => {
    const draft = { ...FRESH_SOURCE, name: "News", seeds: "example.com" };
    expect(isComplete(draft)).toBe(true);
    expect(buildSource(draft).seeds).toEqual(["https://example.com/"]);
    for (const wrong of [{ name: " " }, { seeds: "" }, { maxDepth: "x" }, { headers: "no colon" }]) {
      expect(isComplete({ ...draft, ...wrong })).toBe(false);
    }
    expect(isComplete({ ...draft, schedule: { ...FRESH_SCHEDULE, interval: "" } })).toBe(false);
  });

  it("has headers whose values may contain colons", () => {
    expect(readHeaders("A: b:c\n\nB:")).toEqual({ headers: { A: "b:c", B: "" }, wrong: null });
    expect(readHeaders("nothing").wrong).toBe("nothing");
  });

  it("is described before it is saved", () => {
    expect(describeSource(FRESH_SOURCE)[0]).toBe("Needs at least one seed.");
    expect(describeSource(readSource(definition)).join(" ")).toContain("every 6 hours");
  });
});
