import type { Progress } from "./types";

export interface Sample {
  at: number; // ms since the epoch
  runId: number | null;
  pages: number;
  queued: number;
}

export const KEPT_MS = 120_000;
const WINDOW_MS = 5000;

export function sample(progress: Progress): Sample {
  return {
    at: Date.parse(progress.at),
    runId: progress.run?.id ?? null,
    pages: progress.run?.pages ?? 0,
    queued: progress.queued,
  };
}

/** With the new one; what is too old, or not older than what is known, is left out. */
export function remember(samples: readonly Sample[], next: Sample): readonly Sample[] {
  const last = samples.at(-1);
  if (last && next.at <= last.at) return samples;
  return [...samples.filter((each) => each.at > next.at - KEPT_MS), next];
}

/** Pages a second over the last moments, of one run; null: not known yet. */
export function findRate(samples: readonly Sample[], end = samples.length - 1): number | null {
  const last = samples[end];
  if (!last) return null;
  let first: Sample | undefined;
  for (let index = end - 1; index >= 0; index -= 1) {
    const each = samples[index];
    if (!each || each.runId !== last.runId || last.at - each.at > WINDOW_MS) break;
    first = each;
  }
  if (!first || last.at - first.at < 900) return null;
  return Math.max(0, (last.pages - first.pages) / ((last.at - first.at) / 1000));
}

/** The course of the rate, one value per sample. */
export function listRates(samples: readonly Sample[]): number[] {
  return samples.map((_, index) => findRate(samples, index) ?? 0);
}

/** What is seen, or before anything was, what the workers say. */
export function rateNow(samples: readonly Sample[], progress: Progress | null): number | null {
  if (!progress) return null;
  if (progress.run?.state !== "running") return 0;
  return findRate(samples) ?? progress.pages_per_min / 60;
}
