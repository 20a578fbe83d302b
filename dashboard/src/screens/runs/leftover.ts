/** Describes what a run has left to do and what blocks it. Pure. */

import type { Schemas } from "../../api/client";
import { formatCount } from "../../format/numbers";

type Leftover = Schemas["Leftover"];
type RunState = Schemas["Run"]["state"];

const DUE: Partial<Record<RunState, string>> = {
  budget: "for the next run: this one has as many pages as it may (limits.max_pages).",
  done: "that came up when the run ended. The next one goes on with them.",
};

/** Whether something is left that neither a site nor a user holds back: the run ended early. */
export function isUnfinished(left: Leftover): boolean {
  return left.due + left.held + left.later + left.capped + left.aside > 0;
}

export function describeLeftover(left: Leftover, state: RunState): string[] {
  const urls = (count: number) => (count === 1 ? "1 url" : `${formatCount(count)} urls`);
  const told: [number, string][] = [
    [
      left.capped,
      "for the next run: a domain gives only so many pages in one (limits.pages_per_domain, or its own rule).",
    ],
    [left.later, `to be tried again after failures, the first at ${left.next_at ?? "a later time"}.`],
    [left.due, DUE[state] ?? "for the next run."],
    [left.held, "of domains that other workers had in hand."],
    [left.aside, "of domains that other crawls or sources had. They come back when it goes on."],
    [left.resting, "of sites that are blocked, unreachable or at rest."],
    [left.inactive, "of domains that are inactive: nothing is requested of them."],
  ];
  return told.filter(([count]) => count > 0).map(([count, sentence]) => `${urls(count)} ${sentence}`);
}
