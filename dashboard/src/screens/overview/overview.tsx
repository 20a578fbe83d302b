import { getRouteApi, Link, type LinkProps } from "@tanstack/react-router";
import { type ReactNode, useMemo, useState } from "react";
import type { Schemas } from "../../api/client";
import { useApi } from "../../api/queries";
import { useRole } from "../../api/session";
import { formatBytes, formatCompact, formatCount, formatPercent, formatRate } from "../../format/numbers";
import { words } from "../../format/text";
import { formatDuration } from "../../format/times";
import { useFilter } from "../../lists/use-filter";
import { isRunning, listRates, rateNow } from "../../live/rate";
import { useLive } from "../../live/store";
import { buttonClass, Empty, Heading, Panel, Skeleton } from "../../ui/basics";
import { Chart, type Line } from "../../ui/chart";
import { SegmentedControl } from "../../ui/controls";
import { State } from "../../ui/states";
import { Time, useClock } from "../../ui/time";
import { DomainLink } from "../../ui/untrusted";
import { ActiveRuns } from "./active-runs";
import {
  appendLive,
  buildCharts,
  type Charts,
  computeTotals,
  RANGES,
  readRange,
  sinceOf,
} from "./time-series";
import { Verdict } from "./verdict";

const route = getRouteApi("/app/");
const EVERY_MS = 5000;

export function Overview() {
  const search = route.useSearch();
  const range = readRange(search.range);
  const set = useFilter();
  const since = sinceOf(range, useClock());
  const series = useApi("/api/v1/stats/timeseries", { query: { since } });
  const stats = useApi("/api/v1/stats", { every_ms: EVERY_MS });
  const charts = useMemo(() => (series.data ? buildCharts(series.data) : null), [series.data]);
  const samples = useLive((state) => state.samples);
  const rate = useLive((state) => rateNow(state.samples, state.progress));
  const isCrawling = useLive((state) => isRunning(state.progress));
  const live = useMemo(
    () => (charts && range === "15m" ? appendLive(charts, samples, listRates(samples)) : charts),
    [charts, samples, range],
  );
  return (
    <>
      <Heading title="Overview" name={isCrawling ? `${formatRate(rate ?? 0)} pages/s` : "Overview"}>
        <StartCrawlLink />
        <SegmentedControl label="Time range" value={range} options={RANGES} onChange={set("range")} />
      </Heading>
      <Verdict />
      <ActiveRuns />
      <Tiles
        series={series.data}
        stats={stats.data}
        range={RANGES.find(([key]) => key === range)?.[1] ?? ""}
      />
      <div className="grid gap-4 md:grid-cols-2">
        <Timeline
          title="Pages per second"
          charts={live}
          format={formatRate}
          lines={(each) => [{ label: "pages", color: "--chart-1", values: each.pages }]}
        />
        <Timeline
          title="Responses per second"
          charts={charts}
          format={formatRate}
          isStacked
          lines={(each) => [
            { label: "2xx", color: "--chart-2", values: each.classes["2xx"] },
            { label: "3xx", color: "--chart-1", values: each.classes["3xx"] },
            { label: "4xx", color: "--chart-3", values: each.classes["4xx"] },
            { label: "5xx", color: "--chart-4", values: each.classes["5xx"] },
            { label: "none", color: "--chart-5", values: each.classes.none },
          ]}
        />
        <Timeline
          title="Traffic per second"
          charts={charts}
          format={formatBytes}
          lines={(each) => [{ label: "bytes", color: "--chart-1", values: each.bytes }]}
        />
        <Timeline
          title="Discovered and fetched per second"
          charts={charts}
          format={formatRate}
          lines={(each) => [
            { label: "new URLs", color: "--chart-5", values: each.discovered },
            { label: "pages", color: "--chart-1", values: each.pages },
            { label: "robots.txt denials", color: "--chart-3", values: each.refused },
          ]}
        />
      </div>
      <div className="grid gap-4 md:grid-cols-2">
        <LongestQueues />
        <DomainChanges />
      </div>
    </>
  );
}

function StartCrawlLink() {
  const { isAdmin } = useRole();
  return isAdmin ? (
    <Link to="/crawl" className={buttonClass("primary")}>
      Start crawl
    </Link>
  ) : null;
}

function Tiles({
  series,
  stats,
  range,
}: {
  series: Schemas["Series"] | undefined;
  stats: Schemas["Stats"] | undefined;
  range: string;
}) {
  const progress = useLive((state) => state.progress);
  const rate = useLive((state) => rateNow(state.samples, state.progress));
  const totals = series ? computeTotals(series.points) : null;
  const queued = progress?.queued ?? stats?.queued;
  return (
    <div className="panel grid grid-cols-2 overflow-hidden sm:grid-cols-4 xl:grid-cols-8">
      <Tile
        name="rate"
        link={{ to: "/runs" }}
        label="Pages/s"
        value={rate === null ? undefined : formatRate(rate)}
        note={totals && `${formatCompact(totals.pages)} in ${range}`}
      />
      <Tile
        name="success"
        link={{ to: "/visits", search: { outcome: "failed" } }}
        label="Success"
        value={totals ? (totals.success === null ? "–" : formatPercent(totals.success)) : undefined}
        note={totals && `${formatCompact(totals.requests)} requests`}
      />
      <Tile
        name="queue"
        link={{ to: "/frontier" }}
        label="Queued"
        value={queued === undefined ? undefined : formatCompact(queued)}
        note={
          stats &&
          (stats.forecast_s > 0 ? `at least ${formatDuration(stats.forecast_s)} left` : "nothing left to do")
        }
      />
      <Tile
        name="pages"
        link={{ to: "/pages" }}
        label="Pages"
        value={progress ? formatCompact(progress.pages) : undefined}
        note={progress && `of ${formatCompact(progress.urls)} URLs`}
      />
      <Tile
        name="bytes"
        link={{ to: "/visits" }}
        label="Traffic"
        value={totals ? formatBytes(totals.bytes) : undefined}
        note={series && `${formatBytes(series.total_wire_bytes)} in total`}
      />
      <Tile
        name="workers"
        link={{ to: "/workers" }}
        label="Workers"
        value={progress ? formatCount(progress.workers) : undefined}
        note={
          progress &&
          `${formatCompact(progress.domains_queued)} ${progress.domains_queued === 1 ? "domain" : "domains"} queued`
        }
      />
      <Tile
        name="refused"
        link={{ to: "/urls", search: { fate: "refused", reason: "robots" } }}
        label="robots.txt denials"
        value={totals ? formatCompact(totals.refused) : undefined}
        note={totals && `in ${range}`}
      />
      <Tile
        name="latency"
        link={{ to: "/visits" }}
        label="Response time"
        value={
          totals ? (totals.latency_ms === null ? "–" : formatDuration(totals.latency_ms / 1000)) : undefined
        }
        note={totals && "average"}
      />
    </div>
  );
}

function Tile({
  name,
  label,
  value,
  note,
  link,
}: {
  name: string;
  label: string;
  value: string | undefined;
  note: ReactNode;
  link: LinkProps;
}) {
  return (
    <Link
      {...link}
      className="-mb-px -ml-px block min-w-0 border-b border-l border-line px-4 py-2.5 -outline-offset-2 hover:bg-sunken/60 xl:px-3"
    >
      <span className="block text-xs text-quiet">{label}</span>
      <span
        data-testid={`tile-${name}`}
        className="block h-9 truncate text-[1.7rem] leading-9 font-semibold tracking-tight xl:text-[1.4rem]"
      >
        {value ?? <Skeleton className="mt-1.5 h-6 w-16" />}
      </span>
      <span className="block h-[1.2rem] truncate text-xs text-faint">{note}</span>
    </Link>
  );
}

function Timeline({
  title,
  charts,
  lines,
  format,
  isStacked = false,
}: {
  title: string;
  charts: Charts | null;
  lines: (charts: Charts) => Line[];
  format: (value: number) => string;
  isStacked?: boolean;
}) {
  const [hovered, setHovered] = useState<number | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the lines depend on the charts only
  const shown = useMemo(() => (charts ? lines(charts) : []), [charts]);
  // In a stacked chart, a line without values would only draw the line below it again.
  const drawn = useMemo(
    () => (isStacked ? shown.filter((line) => line.values.some((value) => value)) : shown),
    [isStacked, shown],
  );
  const index = hovered ?? (charts ? charts.times.length - 1 : 0);
  const values = shown.map((line) => `${line.label} ${format(line.values[index] ?? 0)}`);
  return (
    <Panel title={title}>
      <p className="-mt-1 flex h-5 gap-x-4 overflow-hidden px-4 text-xs text-quiet">
        {shown.map((line) => (
          <Reading key={line.label} line={line} value={format(line.values[index] ?? 0)} />
        ))}
      </p>
      <div className="px-2 pb-2">
        {charts ? (
          <Chart
            label={`${title}, now: ${values.join(", ")}`}
            times={charts.times}
            span={charts.span}
            lines={drawn}
            format={format}
            isStacked={isStacked}
            sync="overview"
            onHover={setHovered}
          />
        ) : (
          <Skeleton className="h-[150px]" />
        )}
      </div>
    </Panel>
  );
}

const SWATCHES: Record<string, string> = {
  "--chart-1": "bg-[var(--chart-1)]",
  "--chart-2": "bg-[var(--chart-2)]",
  "--chart-3": "bg-[var(--chart-3)]",
  "--chart-4": "bg-[var(--chart-4)]",
  "--chart-5": "bg-[var(--chart-5)]",
};

function Reading({ line, value }: { line: Line; value: string }) {
  return (
    <span className="inline-flex items-center gap-1.5">
      <span aria-hidden="true" className={`size-2 rounded-full ${SWATCHES[line.color]}`} />
      {line.label} <span className="min-w-9 font-medium text-ink">{value}</span>
    </span>
  );
}

function LongestQueues() {
  const { data } = useApi("/api/v1/frontier/stats", { every_ms: 10_000 });
  return (
    <Panel
      title="Longest queues"
      aside={
        <Link to="/frontier" className="text-accent hover:underline">
          Frontier
        </Link>
      }
    >
      {!data ? (
        <Skeleton className="mx-4 mb-4 h-40" />
      ) : data.longest.length === 0 ? (
        <Empty title="Nothing queued" />
      ) : (
        <table className="mb-2 w-full">
          <thead className="text-left text-xs text-quiet">
            <tr>
              <th className="w-full px-4 font-medium">Domain</th>
              <th className="text-right font-medium">Queued</th>
              <th className="pl-4 text-right font-medium">Delay</th>
              <th className="px-4 text-right font-medium whitespace-nowrap">Time left</th>
            </tr>
          </thead>
          <tbody>
            {data.longest.slice(0, 6).map((queue) => (
              <tr key={queue.domain} className="h-8 border-t border-line/60">
                <td className="max-w-0 truncate px-4">
                  <DomainLink name={queue.domain} />
                </td>
                <td className="text-right">{formatCompact(queue.queued)}</td>
                <td className="pl-4 text-right whitespace-nowrap text-quiet">
                  <span title={words(queue.delay_source)}>{formatDuration(queue.delay_s)}</span>
                </td>
                <td className="px-4 text-right whitespace-nowrap">
                  {queue.is_at_rest ? (
                    <span className="text-rest">on hold</span>
                  ) : (
                    `≥ ${formatDuration(queue.forecast_s)}`
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}

function DomainChanges() {
  const moves = useLive((state) => state.moves);
  return (
    <Panel title="Domain state changes" aside="since you opened this page">
      {moves.length === 0 ? (
        <Empty title="No changes yet">Domains appear here when they are done, blocked or unreachable.</Empty>
      ) : (
        <ol className="mb-2">
          {moves.slice(0, 6).map((move) => (
            <li
              key={`${move.at}${move.domain}`}
              className="flex h-8 items-center gap-3 border-t border-line/60 px-4"
            >
              <Time at={move.at} className="w-20 shrink-0 text-quiet" />
              <span className="min-w-0 flex-1 truncate">
                <DomainLink name={move.domain} /> <span className="text-quiet">{words(move.cause)}</span>
              </span>
              <State state={move.to_status} />
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}
