/** A source, as typed and as the API has it. Pure. */

import type { Schemas } from "../../api/client";
import { formatCount } from "../../format/numbers";
import { readAddresses, readLines, readNumber } from "../../forms/parse";
import type { ScopeKind } from "../crawls/crawl-plan";
import {
  buildTerms,
  describeSchedule,
  FRESH_SCHEDULE,
  hasBadNumber,
  readSchedule,
  type ScheduleDraft,
} from "../jobs/schedule-draft";
import { buildRules, type MergeDraft, readRules } from "./merge-rules";
import { readParsers, writeParsers } from "./parsers";

export type Definition = Schemas["SourceDefinition"];

const PDF = "application/pdf";

export interface SourceDraft {
  name: string;
  description: string;
  enabled: boolean;
  seeds: string; // one per line
  kind: ScopeKind | ""; // "": the server's setting
  include: string;
  exclude: string;
  keepParameters: string; // one name per line
  mergeRules: MergeDraft[];
  only: string; // CSS selectors, one per line
  without: string;
  responseHeaders: string; // one name per line
  article: Schemas["ArticleUse"] | ""; // "": the server's setting
  detectLanguage: boolean | null; // null: the server's setting
  markdown: boolean | null; // null: the server's setting
  storeBodies: boolean | null; // null: the server's setting
  pdf: boolean | null; // whether PDFs are read; null: the server's setting
  pdfPages: string;
  parsers: string; // names, one per line, or JSON
  // Of these sections, the form changes the switches and keeps the rest.
  sitemaps: Definition["sitemaps"];
  archives: Definition["archives"];
  pagination: Definition["pagination"];
  validation: Definition["validation"];
  traps: Definition["traps"];
  similarity: Definition["similarity"];
  // What only the YAML of a source changes.
  refresh: Definition["refresh"];
  candidates: Definition["candidates"];
  item_rules: NonNullable<Definition["item_rules"]>;
  audit_every_h: number | null;
  maxDepth: string;
  maxPages: string;
  perDomain: string;
  newUrls: string; // per second
  delay_s: string;
  sharePace: Schemas["PaceUnit"] | ""; // "": the server's setting
  outages: "wait" | "count" | ""; // "": the server's setting
  userAgent: string;
  contact: string;
  headers: string; // one per line, as "Name: value"
  feeds: boolean;
  feedInterval: string;
  recrawl: Schemas["Recrawl"];
  schedule: ScheduleDraft;
}

export const FRESH_SOURCE: SourceDraft = {
  name: "",
  description: "",
  enabled: true,
  seeds: "",
  kind: "",
  include: "",
  exclude: "",
  keepParameters: "",
  mergeRules: [],
  only: "",
  without: "",
  markdown: null,
  storeBodies: null,
  pdf: null,
  pdfPages: "",
  responseHeaders: "",
  article: "",
  detectLanguage: null,
  parsers: "",
  similarity: {},
  refresh: {},
  candidates: [],
  item_rules: {},
  audit_every_h: null,
  traps: {},
  maxDepth: "3",
  maxPages: "",
  perDomain: "",
  newUrls: "",
  delay_s: "",
  sharePace: "",
  outages: "",
  userAgent: "",
  contact: "",
  headers: "",
  sitemaps: {},
  validation: {},
  archives: { enabled: null, queue_below: null, per_day: null, paths: null },
  pagination: { enabled: null, per_day: null },
  feeds: false,
  feedInterval: "60",
  recrawl: "due",
  schedule: FRESH_SCHEDULE,
};

export function readSource(definition: Definition): SourceDraft {
  const { scope, limits, extract } = definition;
  return {
    name: definition.name,
    description: definition.description,
    enabled: definition.enabled,
    seeds: definition.seeds.join("\n"),
    kind: scope.kind ?? "",
    include: (scope.include ?? []).join("\n"),
    exclude: (scope.exclude ?? []).join("\n"),
    keepParameters: (scope.keep_parameters ?? []).join("\n"),
    mergeRules: readRules(scope.merge_rules),
    only: (extract.only ?? []).join("\n"),
    without: (extract.without ?? []).join("\n"),
    responseHeaders: (extract.response_headers ?? []).join("\n"),
    article: extract.article ?? "",
    detectLanguage: extract.detect_language ?? null,
    markdown: extract.markdown ?? null,
    storeBodies: definition.store_bodies ?? null,
    pdf: extract.content_types ? extract.content_types.includes(PDF) : null,
    pdfPages: write(extract.pdf_pages),
    parsers: writeParsers(definition.parsers),
    similarity: definition.similarity,
    refresh: definition.refresh,
    candidates: definition.candidates,
    item_rules: definition.item_rules ?? {},
    audit_every_h: definition.audit_every_h ?? null,
    traps: definition.traps,
    maxDepth: String(limits.max_depth),
    maxPages: write(limits.max_pages),
    perDomain: write(limits.pages_per_domain),
    newUrls: write(limits.new_urls_per_s),
    delay_s: write(definition.delay_s),
    sharePace: definition.share_pace ?? "",
    outages: readOutages(definition.network?.enabled),
    userAgent: definition.user_agent ?? "",
    contact: definition.contact ?? "",
    headers: Object.entries(definition.headers ?? {})
      .map(([name, value]) => `${name}: ${value}`)
      .join("\n"),
    sitemaps: definition.sitemaps,
    validation: definition.validation,
    archives: definition.archives,
    pagination: definition.pagination,
    feeds: definition.feeds,
    feedInterval: String(definition.feed_interval_minutes),
    recrawl: definition.recrawl,
    schedule: readSchedule(definition.schedule),
  };
}

function readOutages(isEnabled: boolean | null | undefined): SourceDraft["outages"] {
  return isEnabled == null ? "" : isEnabled ? "wait" : "count";
}

function write(value: number | null | undefined): string {
  return value === null || value === undefined ? "" : String(value);
}

export function buildSource(draft: SourceDraft): Definition {
  const rules = buildRules(draft.mergeRules);
  const interval = readNumber(draft.schedule.interval) ?? 0;
  return {
    name: draft.name.trim(),
    description: draft.description.trim(),
    enabled: draft.enabled,
    seeds: readAddresses(draft.seeds).map((each) => each.url?.href ?? each.text),
    scope: {
      kind: draft.kind || null,
      include: readGiven(draft.include),
      exclude: readGiven(draft.exclude),
      keep_parameters: readGiven(draft.keepParameters),
      merge_rules: rules.length > 0 ? rules : null,
    },
    limits: {
      max_depth: readNumber(draft.maxDepth) ?? 3,
      max_pages: readNumber(draft.maxPages),
      pages_per_domain: readNumber(draft.perDomain),
      new_urls_per_s: readNumber(draft.newUrls),
    },
    traps: draft.traps,
    extract: {
      only: readGiven(draft.only),
      without: readGiven(draft.without),
      response_headers: readGiven(draft.responseHeaders),
      article: draft.article || null,
      detect_language: draft.detectLanguage,
      markdown: draft.markdown,
      content_types: draft.pdf === null ? null : draft.pdf ? [PDF] : [],
      pdf_pages: readNumber(draft.pdfPages),
    },
    store_bodies: draft.storeBodies,
    parsers: readParsers(draft.parsers).parsers,
    similarity: draft.similarity,
    refresh: draft.refresh,
    candidates: draft.candidates,
    item_rules: draft.item_rules,
    audit_every_h: draft.audit_every_h,
    delay_s: readNumber(draft.delay_s),
    share_pace: draft.sharePace || null,
    network: { enabled: draft.outages === "" ? null : draft.outages === "wait" },
    user_agent: draft.userAgent.trim() || null,
    contact: draft.contact.trim() || null,
    headers: readHeaders(draft.headers).headers,
    sitemaps: draft.sitemaps,
    validation: draft.validation,
    archives: draft.archives,
    pagination: draft.pagination,
    feeds: draft.feeds,
    feed_interval_minutes: readNumber(draft.feedInterval) ?? 60,
    recrawl: draft.recrawl,
    schedule: draft.schedule.isRepeated
      ? { interval_minutes: interval, ...buildTerms(draft.schedule) }
      : null,
  };
}

/** No lines mean the server's setting. */
function readGiven(text: string): string[] | null {
  const lines = readLines(text);
  return lines.length > 0 ? lines : null;
}

export function readHeaders(text: string): { headers: Record<string, string>; wrong: string | null } {
  const headers: Record<string, string> = {};
  let wrong: string | null = null;
  for (const line of readLines(text)) {
    const colon = line.indexOf(":");
    if (colon < 1) wrong ??= line;
    else headers[line.slice(0, colon).trim()] = line.slice(colon + 1).trim();
  }
  return { headers, wrong };
}

const NUMBERS = [
  "maxDepth",
  "maxPages",
  "perDomain",
  "newUrls",
  "pdfPages",
  "delay_s",
  "feedInterval",
] as const;

/** Whether the form can be sent. The API decides whether it is valid. */
export function isComplete(draft: SourceDraft): boolean {
  return (
    draft.name.trim() !== "" &&
    readLines(draft.seeds).length > 0 &&
    readHeaders(draft.headers).wrong === null &&
    readParsers(draft.parsers).wrong === null &&
    !NUMBERS.some((each) => Number.isNaN(readNumber(draft[each]))) &&
    !hasBadNumber(draft.schedule)
  );
}

const VISITED: Record<Schemas["Recrawl"], string> = {
  new: "Fetches only new pages. Stored pages are not revisited.",
  due: "Revisits stored pages when they are due.",
  all: "Every run revisits every page. Unchanged pages cost little.",
};

export function describeSource(draft: SourceDraft): string[] {
  const good = readAddresses(draft.seeds).filter((each) => each.url !== null);
  const depth = readNumber(draft.maxDepth) ?? 3;
  const sentences = [
    good.length === 0
      ? "Needs at least one seed."
      : `Starts with ${good.length === 1 ? "1 seed" : `${formatCount(good.length)} seeds`} and follows links up to ${formatCount(depth)} deep.`,
    ...describeSchedule(draft.schedule),
    VISITED[draft.recrawl],
  ];
  if (draft.feeds) sentences.push("Follows feeds that its pages link to, even between runs.");
  sentences.push(
    draft.enabled ? "Its job uses the new definition." : "Its job is paused until the source is enabled.",
  );
  return sentences;
}
