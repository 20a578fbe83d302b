/** Describes what a run has left to do and what blocks it. Pure. */

import type { Schemas } from "../../api/client";
import { formatCount } from "../../format/numbers";

type Leftover = Schemas["Leftover"];
type RunState = Schemas["Run"]["state"];

const DUE: Partial<Record<RunState, string>> = {
  budget: "left for the next run: this run reached its page limit (limits.max_pages).",
  done: "became due as the run ended. The next run continues there.",
};

/** Whether something is left that neither a site nor a user holds back: the run ended early. */
export function isUnfinished(left: Leftover): boolean {
  return left.due + left.held + left.later + left.capped + left.aside > 0;
}

export function describeLeftover(left: Leftover, state: RunState): string[] {
  const urls = (count: number) => (count === 1 ? "1 URL" : `${formatCount(count)} URLs`);
  const parts: [number, string][] = [
    [
      left.capped,
      "left for the next run: the page limit of a domain was reached (limits.pages_per_domain, or a domain rule).",
    ],
    [left.later, `to be retried after failures, the first at ${left.next_at ?? "a later time"}.`],
    [left.due, DUE[state] ?? "left for the next run."],
    [left.held, "on domains that other workers held."],
    [left.aside, "on domains that other crawls or sources had. They return when this crawl continues."],
    [left.resting, "on sites that are blocked, unreachable or on hold."],
    [left.inactive, "on inactive domains, to which no requests are made."],
  ];
  return parts.filter(([count]) => count > 0).map(([count, sentence]) => `${urls(count)} ${sentence}`);
}
