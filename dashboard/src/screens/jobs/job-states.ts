/** Job states, the actions they allow, and intervals. Pure. */

import type { Schemas } from "../../api/client";

export type JobState = Schemas["JobState"];
export type Job = Schemas["Job"];

export const JOB_STATES: readonly JobState[] = [
  "pending",
  "scheduled",
  "running",
  "completed",
  "failed",
  "paused",
  "cancelled",
];

export const ACTIONS = ["force-run", "resume", "retry", "pause", "cancel"] as const;
export type Action = (typeof ACTIONS)[number];

const ALLOWED_IN: Record<Action, readonly JobState[]> = {
  "force-run": ["scheduled"],
  resume: ["paused"],
  retry: ["failed"],
  pause: ["scheduled"],
  cancel: ["scheduled", "running", "paused", "pending"],
};

/** The actions that a job in this state allows. The server decides in the end. */
export function listActions(state: JobState): readonly Action[] {
  return ACTIONS.filter((each) => ALLOWED_IN[each].includes(state));
}

export const JOB_MEANINGS: Readonly<Record<JobState, string>> = {
  pending: "Not scheduled yet, or waiting for a retry.",
  scheduled: "Scheduled to run.",
  running: "An execution is running.",
  completed: "A one-time job that has run.",
  failed: "All retries are used up.",
  paused: "Paused by a user, or because its source is disabled.",
  cancelled: "Cancelled permanently by a user.",
};

const UNITS_S = { minutes: 60, hours: 3600, days: 86_400 } as const;
const LONGEST_ADAPTED_S = 86_400;
const MOST_DOUBLINGS = 32;

type Rhythmic = Pick<Job, "interval_minutes" | "interval_type" | "adaptive_scheduling" | "unchanged_count">;

/** The configured and the current interval of a job; null: it runs once. */
export function measureIntervals(job: Rhythmic): { configured_s: number; now_s: number } | null {
  if (job.interval_minutes === null) return null;
  const configured_s = job.interval_minutes * UNITS_S[job.interval_type];
  if (!job.adaptive_scheduling) return { configured_s, now_s: configured_s };
  const doubled_s = configured_s * 2 ** Math.min(job.unchanged_count, MOST_DOUBLINGS);
  return { configured_s, now_s: Math.max(configured_s, Math.min(doubled_s, LONGEST_ADAPTED_S)) };
}

/** The nouns of the API that show a change of a job. */
export const JOB_NOUNS = ["jobs", "executions", "sources", "scheduler", "runs"] as const;
