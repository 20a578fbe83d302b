/** A job as typed into the form. Pure. */

import type { Schemas } from "../../api/client";
import { readAddresses, readNumber } from "../../forms/parse";
import { buildTerms, FRESH_SCHEDULE, hasBadNumber, readSchedule, type ScheduleDraft } from "./schedule-draft";

type Job = Schemas["Job"];

export interface JobDraft {
  source: string; // the id
  url: string;
  firstRun: string; // the value of a datetime-local field, in the viewer's time zone; "": the scheduler chooses
  schedule: ScheduleDraft;
}

export function readJob(job: Job): JobDraft {
  return { source: String(job.source_id), url: job.url ?? "", firstRun: "", schedule: readSchedule(job) };
}

export function freshJob(source: string): JobDraft {
  return { source, url: "", firstRun: "", schedule: FRESH_SCHEDULE };
}

export function buildJob(draft: JobDraft, job: Job | undefined): Schemas["JobChange"] {
  const address = draft.url.trim() === "" ? undefined : readAddresses(draft.url)[0];
  return {
    source_id: Number(draft.source),
    url: address === undefined ? null : (address.url?.href ?? address.text),
    interval_minutes: draft.schedule.isRepeated ? readNumber(draft.schedule.interval) : null,
    schedule_enabled: draft.schedule.isRepeated && (job?.interval_minutes == null || job.schedule_enabled),
    next_run_at: draft.firstRun === "" ? null : new Date(draft.firstRun).toISOString(),
    metadata: job?.metadata ?? {},
    ...buildTerms(draft.schedule),
    ...(job ? { version: job.version } : {}),
  };
}

export function isJobComplete(draft: JobDraft): boolean {
  return draft.source !== "" && !hasBadNumber(draft.schedule);
}
