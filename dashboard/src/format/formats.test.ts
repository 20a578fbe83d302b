import { describe, expect, it } from "vitest";
import { formatBytes, formatCompact, formatDigits, formatPercent } from "./numbers";
import { formatDuration, formatRelative, formatTick } from "./times";

describe("numbers", () => {
  it("formats bytes with three digits", () => {
    expect([0, 999, 1000, 12_345, 999_600, 5e9].map(formatBytes)).toEqual([
      "0 B",
      "999 B",
      "1 kB",
      "12.3 kB",
      "1.00 MB",
      "5 GB",
    ]);
  });

  it("shows small counts in full", () => {
    expect([0, 9999, 12_345, 1_500_000].map(formatCompact)).toEqual(["0", "9,999", "12.3K", "1.5M"]);
  });

  it("keeps three significant digits", () => {
    expect([0, 0.1234, 1.2345, 12.345, 123.45].map(formatDigits)).toEqual([
      "0",
      "0.12",
      "1.23",
      "12.3",
      "123",
    ]);
  });

  it("does not round small shares to zero", () => {
    expect([0, 0.0001, 0.5, 1].map(formatPercent)).toEqual(["0 %", "< 0.1 %", "50 %", "100 %"]);
  });
});

describe("times", () => {
  const now = new Date("2026-05-01T12:00:00Z");

  it.each([
    ["2026-05-01T11:59:59.5Z", "now"],
    ["2026-05-01T11:59:40Z", "20 s ago"],
    ["2026-05-01T12:05:00Z", "in 5 min"],
    ["2026-05-01T09:00:00Z", "3 h ago"],
    ["2026-04-21T12:00:00Z", "10 d ago"],
    ["2025-01-02T12:00:00Z", "Jan 2, 2025"],
  ])("formats %s as %s", (at, expected) => {
    expect(formatRelative(new Date(at), now)).toBe(expected);
  });

  it("formats a duration in two units", () => {
    expect([0.012, 1.5, 75, 3600, 7500, 100_000].map(formatDuration)).toEqual([
      "12 ms",
      "1.5 s",
      "1 min 15 s",
      "1 h",
      "2 h 5 min",
      "1 d 3 h",
    ]);
  });
});

describe("marks on an axis", () => {
  it("have the date where a day begins", () => {
    const ticks = ["2026-11-18T12:00:00Z", "2026-11-19T00:00:00Z", "2026-11-19T12:00:00Z"].map(
      (each) => new Date(each),
    );
    expect(ticks.map((each) => formatTick(each, 43_200))).toEqual(["12:00 PM", "Nov 19", "12:00 PM"]);
    expect(ticks.map((each) => formatTick(each, 86_400))).toEqual(["Nov 18", "Nov 19", "Nov 19"]);
  });
});
