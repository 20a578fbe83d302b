/** Describes what a crawl will do before it starts. Pure. */

import { formatCount } from "../../format/numbers";
import { formatDuration } from "../../format/times";
import { readAddresses, readLines, readNumber } from "../../forms/parse";
import { buildRules, type MergeDraft, type MergeRule, readRules } from "../sources/merge-rules";

export type ScopeKind = "domain" | "host" | "site" | "any";

export const SCOPE_OPTIONS: readonly (readonly [ScopeKind, string])[] = [
  ["domain", "The seeds’ domains"],
  ["host", "Exactly the seeds’ hosts"],
  ["site", "The sites with all subdomains"],
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
  domain: "Links are followed on the seeds’ domains; www does not make another one.",
  host: "Links are followed on exactly the seeds’ hosts and ports.",
  site: "Links are followed on the seeds’ sites with all their subdomains.",
  any: "Links are followed wherever they lead. This crawl does not end by itself.",
};

export function describePlan(plan: Plan): string[] {
  const good = readAddresses(plan.urls).filter((each) => each.url !== null);
  const domains = new Set(good.map((each) => each.url?.host.replace(/^www\./, "")));
  const delay_s = readNumber(plan.delay_s) ?? 1;
  const perDomain = readNumber(plan.perDomain) ?? 1000;
  const maxPages = readNumber(plan.maxPages);
  const told: string[] = [];
  const name = plan.name.trim();
  told.push(
    good.length > 0
      ? `It begins with ${count(good.length, "seed")} on ${count(domains.size, "domain")}.`
      : name
        ? "Without seeds it goes on with what waits of the crawl of that name."
        : "Without seeds the only crawl that waits goes on.",
  );
  if (good.length > 0) {
    told.push(
      name
        ? "If there is a crawl of that name, this is its next run."
        : "It is named by its first seed: who starts with that again goes on with it.",
    );
  }
  told.push(FOLLOWED[plan.kind]);
  const patterns = [readLines(plan.include).length, readLines(plan.exclude).length];
  if (patterns[0]) told.push(`Of those, only URLs that match ${countOf(patterns[0], "pattern")} are taken.`);
  if (patterns[1]) told.push(`URLs that match ${countOf(patterns[1], "pattern")} are left out.`);
  const rules = buildRules(plan.mergeRules).length;
  if (rules) told.push(`URLs that ${countOf(rules, "merge rule")} makes one are fetched once.`);
  told.push(describeEnd(maxPages, perDomain, readNumber(plan.maxDepth) ?? 10));
  told.push(describePace(delay_s, domains.size, perDomain, maxPages));
  if (plan.isRefresh) told.push("Pages whose time has come are visited again; unchanged ones cost little.");
  told.push("robots.txt is asked for first and obeyed; servers that ask for rest get it.");
  return told;
}

/** Describes the domains that the crawl took over from other crawls. */
export function describeTaken(taken: readonly { domain: string; owner: string; urls: number }[]): string[] {
  return taken
    .slice(0, 3)
    .map(({ domain, owner, urls }) =>
      urls > 0
        ? `${domain} was part of ${owner} until now; ${count(urls, "url")} of it will wait until that goes on.`
        : `${domain} was part of ${owner} until now.`,
    );
}

function describeEnd(maxPages: number | null, perDomain: number, depth: number): string {
  const parts = [
    maxPages !== null ? `after ${count(maxPages, "page")} in all` : null,
    perDomain > 0 ? `after ${count(perDomain, "page")} of a domain` : null,
    `${count(depth, "link")} away from a seed`,
  ].filter((each) => each !== null);
  return `It stops ${parts.join(", ")}, or when nothing is left.`;
}

function describePace(delay_s: number, domains: number, perDomain: number, maxPages: number | null): string {
  if (!(delay_s > 0)) return "Domains are asked without a pause. Do that to your own servers only.";
  const pace = `Every domain is asked at most once in ${formatDuration(delay_s)}`;
  if (domains === 0) return `${pace}.`;
  const longest = Math.min(
    perDomain || Number.POSITIVE_INFINITY,
    maxPages === null ? Number.POSITIVE_INFINITY : maxPages / domains,
  );
  if (!Number.isFinite(longest)) return `${pace}.`;
  return `${pace}; if it finds all it may, that takes at least ${formatDuration(Math.max(1, longest * delay_s))}.`;
}

function count(number: number, word: string): string {
  return `${formatCount(number)} ${word}${number === 1 ? "" : "s"}`;
}

function countOf(number: number, word: string): string {
  return number === 1 ? `the ${word}` : `one of ${number} ${word}s`;
}
