/** Prepares time series for charts. Pure. */

import type { Schemas } from "../../api/client";

type Series = Schemas["Series"];
type Point = Schemas["Point"];

export const RANGES = [
  ["15m", "15 min"],
  ["1h", "1 h"],
  ["6h", "6 h"],
  ["24h", "24 h"],
  ["7d", "7 days"],
] as const;
export type Range = (typeof RANGES)[number][0];

const SECONDS: Record<Range, number> = { "15m": 900, "1h": 3600, "6h": 21_600, "24h": 86_400, "7d": 604_800 };
// An interval that has just begun would show as a drop or a spike.
const LEAST_S = 15;

export function readRange(text: string | undefined): Range {
  return RANGES.find(([key]) => key === text)?.[0] ?? "15m";
}

/** Aligned to a few seconds, so that repeated queries are the same query. */
export function sinceOf(range: Range, now: Date): string {
  const step_s = 5;
  const now_s = Math.floor(now.getTime() / 1000 / step_s) * step_s;
  return new Date((now_s - SECONDS[range]) * 1000).toISOString();
}

export interface Charts {
  span: readonly [number, number]; // seconds since the epoch
  times: number[];
  pages: number[]; // per second
  bytes: number[]; // per second
  discovered: number[]; // per second
  classes: Record<StatusClass, number[]>; // responses per second
  refused: number[]; // per second
}

export const CLASSES = ["2xx", "3xx", "4xx", "5xx", "none"] as const;
export type StatusClass = (typeof CLASSES)[number];

export function buildCharts(series: Series): Charts {
  const until_s = Date.parse(series.until) / 1000;
  const charts: Charts = {
    span: [Date.parse(series.since) / 1000, until_s],
    times: [],
    pages: [],
    bytes: [],
    discovered: [],
    refused: [],
    classes: { "2xx": [], "3xx": [], "4xx": [], "5xx": [], none: [] },
  };
  for (const at_s of listBefore(series)) add(charts, at_s, null, series.step_s);
  for (const point of series.points) {
    const at_s = Date.parse(point.at) / 1000;
    const span_s = Math.min(series.step_s, until_s - at_s);
    if (span_s < Math.min(LEAST_S, series.step_s)) continue;
    add(charts, at_s, point, span_s);
  }
  return charts;
}

/** Intervals before the first known point, during which nothing happened. */
function listBefore(series: Series): number[] {
  const first_s = series.points[0] ? Date.parse(series.points[0].at) / 1000 : Date.parse(series.until) / 1000;
  const since_s = Date.parse(series.since) / 1000;
  const found: number[] = [];
  for (let at_s = first_s - series.step_s; at_s > since_s - series.step_s; at_s -= series.step_s)
    found.unshift(at_s);
  return found;
}

function add(charts: Charts, at_s: number, point: Point | null, span_s: number): void {
  charts.times.push(at_s);
  charts.pages.push((point?.pages ?? 0) / span_s);
  charts.bytes.push((point?.wire_bytes ?? 0) / span_s);
  charts.discovered.push((point?.discovered ?? 0) / span_s);
  charts.refused.push((point?.robots_denials ?? 0) / span_s);
  const classes = point ? countClasses(point) : null;
  for (const each of CLASSES) charts.classes[each].push((classes?.[each] ?? 0) / span_s);
}

export function countClasses(point: Pick<Point, "statuses" | "requests">): Record<StatusClass, number> {
  const counts: Record<StatusClass, number> = { "2xx": 0, "3xx": 0, "4xx": 0, "5xx": 0, none: 0 };
  let answered = 0;
  for (const [status, count] of Object.entries(point.statuses)) {
    const name = `${status.charAt(0)}xx`;
    if (name in counts) counts[name as StatusClass] += count;
    answered += count;
  }
  counts.none = Math.max(0, point.requests - answered);
  return counts;
}

export interface Totals {
  pages: number;
  requests: number;
  bytes: number;
  refused: number;
  /** The share of requests with a 2xx or 3xx response; null: there were no requests. */
  success: number | null;
  latency_ms: number | null;
}

export function computeTotals(points: readonly Point[]): Totals {
  const sum = (pick: (point: Point) => number) => points.reduce((total, point) => total + pick(point), 0);
  const requests = sum((point) => point.requests);
  const good = sum((point) => countClasses(point)["2xx"] + countClasses(point)["3xx"]);
  return {
    pages: sum((point) => point.pages),
    requests,
    bytes: sum((point) => point.wire_bytes),
    refused: sum((point) => point.robots_denials),
    success: requests > 0 ? good / requests : null,
    latency_ms:
      requests > 0 ? (sum((point) => point.mean_duration_s * point.requests) / requests) * 1000 : null,
  };
}

const MINUTE_S = 60;

/** Completed minutes as they were counted, and the current one as measured live, so that the line moves. */
export function appendLive(
  charts: Charts,
  samples: readonly { at: number }[],
  rates: readonly (number | null)[],
): Charts {
  const kept = charts.times.filter((at_s) => at_s + MINUTE_S <= charts.span[1]).length;
  const counted_s = (charts.times[kept - 1] ?? Number.NEGATIVE_INFINITY) + MINUTE_S;
  const times: number[] = [];
  const pages: number[] = [];
  samples.forEach(({ at }, index) => {
    const rate = rates[index] ?? null;
    if (rate === null || at / 1000 < counted_s) return;
    times.push(at / 1000);
    pages.push(rate);
  });
  if (times.length === 0) return charts;
  return {
    ...charts,
    span: [charts.span[0], Math.max(charts.span[1], times.at(-1) ?? 0)],
    times: [...charts.times.slice(0, kept), ...times],
    pages: [...charts.pages.slice(0, kept), ...pages],
  };
}
