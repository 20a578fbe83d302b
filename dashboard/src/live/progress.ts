import type { Schemas } from "../api/client";
import type { Progress } from "./types";

/** Builds what the stream sends from responses to polls. */
export function progressOf(
  stats: Schemas["Stats"],
  underWay: Schemas["ActiveRuns"],
  before: Progress | null,
): Progress {
  const { at, workers, pages_per_min, urls, pages, queued } = stats;
  const states = stats.domains;
  return {
    at,
    runs: underWay.runs,
    runs_count: underWay.runs_count,
    workers,
    pages_per_min,
    urls,
    pages,
    queued,
    domains: Object.values(states).reduce((sum, count) => sum + count, 0),
    domains_queued: before?.domains_queued ?? (states.pending ?? 0) + (states.active ?? 0),
    domains_resting: (states.blocked ?? 0) + (states.unreachable ?? 0),
  };
}
