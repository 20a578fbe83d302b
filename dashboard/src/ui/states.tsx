/** States as badges. A state has the same color everywhere. */

import { words } from "../format/text";
import { Badge, Dot, type Tone } from "./basics";

const TONES: Record<string, Tone> = {
  // domains
  pending: "quiet",
  active: "accent",
  exhausted: "ok",
  blocked: "bad",
  unreachable: "warn",
  inactive: "rest",
  // runs
  running: "accent",
  paused: "rest",
  done: "ok",
  budget: "ok",
  stopped: "quiet",
  failed: "bad",
  // jobs, executions, tasks
  scheduled: "quiet",
  completed: "ok",
  cancelled: "quiet",
  crawling: "accent",
  downloaded: "accent",
  parsing: "accent",
  // feeds and deliveries
  failing: "warn",
  absent: "quiet",
  delivered: "ok",
  // what a file does to sources
  added: "ok",
  removed: "bad",
  // urls
  queued: "quiet",
  retrying: "warn",
  fetched: "ok",
  read: "ok",
  duplicate: "quiet",
  redirected: "quiet",
  skipped: "quiet",
  gone: "rest",
  rejected: "warn",
  refused: "warn",
  dead: "bad",
  quarantined: "bad",
  trapped: "rest",
  "never seen": "quiet",
  "not crawlable": "warn",
  // visits and changes
  unchanged: "quiet",
  new: "ok",
  // items
  present: "ok",
  back: "ok",
  changed: "accent",
  // workers
  working: "accent",
  waiting: "quiet",
  lost: "bad",
  ended: "quiet",
  // lists and archives
  tried: "accent",
  postponed: "quiet",
  valid: "ok",
  invalid: "rest",
  off: "rest",
  // breakers
  closed: "ok",
  open: "bad",
  half_open: "warn",
};

const MEANINGS: Record<string, string> = {
  pending: "Known, but not crawled yet.",
  active: "Partly crawled: more URLs are queued.",
  exhausted: "All known URLs are done.",
  blocked: "The site refuses the crawler, or a user blocked it. No requests are made.",
  unreachable: "The site does not respond. It is retried later.",
  budget: "The run reached its page limit.",
  duplicate: "Stored, with the same content as another page.",
  rejected: "The answer looks like a page but is none: a bot check, a consent wall, a parked domain.",
  quarantined: "Parsing it crashed a process twice.",
  trapped: "Not requested: similar URLs brought nothing new.",
  dead: "Given up after the last attempt failed.",
};

export function toneOf(state: string): Tone {
  return TONES[state] ?? "quiet";
}

/** `meanings`: tooltips for nouns whose states have the same names but mean something else. */
export function State({
  state,
  meanings = MEANINGS,
}: {
  state: string;
  meanings?: Readonly<Record<string, string>>;
}) {
  return (
    <Badge tone={toneOf(state)} title={meanings[state]}>
      <Dot tone={toneOf(state)} isBreathing={state === "running"} />
      {words(state)}
    </Badge>
  );
}

export function toneOfStatus(status: number | null): Tone {
  if (status === null) return "bad";
  if (status >= 500) return "bad";
  if (status >= 400) return "warn";
  return status >= 300 ? "quiet" : "ok";
}

export const TONE_TEXT: Record<Tone, string> = {
  ok: "text-ok",
  warn: "text-warn",
  bad: "text-bad",
  rest: "text-rest",
  accent: "text-accent",
  quiet: "text-quiet",
};

export function HttpStatus({ status }: { status: number | null }) {
  return <span className={TONE_TEXT[toneOfStatus(status)]}>{status ?? "none"}</span>;
}
