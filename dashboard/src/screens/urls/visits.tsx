import { getRouteApi, Link } from "@tanstack/react-router";
import type { Query, Schemas } from "../../api/client";
import { useList } from "../../api/queries";
import { formatBytes } from "../../format/numbers";
import { words } from "../../format/text";
import { formatDuration } from "../../format/times";
import { domainColumn } from "../../lists/columns";
import { CommonFilters, commonQuery } from "../../lists/common-filters";
import { SelectFilter, TextFilter } from "../../lists/filters";
import { hasFilters, type ListTableProps, pickFilters } from "../../lists/query";
import { Empty, Heading } from "../../ui/basics";
import { HttpStatus, State } from "../../ui/states";
import { type Column, Table } from "../../ui/table";
import { Time } from "../../ui/time";
import { ExplainLink, Untrusted } from "../../ui/untrusted";

type Visit = Schemas["Visit"];
type ListQuery = Query<"/api/v1/visits">;

const route = getRouteApi("/app/visits");
const OUTCOMES: readonly Schemas["VisitOutcome"][] = [
  "fetched",
  "read",
  "unchanged",
  "redirected",
  "skipped",
  "gone",
  "rejected",
  "refused",
  "failed",
];

const COLUMNS: readonly Column<Visit>[] = [
  { key: "at", title: "Time", width: "5.5rem", cell: (row) => <Time at={row.at} /> },
  {
    key: "url",
    title: "URL",
    width: "minmax(8rem,3fr)",
    cell: (row) => (row.url ? <ExplainLink url={row.url} /> : <span className="text-quiet">robots.txt</span>),
  },
  domainColumn(),
  { key: "outcome", title: "Outcome", width: "7rem", cell: (row) => <State state={row.outcome} /> },
  {
    key: "status",
    title: "Status",
    width: "3.5rem",
    isNumber: true,
    from: "sm",
    cell: (row) => <HttpStatus status={row.status} />,
  },
  {
    key: "took",
    title: "Duration",
    width: "4.5rem",
    isNumber: true,
    from: "sm",
    cell: (row) => formatDuration(row.duration_s),
  },
  {
    key: "bytes",
    title: "Size",
    width: "5rem",
    isNumber: true,
    from: "md",
    cell: (row) => formatBytes(row.wire_bytes),
  },
  {
    key: "error",
    title: "Error",
    width: "minmax(6rem,1.2fr)",
    from: "lg",
    cell: (row) =>
      row.error_kind && (
        <span className="text-bad" title={row.error_detail ?? undefined}>
          {words(row.error_kind)} <Untrusted text={row.error_detail ?? ""} className="text-quiet" />
        </span>
      ),
  },
  {
    key: "run",
    title: "Run",
    width: "3rem",
    isNumber: true,
    from: "xl",
    cell: (row) => (
      <Link to="/runs/$id" params={{ id: String(row.run_id) }} className="hover:underline">
        {row.run_id}
      </Link>
    ),
  },
];

export function Visits() {
  const search = route.useSearch();
  const { domain = "", outcome = "", status = "" } = search;
  const query = {
    ...commonQuery(search),
    ...pickFilters(search, "domain", "outcome", "error_kind"),
    ...(/^\d{3}$/.test(status) ? { status: Number(status) } : {}),
  } as ListQuery;
  return (
    <>
      <Heading title="Visits">
        <TextFilter name="domain" label="Domain" value={domain} className="w-44 max-sm:grow" />
        <TextFilter name="status" label="Status" value={status} className="w-24" inputMode="numeric" />
        <SelectFilter name="outcome" label="Outcome" value={outcome} options={OUTCOMES} any="Any outcome" />
        <CommonFilters given={search} date="Visited" />
      </Heading>
      <VisitTable query={query} isFiltered={hasFilters(query)} />
    </>
  );
}

export function VisitsOf({ domain }: { domain: string }) {
  return <VisitTable query={{ domain }} />;
}

export function VisitTable({ query, isFiltered }: ListTableProps<ListQuery>) {
  const list = useList("/api/v1/visits", { query, every_ms: 5000 });
  return (
    <Table
      noun="visits"
      columns={COLUMNS}
      list={list}
      keyOf={(row) => row.id}
      isFiltered={isFiltered}
      empty={<Empty title="No visits yet">Every request is listed here.</Empty>}
    />
  );
}
