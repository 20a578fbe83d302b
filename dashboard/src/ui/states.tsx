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
  duplicate: "quiet",
  redirected: "quiet",
  skipped: "quiet",
  gone: "rest",
  refused: "warn",
  dead: "bad",
  quarantined: "bad",
  "never seen": "quiet",
  "not crawlable": "warn",
  // visits and changes
  unchanged: "quiet",
  new: "ok",
  changed: "accent",
  // workers
  working: "accent",
  waiting: "quiet",
  lost: "bad",
  ended: "quiet",
  // breakers
  closed: "ok",
  open: "bad",
  half_open: "warn",
};

const MEANINGS: Record<string, string> = {
  pending: "Known, and not crawled yet.",
  active: "Partly crawled: more urls wait.",
  exhausted: "Every known url has its final fate.",
  blocked: "It turns the crawler away, or a person did; it is left alone.",
  unreachable: "It does not answer; it is tried again later.",
  budget: "The page budget of the run was used up.",
  duplicate: "Stored, and it says what another page says.",
  quarantined: "Reading it crashed a process twice.",
  dead: "It failed as often as it may.",
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
