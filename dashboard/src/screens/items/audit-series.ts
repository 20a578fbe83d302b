/** Findings of kept audits over time, as a line for each kind of finding. Pure. */

import type { Schemas } from "../../api/client";
import { words } from "../../format/text";
import type { Line } from "../../ui/chart";

type Kept = Pick<Schemas["KeptAuditRow"], "at" | "source_id" | "counts">;
type Counts = Kept["counts"];

const COLORS = ["--chart-4", "--chart-1", "--chart-3", "--chart-2", "--chart-5"] as const;
const SPARE_S = 3_600;

export interface FindingSeries {
  times: number[];
  span: [number, number];
  /** The most frequent kinds of now and before, as many as there are colors. */
  lines: Line[];
}

/**
 * `audits`: newest first. What was found in a source holds until its next audit, and findings of sources are
 * added up; audits of all sources together are used if there are no others.
 */
export function buildFindingSeries(audits: readonly Kept[]): FindingSeries | null {
  const ofSources = audits.filter((each) => each.source_id !== null);
  const used = [...(ofSources.length > 0 ? ofSources : audits)].reverse();
  const [first] = used;
  if (first === undefined) return null;
  const latest = new Map<number | null, Counts>();
  const steps = used.map((each) => {
    latest.set(each.source_id, each.counts);
    return sum([...latest.values()]);
  });
  const times = used.map((each) => Date.parse(each.at) / 1000);
  const [start = 0, end = start] = [times[0], times.at(-1)];
  const lines = rank(steps).map((code, place) => ({
    label: words(code),
    color: COLORS[place] ?? COLORS[0],
    values: steps.map((step) => step.get(code) ?? 0),
  }));
  return { times, span: [start, Math.max(end, start + SPARE_S)], lines };
}

function sum(found: readonly Counts[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const counts of found) {
    for (const [code, count] of Object.entries(counts)) {
      sums.set(code, (sums.get(code) ?? 0) + (count?.findings ?? 0));
    }
  }
  return sums;
}

function rank(steps: readonly Map<string, number>[]): string[] {
  const totals = new Map<string, number>();
  for (const step of steps) {
    for (const [code, number] of step) totals.set(code, (totals.get(code) ?? 0) + number);
  }
  const codes = [...totals.keys()].sort((a, b) => (totals.get(b) ?? 0) - (totals.get(a) ?? 0));
  return codes.slice(0, COLORS.length);
}
