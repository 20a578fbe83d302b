/** Merge rules, as typed and as the API has them. Pure. */

import type { Schemas } from "../../api/client";

export type MergeRule = Schemas["SourceMergeRule"];

export interface MergeDraft {
  id: number; // within the form
  name: string;
  under: string;
  parameters: string; // names, separated by commas
  patterns: string; // one per line
  isSlash: boolean;
}

export function freshRule(others: readonly MergeDraft[]): MergeDraft {
  const id = Math.max(0, ...others.map((each) => each.id)) + 1;
  return { id, name: "", under: "", parameters: "", patterns: "", isSlash: false };
}

export function readRules(rules: readonly MergeRule[] | null | undefined): MergeDraft[] {
  return (rules ?? []).map((rule, at) => ({
    id: at + 1,
    name: rule.name ?? "",
    under: rule.under ?? "",
    parameters: rule.ignore_parameters.join(", "),
    patterns: rule.ignore_matching.join("\n"),
    isSlash: rule.ignore_trailing_slash,
  }));
}

/** Drops rules that were left empty. */
export function buildRules(drafts: readonly MergeDraft[]): MergeRule[] {
  return drafts.filter((each) => !isEmpty(each)).map(buildRule);
}

function buildRule(draft: MergeDraft): MergeRule {
  return {
    name: draft.name.trim() || null,
    under: draft.under.trim() || null,
    ignore_parameters: split(draft.parameters, /[,\n]/),
    ignore_matching: split(draft.patterns, /\n/),
    ignore_trailing_slash: draft.isSlash,
  };
}

function isEmpty(draft: MergeDraft): boolean {
  const texts = [draft.name, draft.under, draft.parameters, draft.patterns];
  return !draft.isSlash && texts.every((each) => each.trim() === "");
}

function split(text: string, between: RegExp): string[] {
  return text
    .split(between)
    .map((each) => each.trim())
    .filter((each) => each !== "");
}

export function describeRule(rule: MergeRule): string {
  const ignored = [...rule.ignore_parameters, ...rule.ignore_matching];
  if (rule.ignore_trailing_slash) ignored.push("the trailing slash");
  const where = rule.under ? ` under ${rule.under}` : "";
  const text = `ignore ${ignored.join(", ")}${where}`;
  return rule.name ? `${rule.name}: ${text}` : text;
}
