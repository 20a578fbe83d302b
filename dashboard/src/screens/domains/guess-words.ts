/** What was learned by guessing, in words. Pure. */

import type { Schemas } from "../../api/client";
import { formatCount } from "../../format/numbers";

export const GUESS_STATES: Record<Schemas["GuessState"], string> = {
  tried: "Guesses are under way, and nothing is known yet.",
  postponed: "Guesses in other lists of the domain decide first.",
  valid: "Known from links, or a guess was right.",
  ended: "Known to its end. A link beyond it continues it.",
  invalid: "The last guesses were wrong.",
  off: "A user forbids guesses.",
};

export function describeRule(rule: Schemas["PaginationRuleView"] | Schemas["ArchivePatternView"]): string {
  const guesses = `${formatCount(rule.hits)} right, ${formatCount(rule.misses)} wrong`;
  return "last_n" in rule ? `${guesses}, known up to ${formatCount(rule.last_n)}` : guesses;
}
