import { describe, expect, it } from "vitest";
import { buildFindingSeries } from "./audit-series";

const kept = (hour: number, source_id: number | null, counts: Record<string, number>) => ({
  at: `2026-01-01T0${hour}:00:00Z`,
  source_id,
  counts: Object.fromEntries(
    Object.entries(counts).map(([code, findings]) => [code, { findings, items: 100 * findings }]),
  ),
});
const START = Date.parse("2026-01-01T00:00:00Z") / 1000;

describe("findings over time", () => {
  it("are nothing without audits", () => {
    expect(buildFindingSeries([])).toBeNull();
  });

  it("are those of the last audit of each source, added up", () => {
    const series = buildFindingSeries([
      kept(2, 1, { rule: 0 }),
      kept(1, 2, { rule: 3, image: 1 }),
      kept(0, 1, { rule: 2 }),
    ]);
    expect(series?.times).toEqual([START, START + 3600, START + 7200]);
    expect(series?.lines.map((line) => [line.label, line.values])).toEqual([
      ["rule", [2, 5, 3]],
      ["image", [0, 1, 1]],
    ]);
  });

  it("are not counted twice if all sources were audited as well", () => {
    const series = buildFindingSeries([kept(1, null, { rule: 9 }), kept(0, 1, { rule: 2 })]);
    expect(series?.lines[0]?.values).toEqual([2]);
    expect(buildFindingSeries([kept(1, null, { rule: 9 })])?.lines[0]?.values).toEqual([9]);
  });

  it("have a span although there is one audit", () => {
    expect(buildFindingSeries([kept(0, 1, { rule: 1 })])?.span).toEqual([START, START + 3600]);
  });
});
