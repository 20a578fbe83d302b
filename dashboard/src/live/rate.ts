import type { ActiveRun, Progress } from "./types";

export interface Sample {
  at: number; // ms since the epoch
  pages: ReadonlyMap<number, number>; // of each active run, by its id
}

export const KEPT_MS = 120_000;

/** The shortest and the longest period over which a rate is measured. */
interface Window {
  least_ms: number;
  most_ms: number;
}
const GLANCE: Window = { least_ms: 900, most_ms: 5000 };
// Pages are stored in batches of about a second. Over shorter periods, the chart would show the batches.
const COURSE: Window = { least_ms: 5000, most_ms: 15_000 };

export function sample(progress: Progress): Sample {
  return { at: Date.parse(progress.at), pages: new Map(progress.runs.map((run) => [run.id, run.pages])) };
}

/** Adds a sample and drops old ones. A sample that is not newer than the last one is ignored. */
export function remember(samples: readonly Sample[], next: Sample): readonly Sample[] {
  const last = samples.at(-1);
  if (last && next.at <= last.at) return samples;
  return [...samples.filter((each) => each.at > next.at - KEPT_MS), next];
}

/** The current pages per second of one run; null: not known yet. */
export function findRunRate(
  samples: readonly Sample[],
  id: number,
  end = samples.length - 1,
  { least_ms, most_ms } = GLANCE,
): number | null {
  const last = samples[end];
  const pages = last?.pages.get(id);
  if (!last || pages === undefined) return null;
  let first: Sample | undefined;
  for (let index = end - 1; index >= 0; index -= 1) {
    const each = samples[index];
    if (!each?.pages.has(id) || last.at - each.at > most_ms) break;
    first = each;
  }
  if (!first || last.at - first.at < least_ms) return null;
  return Math.max(0, (pages - (first.pages.get(id) ?? pages)) / ((last.at - first.at) / 1000));
}

/** The current pages per second of all runs together; null: not known yet. */
export function findRate(
  samples: readonly Sample[],
  end = samples.length - 1,
  window = GLANCE,
): number | null {
  const runs = [...(samples[end]?.pages.keys() ?? [])];
  const known = runs.flatMap((id) => findRunRate(samples, id, end, window) ?? []);
  return known.length > 0 ? known.reduce((sum, rate) => sum + rate, 0) : null;
}

/** The rate at each sample; null: not known, which is different from zero. */
export function listRates(samples: readonly Sample[]): (number | null)[] {
  return samples.map((each, index) => (each.pages.size === 0 ? 0 : findRate(samples, index, COURSE)));
}

/** The measured rate or, until there is one, what workers report. */
export function rateNow(samples: readonly Sample[], progress: Progress | null): number | null {
  if (!progress) return null;
  if (!isRunning(progress)) return 0;
  return findRate(samples) ?? progress.pages_per_min / 60;
}

export function rateOf(samples: readonly Sample[], run: ActiveRun): number {
  if (run.state !== "running") return 0;
  return findRunRate(samples, run.id) ?? run.pages_per_min / 60;
}

export function isRunning(progress: Progress | null): boolean {
  return progress?.runs.some((run) => run.state === "running") ?? false;
}

/** A summary that fits into the side bar. */
export function describeRuns(progress: Progress): string {
  const paused = progress.runs.filter((run) => run.state === "paused").length;
  const count = progress.runs_count;
  if (count === 0) return "no active runs";
  const runs = count === 1 ? "run" : "runs";
  if (paused === count) return `${count} ${runs} paused`;
  return paused === 0 ? `${count} active ${runs}` : `${count} active ${runs}, ${paused} paused`;
}
