import { getRouteApi, Link } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Query } from "../../api/client";
import { useApi, useList } from "../../api/queries";
import { useRole } from "../../api/session";
import { formatCount } from "../../format/numbers";
import { formatDuration } from "../../format/times";
import { actionsColumn } from "../../lists/columns";
import { SelectFilter } from "../../lists/filters";
import { hasFilters, type ListTableProps, pickFilters, pickNumber } from "../../lists/query";
import { useFilter } from "../../lists/use-filter";
import { buttonClass, Empty, Heading } from "../../ui/basics";
import { State } from "../../ui/states";
import { type Column, Table } from "../../ui/table";
import { Time } from "../../ui/time";
import { Untrusted } from "../../ui/untrusted";
import { SourceLink, type SourceNames, useSourceNames } from "../sources/source-links";
import { SourceIdFilter } from "../sources/source-select";
import { JobActions, JobMenu } from "./job-actions";
import { JOB_MEANINGS, JOB_STATES, type Job, measureIntervals } from "./job-states";
import { describeInterval } from "./schedule-draft";

type ListQuery = Query<"/api/v1/jobs">;

const route = getRouteApi("/app/jobs");

function columnsOf(names: SourceNames): readonly Column<Job>[] {
  return [
    {
      key: "id",
      title: "Job",
      width: "3.5rem",
      cell: (row) => (
        <Link to="/jobs/$id" params={{ id: String(row.id) }} className="font-medium hover:underline">
          Job {row.id}
        </Link>
      ),
    },
    {
      key: "source",
      title: "Source",
      width: "minmax(3.5rem,1.5fr)",
      cell: (row) => <SourceLink id={row.source_id} names={names} />,
    },
    {
      key: "state",
      title: "State",
      width: "6.25rem",
      cell: (row) => <State state={row.status} meanings={JOB_MEANINGS} />,
    },
    {
      key: "interval",
      title: "Runs",
      width: "minmax(8rem,1fr)",
      from: "md",
      cell: (row) => <Interval job={row} />,
    },
    {
      key: "error",
      title: "Details",
      width: "minmax(6rem,1.4fr)",
      from: "xl",
      cell: (row) => row.last_error && <Untrusted text={row.last_error} className="text-quiet" />,
    },
    {
      key: "priority",
      title: "Priority",
      width: "4.5rem",
      isNumber: true,
      sort: "priority",
      from: "lg",
      cell: (row) => row.priority,
    },
    {
      key: "next",
      title: "Next run",
      width: "5.5rem",
      isNumber: true,
      sort: "next_run_at",
      from: "sm",
      cell: (row) => <Time at={row.next_run_at} />,
    },
  ];
}

export function Interval({ job }: { job: Job }) {
  const intervals = measureIntervals(job);
  if (intervals === null || job.interval_minutes === null) return <span className="text-quiet">once</span>;
  const isSlower = intervals.now_s > intervals.configured_s;
  return (
    <span
      title={isSlower ? `The start page was unchanged ${job.unchanged_count} times in a row.` : undefined}
    >
      {describeInterval(job.interval_minutes, job.interval_type)}
      {isSlower && <span className="text-quiet"> (now {formatDuration(intervals.now_s)})</span>}
    </span>
  );
}

const ACTION_COLUMNS: readonly Column<Job>[] = [
  actionsColumn(
    "14rem",
    (row) => (
      <span className="flex justify-end gap-1.5">
        <JobActions id={row.id} state={row.status} isSmall />
      </span>
    ),
    { key: "actions", from: "lg" },
  ),
  actionsColumn("3.1rem", (row) => <JobMenu id={row.id} state={row.status} />, { key: "menu", below: "lg" }),
];

export function Jobs() {
  const { status = "", source = "", sort = "-id" } = route.useSearch();
  const { isAdmin } = useRole();
  const set = useFilter();
  const { data: counts } = useApi("/api/v1/jobs/status-counts", { every_ms: 5000 });
  const states = JOB_STATES.map(
    (each) => [each, `${each}${counts ? ` (${formatCount(counts[each])})` : ""}`] as const,
  );
  const query = {
    sort,
    ...pickFilters({ status }, "status"),
    ...pickNumber("source_id", source),
  } as ListQuery;
  return (
    <>
      <Heading title="Jobs">
        <SelectFilter name="status" label="State" value={status} options={states} any="Any state" />
        <SourceIdFilter value={source} />
        {isAdmin && (
          <Link to="/jobs/new" className={buttonClass("primary")}>
            Add job
          </Link>
        )}
      </Heading>
      <JobTable query={query} isFiltered={hasFilters(query)} sort={sort} onSort={set("sort")} />
    </>
  );
}

export function JobTable({ query, isFiltered, sort, onSort }: ListTableProps<ListQuery>) {
  const { isAdmin } = useRole();
  const names = useSourceNames();
  const list = useList("/api/v1/jobs", { query, every_ms: 3000 });
  const columns = useMemo(
    () => (isAdmin ? [...columnsOf(names), ...ACTION_COLUMNS] : columnsOf(names)),
    [names, isAdmin],
  );
  return (
    <Table
      noun="jobs"
      columns={columns}
      list={list}
      keyOf={(row) => row.id}
      sort={sort}
      onSort={onSort}
      isFiltered={isFiltered}
      empty={
        <Empty title="No jobs yet">
          Each enabled{" "}
          <Link to="/sources" className="text-accent underline">
            source
          </Link>{" "}
          has a job of its own. Administrators can add more.
        </Empty>
      }
    />
  );
}
