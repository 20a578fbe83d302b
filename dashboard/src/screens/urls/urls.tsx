import { getRouteApi } from "@tanstack/react-router";
import type { Query, Schemas } from "../../api/client";
import { useList } from "../../api/queries";
import { words } from "../../format/text";
import { CommonFilters, commonQuery, FATES } from "../../lists/common-filters";
import { useFilter } from "../../lists/use-filter";
import { Empty, Heading } from "../../ui/basics";
import { Select, TextFilter } from "../../ui/forms";
import { HttpStatus, State } from "../../ui/states";
import { type Column, Table } from "../../ui/table";
import { Time } from "../../ui/time";
import { DomainLink, ExplainLink, Untrusted } from "../../ui/untrusted";
import { REASONS } from "./retries";
import { RetryMatching } from "./retry-actions";

type Url = Schemas["Url"];
type ListQuery = Query<"/api/v1/urls">;

const route = getRouteApi("/app/urls");

const COLUMNS: readonly Column<Url>[] = [
  { key: "url", title: "URL", width: "minmax(9rem,3fr)", cell: (row) => <ExplainLink url={row.url} /> },
  {
    key: "domain",
    title: "Domain",
    width: "minmax(6rem,1fr)",
    from: "lg",
    cell: (row) => <DomainLink name={row.domain} />,
  },
  { key: "fate", title: "Fate", width: "7.2rem", cell: (row) => <State state={row.fate} /> },
  {
    key: "reason",
    title: "Why",
    width: "minmax(6rem,1.2fr)",
    from: "md",
    cell: (row) => (
      <span className="text-quiet">
        {row.reason ? words(row.reason) : ""} <Untrusted text={row.to_url ?? row.detail ?? ""} />
      </span>
    ),
  },
  {
    key: "status",
    title: "Status",
    width: "3.5rem",
    isNumber: true,
    from: "md",
    cell: (row) => (row.status === null ? "–" : <HttpStatus status={row.status} />),
  },
  { key: "depth", title: "Depth", width: "3.5rem", isNumber: true, from: "lg", cell: (row) => row.depth },
  {
    key: "found",
    title: "Found",
    width: "6rem",
    isNumber: true,
    from: "sm",
    cell: (row) => <Time at={row.discovered_at} />,
  },
];

/** Those that urls are given up for, and the one that an address brings along. */
function listReasons(reason: string) {
  const known = new Set<string>(reason ? [...REASONS, reason] : REASONS);
  return [...known].map((each) => [each, words(each)] as const);
}

export function Urls() {
  const search = route.useSearch();
  const { domain = "", fate = "", reason = "", q = "" } = search;
  const set = useFilter();
  const query = {
    ...(domain ? { domain } : {}),
    ...(fate ? { fate } : {}),
    ...(reason ? { reason } : {}),
    ...(q ? { q } : {}),
    ...commonQuery(search),
  } as ListQuery;
  const list = useList("/api/v1/urls", { query, every_ms: 5000 });
  return (
    <>
      <Heading title="URLs">
        <TextFilter label="URL holds" value={q} onChange={set("q")} className="w-48 max-sm:w-full" />
        <TextFilter label="Domain" value={domain} onChange={set("domain")} className="w-40 max-sm:flex-1" />
        <Select label="Fate" value={fate} options={FATES} any="Any fate" onChange={set("fate")} />
        <CommonFilters given={search} date="Found" />
        {(fate === "dead" || reason) && (
          <Select
            label="Reason"
            value={reason}
            options={listReasons(reason)}
            any="Any reason"
            onChange={set("reason")}
          />
        )}
        <RetryMatching domain={domain} fate={fate} reason={reason} q={q} />
      </Heading>
      <Table
        label="URLs"
        className="min-h-[24rem] flex-1"
        columns={COLUMNS}
        list={list}
        keyOf={(row) => row.id}
        empty={<Empty title="No URL is like that">Every URL ever seen is listed here, with its fate.</Empty>}
      />
    </>
  );
}
