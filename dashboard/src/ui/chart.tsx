import { useEffect, useRef } from "react";
import uPlot from "uplot";
import { formatTick } from "../format/times";
import { useTheme } from "./theme";

export interface Line {
  label: string;
  /** A CSS variable of the theme: "--chart-1". */
  color: string;
  values: readonly (number | null)[];
}

interface ChartProps {
  label: string;
  /** Seconds since the epoch. */
  times: readonly number[];
  /** The range of the time axis, including times without data. */
  span: readonly [number, number];
  lines: readonly Line[];
  format: (value: number) => string;
  height?: number;
  /** Charts with the same key share their cursor. */
  sync?: string;
  isStacked?: boolean;
  max?: number | undefined;
  onHover?: (index: number | null) => void;
}

const GRID_PX = 1;
// Half the width of the widest time label, "12:00 PM": labels are centered, including the last one.
const RIGHT_PX = 26;

export function Chart(props: ChartProps) {
  const { label, times, lines, height = 150, sync, isStacked = false } = props;
  const holder = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const isDark = useTheme((state) => state.isDark);
  const latest = useRef(props);
  latest.current = props;
  const shape = lines.map((line) => `${line.label}${line.color}`).join();

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new theme or other lines make a new chart
  useEffect(() => {
    const element = holder.current;
    if (!element) return;
    const options = buildOptions(element, latest, { height, sync, isStacked });
    plot.current = new uPlot(options, buildData(latest.current), element);
    const observer = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
  }, [isDark, shape, height, sync, isStacked]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: new values go into the same chart
  useEffect(() => {
    plot.current?.setData(buildData(latest.current));
  }, [times, lines]);

  return (
    <div ref={holder} role="img" aria-label={label} className={height === 150 ? "h-[150px]" : "h-[190px]"} />
  );
}

function buildData({ times, lines, isStacked }: ChartProps): uPlot.AlignedData {
  const values = isStacked ? stack(lines.map((line) => line.values)) : lines.map((line) => [...line.values]);
  return [[...times], ...values];
}

/** Running sums, so that each line is drawn on top of those before it. */
export function stack(values: readonly (readonly (number | null)[])[]): number[][] {
  const sums: number[] = [];
  return values.map((each) =>
    each.map((value, index) => {
      sums[index] = (sums[index] ?? 0) + (value ?? 0);
      return sums[index] ?? 0;
    }),
  );
}

function buildOptions(
  element: HTMLElement,
  latest: { current: ChartProps },
  { height, sync, isStacked }: { height: number; sync: string | undefined; isStacked: boolean },
): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => style.getPropertyValue(name).trim();
  const font = `11px ${getComputedStyle(document.body).fontFamily}`;
  const { lines } = latest.current;
  return {
    width: element.clientWidth,
    height,
    padding: [8, RIGHT_PX, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      points: { size: 6 },
      drag: { x: false, y: false },
      ...(sync ? { sync: { key: sync } } : {}),
    },
    scales: {
      x: { range: () => [latest.current.span[0], latest.current.span[1]] },
      y: {
        range: (_, __, max) => [0, latest.current.max ?? (max > 0 ? max * 1.12 : 1)],
      },
    },
    axes: [
      {
        stroke: color("--faint"),
        font,
        grid: { show: false },
        ticks: { show: false },
        size: 24,
        space: 80,
        values: (_, splits, __, ___, step) => splits.map((each) => formatTick(new Date(each * 1000), step)),
      },
      {
        stroke: color("--faint"),
        font,
        grid: { stroke: color("--line"), width: GRID_PX },
        ticks: { show: false },
        size: 52,
        space: 34,
        values: (_, splits) => splits.map((each) => latest.current.format(each)),
      },
    ],
    series: [
      {},
      ...lines.map((line) => ({
        label: line.label,
        stroke: color(line.color),
        width: isStacked ? 0 : 1.6,
        fill: isStacked
          ? mix(color(line.color), 55)
          : lines.length === 1
            ? mix(color(line.color), 15)
            : undefined,
        // A single value does not make a line: draw a point.
        points: { show: (self: uPlot) => (self.data[0]?.length ?? 0) < 2, size: 5 },
        spanGaps: false,
      })),
    ] as uPlot.Series[],
    ...(isStacked
      ? { bands: lines.slice(1).map((_, index) => ({ series: [index + 2, index + 1] as [number, number] })) }
      : {}),
    hooks: { setCursor: [(self) => latest.current.onHover?.(self.cursor.idx ?? null)] },
  };
}

function mix(color: string, percent: number): string {
  return `color-mix(in oklab, ${color} ${percent}%, transparent)`;
}
