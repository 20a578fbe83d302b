import { expect, test } from "vitest";
import { formatValue, pickComparison, summarize } from "./item-values";

test("texts are shown as they are, other values as JSON", () => {
  expect(formatValue("Boat")).toBe("Boat");
  expect(formatValue(12.5)).toBe("12.5");
  expect(formatValue(["a", 1])).toBe('["a",1]');
  expect(formatValue(null)).toBe("–");
});

test("long values are cut", () => {
  expect(formatValue("a".repeat(1000))).toHaveLength(400);
  expect(summarize({ a: "a".repeat(300), b: "b".repeat(300) })).toHaveLength(400);
});

test("an item is summarized in one line", () => {
  expect(summarize({ name: "Boat", price: 12.5 })).toBe("name: Boat, price: 12.5");
  expect(summarize({ authors: ["A"], title: "T" })).toBe('title: T, authors: ["A"]');
});

test.each(["", "price", ">", "=3"])("%s is no comparison yet", (text) => {
  expect(pickComparison(text)).toEqual({});
});

test("a comparison is a filter", () => {
  expect(pickComparison("price>=10")).toEqual({ where: ["price>=10"] });
});
