import { getRouteApi, Link } from "@tanstack/react-router";
import type { Query, Schemas } from "../../api/client";
import { useApi, useList } from "../../api/queries";
import { useRole } from "../../api/session";
import { formatCompact, formatCount } from "../../format/numbers";
import { formatDuration } from "../../format/times";
import { domainColumn } from "../../lists/columns";
import { CommonFilters, commonQuery } from "../../lists/common-filters";
import { SelectFilter, TextFilter } from "../../lists/filters";
import { hasFilters, pickFilters } from "../../lists/query";
import { Empty, Heading, Panel, Skeleton } from "../../ui/basics";
import { Shares } from "../../ui/meter";
import { State, toneOf } from "../../ui/states";
import { type Column, Table } from "../../ui/table";
import { Time } from "../../ui/time";
import { ExplainLink, Untrusted } from "../../ui/untrusted";
import { FrontierActions } from "./frontier-actions";

type Url = Schemas["Url"];
type ListQuery = Query<"/api/v1/frontier/urls">;

const route = getRouteApi("/app/frontier");

const COLUMNS: readonly Column<Url>[] = [
  { key: "url", title: "Next URLs", width: "minmax(9rem,3fr)", cell: (row) => <ExplainLink url={row.url} /> },
  domainColumn("md"),
  { key: "priority", title: "Priority", width: "5rem", cell: (row) => row.priority },
  { key: "fate", title: "Fate", width: "6.5rem", from: "sm", cell: (row) => <State state={row.fate} /> },
  { key: "depth", title: "Depth", width: "3.5rem", isNumber: true, from: "md", cell: (row) => row.depth },
  {
    key: "attempts",
    title: "Failures",
    width: "4.5rem",
    isNumber: true,
    from: "lg",
    cell: (row) => row.attempts,
  },
  {
    key: "due",
    title: "Due",
    width: "6rem",
    isNumber: true,
    from: "sm",
    cell: (row) => <Time at={row.due_at} />,
  },
];

export function Frontier() {
  const search = route.useSearch();
  const { domain = "", priority = "", fate = "" } = search;
  const { isAdmin } = useRole();
  const stats = useApi("/api/v1/frontier/stats", { every_ms: 5000 });
  const query = {
    ...pickFilters(search, "domain", "priority", "fate"),
    ...commonQuery(search),
  } as ListQuery;
  const list = useList("/api/v1/frontier/urls", { query, every_ms: 5000 });
  return (
    <>
      <Heading title="Frontier">{isAdmin && <FrontierActions domain={domain} />}</Heading>
      <div className="grid gap-4 md:grid-cols-2 xl:grid-cols-4">
        <QueueSize stats={stats.data} />
        <Panel title="By priority">
          <div className="px-4 pb-4">
            {stats.data ? (
              <Shares
                label="Queued URLs by priority"
                shares={[
                  { label: "high", count: stats.data.priorities.high ?? 0, tone: "accent" },
                  { label: "medium", count: stats.data.priorities.medium ?? 0, tone: "ok" },
                  { label: "low", count: stats.data.priorities.low ?? 0, tone: "quiet" },
                  { label: "discovery", count: stats.data.priorities.discovery ?? 0, tone: "quiet" },
                  { label: "slowed", count: stats.data.priorities.slowed ?? 0, tone: "warn" },
                ]}
              />
            ) : (
              <Skeleton className="h-14" />
            )}
          </div>
        </Panel>
        <Panel title="By domain">
          {stats.data ? (
            <ul className="px-4 pb-4">
              {stats.data.longest.slice(0, 4).map((queue) => (
                <li key={queue.domain} className="flex h-7 items-center justify-between gap-3">
                  <Link
                    to="."
                    search={(before) => ({ ...before, domain: queue.domain })}
                    className="min-w-0 truncate hover:underline"
                  >
                    <Untrusted text={queue.domain} />
                  </Link>
                  {formatCompact(queue.queued)}
                </li>
              ))}
              {stats.data.longest.length === 0 && <li className="text-quiet">Nothing queued.</li>}
            </ul>
          ) : (
            <Skeleton className="mx-4 mb-4 h-20" />
          )}
        </Panel>
        <Panel title="By domain state">
          <div className="px-4 pb-4">
            {stats.data ? (
              <Shares
                label="Queued URLs by domain state"
                shares={Object.entries(stats.data.domains).map(([state, count]) => ({
                  label: state,
                  count,
                  tone: toneOf(state),
                }))}
              />
            ) : (
              <Skeleton className="h-14" />
            )}
          </div>
        </Panel>
      </div>
      <div className="flex flex-wrap gap-2">
        <TextFilter name="domain" label="Domain" value={domain} className="w-48 max-sm:grow" />
        <SelectFilter
          name="priority"
          label="Priority"
          value={priority}
          options={["high", "medium", "low", "discovery", "slowed"]}
          any="Any priority"
        />
        <SelectFilter name="fate" label="Fate" value={fate} options={["queued", "retrying"]} any="Any fate" />
        <CommonFilters given={search} date="Due" />
      </div>
      <Table
        noun="URLs"
        label="Queued URLs"
        className="min-h-[22rem] flex-1"
        columns={COLUMNS}
        list={list}
        keyOf={(row) => row.id}
        isFiltered={hasFilters(query)}
        empty={<Empty title="Nothing queued">Add URLs, or start a crawl with new seeds.</Empty>}
      />
    </>
  );
}

function QueueSize({ stats }: { stats: Schemas["FrontierStats"] | undefined }) {
  return (
    <Panel title="Queued">
      <div className="px-4 pb-4">
        {stats ? (
          <>
            <p className="text-[1.7rem] leading-9 font-semibold tracking-tight">
              {formatCount(stats.queued)}
            </p>
            <p className="text-quiet">
              {formatCompact(stats.due)} due now, {formatCompact(stats.retrying)} to be retried,{" "}
              {formatCompact(stats.queued_at_rest)} on domains on hold
            </p>
            <p className="mt-1 text-quiet">
              {stats.forecast_s > 0
                ? `At least ${formatDuration(stats.forecast_s)} left (the longest queue times its delay).`
                : "Nothing left to do."}
            </p>
          </>
        ) : (
          <Skeleton className="h-20" />
        )}
      </div>
    </Panel>
  );
}
