import { getRouteApi, Link } from "@tanstack/react-router";
import type { Query, Schemas } from "../../api/client";
import { useList } from "../../api/queries";
import { useRole } from "../../api/session";
import { formatBytes, formatCount } from "../../format/numbers";
import { formatDuration } from "../../format/times";
import { CommonFilters, commonQuery } from "../../lists/common-filters";
import { SelectFilter } from "../../lists/filters";
import { hasFilters, pickFilters } from "../../lists/query";
import { buttonClass, Empty, Heading } from "../../ui/basics";
import { State } from "../../ui/states";
import { type Column, Table } from "../../ui/table";
import { Time } from "../../ui/time";
import { RunOwner } from "../sources/source-links";

type Run = Schemas["Run"];
type ListQuery = Query<"/api/v1/runs">;

const route = getRouteApi("/app/runs");
const STATES: readonly Schemas["RunState"][] = ["running", "paused", "done", "budget", "stopped", "failed"];

const COLUMNS: readonly Column<Run>[] = [
  {
    key: "id",
    title: "Run",
    width: "minmax(4rem,1fr)",
    cell: (row) => (
      <Link to="/runs/$id" params={{ id: String(row.id) }} className="font-medium hover:underline">
        Run {row.id}
      </Link>
    ),
  },
  {
    key: "source",
    title: "Source",
    width: "minmax(6rem,2fr)",
    from: "md",
    cell: (row) => <RunOwner run={row} />,
  },
  { key: "state", title: "State", width: "7rem", cell: (row) => <State state={row.state} /> },
  { key: "pages", title: "Pages", width: "5.5rem", isNumber: true, cell: (row) => formatCount(row.pages) },
  {
    key: "requests",
    title: "Requests",
    width: "6rem",
    isNumber: true,
    from: "sm",
    cell: (row) => formatCount(row.requests),
  },
  {
    key: "bytes",
    title: "Traffic",
    width: "6rem",
    isNumber: true,
    from: "md",
    cell: (row) => formatBytes(row.wire_bytes),
  },
  {
    key: "took",
    title: "Duration",
    width: "7rem",
    isNumber: true,
    from: "md",
    cell: (row) => formatDuration(spanOf(row)),
  },
  {
    key: "started",
    title: "Started",
    width: "6.5rem",
    isNumber: true,
    cell: (row) => <Time at={row.started_at} />,
  },
];

export function spanOf(run: { started_at: string; ended_at: string | null; last_sign_at: string }): number {
  return Math.max(0, (Date.parse(run.ended_at ?? run.last_sign_at) - Date.parse(run.started_at)) / 1000);
}

export function Runs() {
  const search = route.useSearch();
  const { state = "" } = search;
  const { isAdmin } = useRole();
  const query = { ...pickFilters(search, "state"), ...commonQuery(search) } as ListQuery;
  const list = useList("/api/v1/runs", { query, every_ms: 5000 });
  return (
    <>
      <Heading title="Runs">
        <SelectFilter name="state" label="State" value={state} options={STATES} any="Any state" />
        <CommonFilters given={search} date="Started" hasRun={false} />
        {isAdmin && (
          <Link to="/crawl" className={buttonClass("primary")}>
            Start crawl
          </Link>
        )}
      </Heading>
      <Table
        noun="runs"
        columns={COLUMNS}
        list={list}
        keyOf={(row) => row.id}
        isFiltered={hasFilters(query)}
        empty={
          <Empty title="No runs yet">
            {isAdmin ? (
              <>
                <Link to="/crawl" className="text-accent underline">
                  Start crawl
                </Link>
                , and watch it here.
              </>
            ) : (
              "An administrator can start a crawl."
            )}
          </Empty>
        }
      />
    </>
  );
}
