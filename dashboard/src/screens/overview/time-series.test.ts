import { describe, expect, it } from "vitest";
import type { Schemas } from "../../api/client";
import { appendLive, buildCharts, computeTotals, countClasses, readRange } from "./time-series";

function point(at: string, changes: Partial<Schemas["Point"]> = {}): Schemas["Point"] {
  return {
    at,
    requests: 0,
    pages: 0,
    failed: 0,
    robots_denials: 0,
    wire_bytes: 0,
    discovered: 0,
    mean_duration_s: 0,
    outcomes: {},
    statuses: {},
    failures: {},
    ...changes,
  };
}

describe("charts", () => {
  const busy = point("2026-05-01T12:00:00Z", {
    requests: 60,
    pages: 48,
    statuses: { "200": 48, "304": 2, "404": 6, "503": 1 },
  });

  it("count responses by class, and requests without a response", () => {
    expect(countClasses(busy)).toEqual({ "2xx": 48, "3xx": 2, "4xx": 6, "5xx": 1, none: 3 });
  });

  it("show rates, including the current interval", () => {
    const charts = buildCharts({
      step_s: 60,
      since: "2026-05-01T12:00:00Z",
      until: "2026-05-01T12:01:30Z",
      points: [busy, point("2026-05-01T12:01:00Z", { pages: 30 })],
      total_wire_bytes: 0,
    });
    expect(charts.pages).toEqual([0.8, 1]);
  });

  it("leave out an interval that has just begun", () => {
    const series = {
      step_s: 60,
      since: "2026-05-01T12:00:00Z",
      until: "2026-05-01T12:01:05Z",
      points: [busy, point("2026-05-01T12:01:00Z")],
      total_wire_bytes: 0,
    };
    expect(buildCharts(series).times).toHaveLength(1);
  });

  it("start with zeros at the requested time", () => {
    const charts = buildCharts({
      step_s: 60,
      since: "2026-05-01T11:57:30Z",
      until: "2026-05-01T12:01:00Z",
      points: [busy],
      total_wire_bytes: 0,
    });
    expect(charts.pages).toEqual([0, 0, 0, 0.8]);
  });

  it("end with live samples", () => {
    const charts = buildCharts({
      step_s: 60,
      since: "2026-05-01T12:00:00Z",
      until: "2026-05-01T12:01:00Z",
      points: [busy],
      total_wire_bytes: 0,
    });
    const start = Date.parse("2026-05-01T12:01:00Z");
    const samples = [0, 500, 1000, 1500].map((ms) => ({ at: start + ms }));
    const live = appendLive(charts, samples, [0.5, 1, 2, 3]);
    expect(live.pages).toEqual([0.8, 0.5, 1, 2, 3]);
    expect(live.span[1]).toBe((start + 1500) / 1000);
  });

  it("do not drop to zero where the live rate is unknown", () => {
    const charts = buildCharts({
      step_s: 60,
      since: "2026-05-01T12:00:00Z",
      until: "2026-05-01T12:01:20Z",
      points: [busy, point("2026-05-01T12:01:00Z", { pages: 16 })],
      total_wire_bytes: 0,
    });
    const start = Date.parse("2026-05-01T12:01:20Z");
    const samples = [0, 500, 1000, 1500].map((ms) => ({ at: start + ms }));
    expect(appendLive(charts, samples, [null, null, null, null]).pages).toEqual([0.8, 0.8]);
    expect(appendLive(charts, samples, [null, null, null, 0.7]).pages).toEqual([0.8, 0.7]);
  });

  it("use counted values for completed minutes", () => {
    const charts = buildCharts({
      step_s: 60,
      since: "2026-05-01T12:00:00Z",
      until: "2026-05-01T12:01:01Z",
      points: [busy, point("2026-05-01T12:01:00Z")],
      total_wire_bytes: 0,
    });
    const start = Date.parse("2026-05-01T12:00:00Z");
    const samples = [10, 30, 50, 61].map((seconds) => ({ at: start + seconds * 1000 }));
    expect(appendLive(charts, samples, [9, 9, 9, 1]).pages).toEqual([0.8, 1]);
  });

  it("compute totals", () => {
    expect(computeTotals([busy])).toMatchObject({ pages: 48, requests: 60, success: 50 / 60 });
    expect(computeTotals([]).success).toBeNull();
  });

  it("fall back to the shortest range", () => {
    expect([readRange("7d"), readRange("x"), readRange(undefined)]).toEqual(["7d", "15m", "15m"]);
  });
});
