/** Domain rules, as typed and as the API has them. Pure. */

import type { Schemas } from "../../api/client";
import { formatCount } from "../../format/numbers";
import { formatDuration } from "../../format/times";
import { readNumber } from "../../forms/parse";

type Rules = Schemas["Rules"];
type Change = Schemas["RulesBody"];

export interface RulesDraft {
  delay_s: string; // "": no rule
  per_domain: string;
  pages_per_run: string;
  is_active: boolean;
}

export function draftOf(rules: Rules): RulesDraft {
  const type = (value: number | null) => (value === null ? "" : String(value));
  return {
    delay_s: type(rules.delay_s),
    per_domain: type(rules.per_domain),
    pages_per_run: type(rules.pages_per_run),
    is_active: rules.is_active,
  };
}

/**
 * The changed rules; null: a field is not a number.
 *
 * Unchanged rules are left out, so that two users can change different rules.
 */
export function buildChange(draft: RulesDraft, rules: Rules): Change | null {
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

/** The limits in force, and where each comes from. */
export function describeLimits(
  domain: Pick<Schemas["DomainDetail"], "at_a_time" | "delay_s" | "delay_source" | "page_limit">,
): readonly { label: string; text: string }[] {
  const pages = domain.page_limit.value;
  return [
    { label: "Delay", text: `${formatDuration(domain.delay_s)} (${domain.delay_source})` },
    {
      label: "Concurrent requests",
      text: `${formatCount(domain.at_a_time.value)} (${domain.at_a_time.source})`,
    },
    {
      label: "Pages per run",
      text: `${pages === 0 ? "no limit" : formatCount(pages)} (${domain.page_limit.source})`,
    },
  ];
}
