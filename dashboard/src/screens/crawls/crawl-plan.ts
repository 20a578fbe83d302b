/** Describes what a crawl will do before it starts. Pure. */

import { formatCount } from "../../format/numbers";
import { formatDuration } from "../../format/times";
import { readAddresses, readLines, readNumber } from "../../forms/parse";
import { buildRules, type MergeDraft, type MergeRule, readRules } from "../sources/merge-rules";

export type ScopeKind = "domain" | "host" | "site" | "any";

export const SCOPE_OPTIONS: readonly (readonly [ScopeKind, string])[] = [
  ["domain", "The seeds’ domains"],
  ["host", "Only the seeds’ exact hosts"],
  ["site", "The seeds’ sites with all subdomains"],
  ["any", "Everything"],
];

export interface Plan {
  name: string; // empty: its first seed
  urls: string; // one per line
  kind: ScopeKind;
  include: string; // one pattern per line
  exclude: string;
  keepParameters: string; // one name per line
  mergeRules: MergeDraft[];
  maxPages: string;
  perDomain: string;
  maxDepth: string;
  delay_s: string;
  isRefresh: boolean;
}

export const FRESH_PLAN: Plan = {
  name: "",
  urls: "",
  kind: "domain",
  include: "",
  exclude: "",
  keepParameters: "",
  mergeRules: [],
  maxPages: "",
  perDomain: "1000",
  maxDepth: "10",
  delay_s: "1",
  isRefresh: false,
};

/** The form, filled with the server's settings. */
export function readPlan(settings: Readonly<Record<string, unknown>>): Plan {
  const of = (section: string, name: string): unknown =>
    (settings[section] as Record<string, unknown> | undefined)?.[name];
  const text = (section: string, name: string, otherwise: string): string => {
    const value = of(section, name);
    return value === undefined ? otherwise : value === null ? "" : String(value);
  };
  const kinds: readonly ScopeKind[] = ["domain", "host", "site", "any"];
  const lines = (name: string): string => ((of("scope", name) as string[] | undefined) ?? []).join("\n");
  return {
    ...FRESH_PLAN,
    kind: kinds.find((each) => each === of("scope", "kind")) ?? FRESH_PLAN.kind,
    include: lines("include"),
    exclude: lines("exclude"),
    keepParameters: lines("keep_parameters"),
    mergeRules: readRules(of("scope", "merge_rules") as readonly MergeRule[] | undefined),
    maxPages: text("limits", "max_pages", FRESH_PLAN.maxPages),
    perDomain: text("limits", "pages_per_domain", FRESH_PLAN.perDomain),
    maxDepth: text("limits", "max_depth", FRESH_PLAN.maxDepth),
    delay_s: text("politeness", "delay_s", FRESH_PLAN.delay_s),
  };
}

const FOLLOWED: Record<ScopeKind, string> = {
  domain: "Follows links on the seeds’ domains. The www prefix makes no difference.",
  host: "Follows links on exactly the seeds’ hosts and ports.",
  site: "Follows links on the seeds’ sites, including all subdomains.",
  any: "Follows all links. This crawl does not end on its own.",
};

export function describePlan(plan: Plan): string[] {
  const good = readAddresses(plan.urls).filter((each) => each.url !== null);
  const domains = new Set(good.map((each) => each.url?.host.replace(/^www\./, "")));
  const delay_s = readNumber(plan.delay_s) ?? 1;
  const perDomain = readNumber(plan.perDomain) ?? 1000;
  const maxPages = readNumber(plan.maxPages);
  const sentences: string[] = [];
  const name = plan.name.trim();
  sentences.push(
    good.length > 0
      ? `Starts with ${count(good.length, "seed")} on ${count(domains.size, "domain")}.`
      : name
        ? "Without seeds, continues with the queued URLs of the crawl with this name."
        : "Without seeds, continues the only crawl with queued URLs.",
  );
  if (good.length > 0) {
    sentences.push(
      name
        ? "If a crawl with this name exists, this is its next run."
        : "Named after its first seed. Starting with the same seed again continues this crawl.",
    );
  }
  sentences.push(FOLLOWED[plan.kind]);
  const patterns = [readLines(plan.include).length, readLines(plan.exclude).length];
  if (patterns[0]) sentences.push(`Only URLs that match ${countOf(patterns[0], "pattern")} are crawled.`);
  if (patterns[1]) sentences.push(`URLs that match ${countOf(patterns[1], "pattern")} are excluded.`);
  const rules = buildRules(plan.mergeRules).length;
  if (rules) sentences.push(`URLs merged by ${countOf(rules, "merge rule")} are fetched once.`);
  sentences.push(describeEnd(maxPages, perDomain, readNumber(plan.maxDepth) ?? 10));
  sentences.push(describePace(delay_s, domains.size, perDomain, maxPages));
  if (plan.isRefresh) sentences.push("Revisits pages that are due. Unchanged pages cost little.");
  sentences.push("Obeys robots.txt, which it fetches first, and backs off when servers ask for it.");
  return sentences;
}

/** Describes the domains that the crawl took over from other crawls. */
export function describeTaken(taken: readonly { domain: string; owner: string; urls: number }[]): string[] {
  return taken
    .slice(0, 3)
    .map(({ domain, owner, urls }) =>
      urls > 0
        ? `${domain} was taken over from ${owner}. ${count(urls, "queued URL")} will wait until that crawl continues.`
        : `${domain} was taken over from ${owner}.`,
    );
}

function describeEnd(maxPages: number | null, perDomain: number, depth: number): string {
  const parts = [
    maxPages !== null ? `after ${count(maxPages, "page")} in total` : null,
    perDomain > 0 ? `after ${count(perDomain, "page")} per domain` : null,
    `${count(depth, "link")} away from a seed`,
  ].filter((each) => each !== null);
  return `Stops ${parts.join(", ")}, or when nothing is left.`;
}

function describePace(delay_s: number, domains: number, perDomain: number, maxPages: number | null): string {
  if (!(delay_s > 0)) return "Sends requests to a domain without delay. Use this only for your own servers.";
  const pace = `Sends at most one request every ${formatDuration(delay_s)} to each domain`;
  if (domains === 0) return `${pace}.`;
  const longest = Math.min(
    perDomain || Number.POSITIVE_INFINITY,
    maxPages === null ? Number.POSITIVE_INFINITY : maxPages / domains,
  );
  if (!Number.isFinite(longest)) return `${pace}.`;
  return `${pace}. If it reaches its limits, it takes at least ${formatDuration(Math.max(1, longest * delay_s))}.`;
}

function count(number: number, word: string): string {
  return `${formatCount(number)} ${word}${number === 1 ? "" : "s"}`;
}

function countOf(number: number, word: string): string {
  return number === 1 ? `the ${word}` : `one of ${number} ${word}s`;
}
