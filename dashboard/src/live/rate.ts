import type { Progress, RunUnderWay } from "./types";

export interface Sample {
  at: number; // ms since the epoch
  pages: ReadonlyMap<number, number>; // of each run under way, by its number
}

export const KEPT_MS = 120_000;
const WINDOW_MS = 5000;
const LEAST_MS = 900;

export function sample(progress: Progress): Sample {
  return { at: Date.parse(progress.at), pages: new Map(progress.runs.map((run) => [run.id, run.pages])) };
}

/** With the new one; what is too old, or not older than what is known, is left out. */
export function remember(samples: readonly Sample[], next: Sample): readonly Sample[] {
  const last = samples.at(-1);
  if (last && next.at <= last.at) return samples;
  return [...samples.filter((each) => each.at > next.at - KEPT_MS), next];
}

/** Pages a second of one run over the last moments; null: not known yet. */
export function findRunRate(samples: readonly Sample[], id: number, end = samples.length - 1): number | null {
  const last = samples[end];
  const pages = last?.pages.get(id);
  if (!last || pages === undefined) return null;
  let first: Sample | undefined;
  for (let index = end - 1; index >= 0; index -= 1) {
    const each = samples[index];
    if (!each?.pages.has(id) || last.at - each.at > WINDOW_MS) break;
    first = each;
  }
  if (!first || last.at - first.at < LEAST_MS) return null;
  return Math.max(0, (pages - (first.pages.get(id) ?? pages)) / ((last.at - first.at) / 1000));
}

/** The same of all runs together. */
export function findRate(samples: readonly Sample[], end = samples.length - 1): number | null {
  const known = [...(samples[end]?.pages.keys() ?? [])].flatMap((id) => findRunRate(samples, id, end) ?? []);
  return known.length > 0 ? known.reduce((sum, rate) => sum + rate, 0) : null;
}

/** The course of the rate, one value per sample. */
export function listRates(samples: readonly Sample[]): number[] {
  return samples.map((_, index) => findRate(samples, index) ?? 0);
}

/** What is seen, or before anything was, what the workers say. */
export function rateNow(samples: readonly Sample[], progress: Progress | null): number | null {
  if (!progress) return null;
  if (!isRunning(progress)) return 0;
  return findRate(samples) ?? progress.pages_per_min / 60;
}

export function rateOf(samples: readonly Sample[], run: RunUnderWay): number {
  if (run.state !== "running") return 0;
  return findRunRate(samples, run.id) ?? run.pages_per_min / 60;
}

export function isRunning(progress: Progress | null): boolean {
  return progress?.runs.some((run) => run.state === "running") ?? false;
}

/** For the few words there is room for. */
export function describeRuns(progress: Progress): string {
  const paused = progress.runs.filter((run) => run.state === "paused").length;
  const count = progress.runs_count;
  if (count === 0) return "no run under way";
  const told = `${count} ${count === 1 ? "run" : "runs"} under way`;
  return paused === 0
    ? told
    : paused === count
      ? told.replace("under way", "paused")
      : `${told}, ${paused} paused`;
}
