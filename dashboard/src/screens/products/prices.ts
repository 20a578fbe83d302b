/** How prices are shown, and a history of them as a line of steps. Pure. */

import type { Schemas } from "../../api/client";
import type { Line } from "../../ui/chart";

type Point = Pick<Schemas["ProductPoint"], "at" | "change" | "price" | "currency">;

const MOST_PLACES = 6;
const COLORS = ["--chart-1", "--chart-3", "--chart-5", "--chart-2"] as const;
const HOUR_S = 3600; // a shorter span would hide that a price holds

/** With the currency, if it is known, and as many decimals as it usually has, or the price needs. */
export function formatPrice(price: number | null, currency: string | null): string {
  if (price === null) return "–";
  if (currency === null) {
    return price.toLocaleString(undefined, { minimumFractionDigits: 2, maximumFractionDigits: MOST_PLACES });
  }
  return new Intl.NumberFormat(undefined, {
    style: "currency",
    currency,
    currencyDisplay: "code",
    maximumFractionDigits: MOST_PLACES,
  }).format(price);
}

/** `-20 %`, or `-2.5 %` of small ones. */
export function formatDrop(share: number): string {
  const percent = share * 100;
  return `−${percent.toLocaleString(undefined, { maximumFractionDigits: percent < 10 ? 1 : 0 })} %`;
}

export interface PriceSeries {
  times: number[];
  span: [number, number];
  /** A line for each currency: their prices have nothing in common but the chart. */
  lines: Line[];
}

/** `points`: oldest first. A price holds until the next point, or until `now`. */
export function buildPriceSeries(points: readonly Point[], now: number): PriceSeries | null {
  const currencies = [...new Set(points.filter((each) => each.price !== null).map(nameOf))];
  const [first] = points;
  if (first === undefined || currencies.length === 0) return null;
  const times: number[] = [];
  const values: (number | null)[][] = currencies.map(() => []);
  const add = (at: number, point: Point | undefined) => {
    times.push(at);
    currencies.forEach((name, place) => {
      values[place]?.push(point !== undefined && nameOf(point) === name ? point.price : null);
    });
  };
  points.forEach((point, place) => {
    const at = Date.parse(point.at) / 1000;
    if (place > 0) add(at, points[place - 1]);
    add(at, point);
  });
  const start = times[0] ?? now;
  add(Math.max(now, times.at(-1) ?? now), points.at(-1));
  const lines = currencies.map((label, place) => ({
    label,
    color: COLORS[place % COLORS.length] ?? COLORS[0],
    values: values[place] ?? [],
  }));
  return { times, span: [Math.min(start, now - HOUR_S), Math.max(now, start)], lines };
}

function nameOf(point: Point): string {
  return point.currency ?? "price";
}
