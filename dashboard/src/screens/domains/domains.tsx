import { getRouteApi } from "@tanstack/react-router";
import type { Query, Schemas } from "../../api/client";
import { useList } from "../../api/queries";
import { formatBytes, formatCompact, formatPercent } from "../../format/numbers";
import { CommonFilters, commonQuery } from "../../lists/common-filters";
import { SelectFilter, TextFilter } from "../../lists/filters";
import { hasFilters, pickFilters } from "../../lists/query";
import { useFilter } from "../../lists/use-filter";
import { Empty, Heading } from "../../ui/basics";
import { Meter } from "../../ui/meter";
import { State } from "../../ui/states";
import { type Column, Table } from "../../ui/table";
import { Time } from "../../ui/time";
import { DomainLink } from "../../ui/untrusted";

type Domain = Schemas["Domain"];
type ListQuery = Query<"/api/v1/domains">;

const route = getRouteApi("/app/domains");
const STATES: readonly Schemas["DomainStatus"][] = [
  "pending",
  "active",
  "exhausted",
  "blocked",
  "unreachable",
];

const INACTIVE = "inactive"; // a rule set by a user, independent of the state

const COLUMNS: readonly Column<Domain>[] = [
  {
    key: "name",
    title: "Domain",
    width: "minmax(9rem,2fr)",
    sort: "name",
    cell: (row) => <DomainLink name={row.name} className="font-medium" />,
  },
  {
    key: "status",
    title: "State",
    width: "7.5rem",
    cell: (row) => <State state={row.rules.is_active ? row.status : INACTIVE} />,
  },
  {
    key: "progress",
    title: "Progress",
    width: "8.5rem",
    from: "sm",
    cell: (row) => <Meter part={row.urls - row.queued} whole={row.urls} label="URLs done" />,
  },
  {
    key: "urls",
    title: "Known",
    width: "5rem",
    isNumber: true,
    sort: "-urls",
    from: "sm",
    cell: (row) => formatCompact(row.urls),
  },
  {
    key: "pages",
    title: "Pages",
    width: "5rem",
    isNumber: true,
    sort: "-pages",
    from: "sm",
    cell: (row) => formatCompact(row.pages),
  },
  {
    key: "queued",
    title: "Queued",
    width: "5rem",
    isNumber: true,
    sort: "-queued",
    from: "md",
    cell: (row) => formatCompact(row.queued),
  },
  {
    key: "yield",
    title: "Yield",
    width: "5rem",
    isNumber: true,
    from: "lg",
    cell: (row) => (row.requests > 0 ? formatPercent(row.pages / row.requests) : "–"),
  },
  {
    key: "errors",
    title: "Errors",
    width: "4.5rem",
    isNumber: true,
    sort: "-errors",
    from: "md",
    cell: (row) => (
      <span className={row.errors > 0 ? "text-bad" : "text-faint"}>{formatCompact(row.errors)}</span>
    ),
  },
  {
    key: "bytes",
    title: "Traffic",
    width: "5.5rem",
    isNumber: true,
    from: "xl",
    cell: (row) => formatBytes(row.wire_bytes),
  },
  {
    key: "visit",
    title: "Last visit",
    width: "6.5rem",
    isNumber: true,
    sort: "-last_crawled_at",
    from: "md",
    cell: (row) => <Time at={row.last_crawled_at} />,
  },
];

export function Domains() {
  const search = route.useSearch();
  const { status = "", site = "", q = "", sort = "-urls" } = search;
  const set = useFilter();
  const query = {
    sort,
    ...(status === INACTIVE ? { active: false } : status ? { status } : {}),
    ...pickFilters(search, "site", "q"),
    ...commonQuery(search),
  } as ListQuery;
  const list = useList("/api/v1/domains", { query, every_ms: 5000 });
  return (
    <>
      <Heading title="Domains">
        <TextFilter name="q" label="Name contains" value={q} className="w-48 max-sm:grow" />
        <TextFilter name="site" label="Site" value={site} className="w-40 max-sm:grow" />
        <SelectFilter
          name="status"
          label="State"
          value={status}
          options={[...STATES, INACTIVE]}
          any="Any state"
        />
        <CommonFilters given={search} date="Found" />
      </Heading>
      <Table
        noun="domains"
        columns={COLUMNS}
        list={list}
        keyOf={(row) => row.name}
        sort={sort}
        onSort={set("sort")}
        isFiltered={hasFilters(query)}
        empty={<Empty title="No domains yet">Start a crawl to add the domains of its seeds.</Empty>}
      />
    </>
  );
}
