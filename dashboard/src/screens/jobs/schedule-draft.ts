/** The schedule part of the forms for sources and jobs, as typed. Pure. */

import type { Schemas } from "../../api/client";
import { formatCount } from "../../format/numbers";
import { readNumber } from "../../forms/parse";

export const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type Day = (typeof DAYS)[number];
export type IntervalType = Schemas["IntervalType"];

export interface ScheduleDraft {
  isRepeated: boolean;
  interval: string;
  intervalType: IntervalType;
  isAdaptive: boolean;
  timezone: string;
  hasHours: boolean;
  days: readonly Day[];
  from: string;
  until: string;
  maxRetries: string;
  backoff_s: string;
  priority: string;
}

export const FRESH_SCHEDULE: ScheduleDraft = {
  isRepeated: true,
  interval: "6",
  intervalType: "hours",
  isAdaptive: true,
  timezone: "UTC",
  hasHours: false,
  days: DAYS,
  from: "08:00",
  until: "18:00",
  maxRetries: "3",
  backoff_s: "60",
  priority: "5",
};

/** The fields that sources and jobs have in common. */
export interface Terms {
  readonly interval_minutes: number | null;
  readonly interval_type: IntervalType;
  readonly adaptive_scheduling: boolean;
  readonly timezone: string;
  readonly active_hours?: Schemas["Hours"] | Schemas["ActiveHours"] | null;
  readonly max_retries: number;
  readonly retry_backoff_seconds: number;
  readonly priority: number;
}

export function readSchedule(terms: Terms | null | undefined): ScheduleDraft {
  if (!terms) return { ...FRESH_SCHEDULE, isRepeated: false };
  const hours = terms.active_hours;
  return {
    isRepeated: terms.interval_minutes !== null,
    interval: terms.interval_minutes === null ? FRESH_SCHEDULE.interval : String(terms.interval_minutes),
    intervalType: terms.interval_minutes === null ? FRESH_SCHEDULE.intervalType : terms.interval_type,
    isAdaptive: terms.adaptive_scheduling,
    timezone: terms.timezone,
    hasHours: Boolean(hours),
    days: hours?.days ?? FRESH_SCHEDULE.days,
    from: hours?.from ?? FRESH_SCHEDULE.from,
    until: hours?.until ?? FRESH_SCHEDULE.until,
    maxRetries: String(terms.max_retries),
    backoff_s: String(terms.retry_backoff_seconds),
    priority: String(terms.priority),
  };
}

/** Empty fields become the API's defaults. The form has already rejected fields that are not numbers. */
export function buildTerms(draft: ScheduleDraft) {
  const hours = {
    days: DAYS.filter((each) => draft.days.includes(each)),
    from: draft.from,
    until: draft.until,
  };
  return {
    interval_type: draft.intervalType,
    adaptive_scheduling: draft.isAdaptive,
    timezone: draft.timezone,
    active_hours: draft.hasHours ? hours : null,
    max_retries: readNumber(draft.maxRetries) ?? 3,
    retry_backoff_seconds: readNumber(draft.backoff_s) ?? 60,
    priority: readNumber(draft.priority) ?? 5,
  };
}

export function hasBadNumber(draft: ScheduleDraft): boolean {
  const typed = [draft.maxRetries, draft.backoff_s, draft.priority, draft.isRepeated ? draft.interval : "1"];
  return (
    typed.some((text) => Number.isNaN(readNumber(text))) || (draft.isRepeated && draft.interval.trim() === "")
  );
}

const DAY_WORDS: Record<Day, string> = {
  mon: "Mondays",
  tue: "Tuesdays",
  wed: "Wednesdays",
  thu: "Thursdays",
  fri: "Fridays",
  sat: "Saturdays",
  sun: "Sundays",
};

export function describeInterval(number: number, type: IntervalType): string {
  return number === 1 ? `every ${type.slice(0, -1)}` : `every ${formatCount(number)} ${type}`;
}

export function describeHours(hours: { days?: readonly Day[]; from: string; until: string }): string {
  const days = hours.days ?? DAYS;
  const when = days.length === DAYS.length ? "every day" : days.map((each) => DAY_WORDS[each]).join(", ");
  return `${when} from ${hours.from} to ${hours.until}`;
}

export function describeSchedule(draft: ScheduleDraft): string[] {
  if (!draft.isRepeated) return ["Runs once, as soon as a scheduler picks it up."];
  const interval = readNumber(draft.interval);
  if (interval === null || Number.isNaN(interval)) return ["The interval is missing."];
  const sentences = [`Runs ${describeInterval(interval, draft.intervalType)}, in the least busy slot.`];
  if (draft.isAdaptive)
    sentences.push("While its start page is unchanged, runs less often, but at least once a day.");
  if (draft.hasHours) sentences.push(`Runs start ${describeHours(draft)} (${draft.timezone}).`);
  return sentences;
}
