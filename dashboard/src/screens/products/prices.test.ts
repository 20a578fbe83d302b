import { expect, test } from "vitest";
import { buildPriceSeries, formatDrop, formatPrice } from "./prices";

const NBSP = "\u00a0";
const at = (seconds: number) => new Date(seconds * 1000).toISOString();
const point = (seconds: number, price: number | null, currency: string | null = "EUR") => ({
  at: at(seconds),
  change: "changed" as const,
  price,
  currency,
});

test.each([
  [2879.2, "EUR", `EUR${NBSP}2,879.20`],
  [12800, "JPY", `JPY${NBSP}12,800`],
  [1.659, "EUR", `EUR${NBSP}1.659`],
  [5, null, "5.00"],
  [null, "EUR", "–"],
  [1, "XQZ", `XQZ${NBSP}1.00`],
])("%s %s is shown as %s", (price, currency, shown) => {
  expect(formatPrice(price, currency)).toBe(shown);
});

test("a drop is a share with as many digits as it needs", () => {
  expect(formatDrop(0.25)).toBe("−25 %");
  expect(formatDrop(0.0251)).toBe("−2.5 %");
});

test("a price holds until it changes, and the last one until now", () => {
  const series = buildPriceSeries([point(1000, 20), point(2000, 15)], 200_000);
  expect(series?.times).toEqual([1000, 2000, 2000, 200_000]);
  expect(series?.lines.map((line) => line.values)).toEqual([[20, 20, 15, 15]]);
  expect(series?.span).toEqual([1000, 200_000]);
});

test("the line has a gap while there is no price", () => {
  const series = buildPriceSeries([point(1000, 20), point(2000, null, null), point(3000, 10)], 4000);
  expect(series?.lines[0]?.values).toEqual([20, 20, null, null, 10, 10]);
});

test("each currency has a line of its own", () => {
  const series = buildPriceSeries([point(1000, 20), point(2000, 25, "USD")], 3000);
  expect(series?.lines.map((line) => [line.label, line.values])).toEqual([
    ["EUR", [20, 20, null, null]],
    ["USD", [null, null, 25, 25]],
  ]);
});

test("without a price there is no chart", () => {
  expect(buildPriceSeries([], 1)).toBeNull();
  expect(buildPriceSeries([point(1, null)], 2)).toBeNull();
});
