/** How a parser did over time, as lines of a chart. Pure. */

import type { Schemas } from "../../api/client";

type Point = Schemas["ParserPointView"];
type Figures = Schemas["ParserFigures"];

const WEEK_S = 7 * 86_400;

export interface Rates {
  span: readonly [number, number]; // seconds since the epoch
  times: number[];
  withItems: (number | null)[];
  valid: (number | null)[];
  confidence: (number | null)[];
}

/** Versions that ran in the same hour or day become one point. A week is shown even if less is known. */
export function buildRates(points: readonly Point[]): Rates | null {
  const byTime = new Map<number, Point[]>();
  for (const point of points) {
    const at = Date.parse(point.at) / 1000;
    byTime.set(at, [...(byTime.get(at) ?? []), point]);
  }
  const times = [...byTime.keys()].sort((one, other) => one - other);
  const first = times[0];
  const last = times.at(-1);
  if (first === undefined || last === undefined) return null;
  const parts = times.map((at) => (byTime.get(at) ?? []).map((point) => point.figures));
  return {
    span: [Math.min(first, last - WEEK_S), last],
    times,
    withItems: parts.map((each) => average(each, "share_with_items", (one) => one.pages)),
    valid: parts.map((each) => average(each, "share_valid", (one) => one.items + one.invalid)),
    confidence: parts.map((each) => average(each, "confidence", (one) => one.items)),
  };
}

type Share = "share_with_items" | "share_valid" | "confidence";

function average(parts: readonly Figures[], share: Share, weigh: (part: Figures) => number): number | null {
  let weight = 0;
  let sum = 0;
  for (const part of parts) {
    const value = part[share];
    if (value === null) continue;
    weight += weigh(part);
    sum += value * weigh(part);
  }
  return weight === 0 ? null : sum / weight;
}
