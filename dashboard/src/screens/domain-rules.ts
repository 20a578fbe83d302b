/** Rules of a domain as people type them, and as the API has them. Pure. */

import type { Schemas } from "../api/client";
import { formatCount } from "../format/numbers";
import { formatDuration } from "../format/times";
import { readNumber } from "./plan";

type Rules = Schemas["Rules"];
type Order = Schemas["RulesBody"];

export interface RulesDraft {
  delay_s: string; // "": no rule
  per_domain: string;
  pages_per_run: string;
  is_active: boolean;
}

export function draftRules(rules: Rules): RulesDraft {
  const type = (value: number | null) => (value === null ? "" : String(value));
  return {
    delay_s: type(rules.delay_s),
    per_domain: type(rules.per_domain),
    pages_per_run: type(rules.pages_per_run),
    is_active: rules.is_active,
  };
}

/** What is to change; null: something typed is no number. What stays is left out, so that two people can change different rules. */
export function buildOrder(draft: RulesDraft, rules: Rules): Order | null {
  const typed = {
    delay_s: readNumber(draft.delay_s),
    per_domain: readNumber(draft.per_domain),
    pages_per_run: readNumber(draft.pages_per_run),
  };
  if (Object.values(typed).some((value) => Number.isNaN(value))) return null;
  const wanted: Rules = { ...typed, is_active: draft.is_active };
  const names = Object.keys(wanted) as (keyof Rules)[];
  return Object.fromEntries(
    names.filter((name) => wanted[name] !== rules[name]).map((name) => [name, wanted[name]]),
  );
}

/** Each limit as it is in force, with what says so. */
export function tellLimits(
  domain: Pick<Schemas["DomainDetail"], "at_a_time" | "delay_s" | "delay_source" | "page_limit">,
): readonly { label: string; told: string }[] {
  const pages = domain.page_limit.value;
  return [
    { label: "Delay", told: `${formatDuration(domain.delay_s)} (${domain.delay_source})` },
    { label: "At a time", told: `${formatCount(domain.at_a_time.value)} (${domain.at_a_time.source})` },
    {
      label: "Pages per run",
      told: `${pages === 0 ? "no limit" : formatCount(pages)} (${domain.page_limit.source})`,
    },
  ];
}
