import { getRouteApi } from "@tanstack/react-router";
import type { Query, Schemas } from "../../api/client";
import { useList } from "../../api/queries";
import { words } from "../../format/text";
import { domainColumn } from "../../lists/columns";
import { CommonFilters, commonQuery } from "../../lists/common-filters";
import { FATES } from "../../lists/fates";
import { SelectFilter, TextFilter } from "../../lists/filters";
import { hasFilters, pickFilters } from "../../lists/query";
import { Empty, Heading } from "../../ui/basics";
import { HttpStatus, State } from "../../ui/states";
import { type Column, Table } from "../../ui/table";
import { Time } from "../../ui/time";
import { ExplainLink, Untrusted } from "../../ui/untrusted";
import { listReasons } from "./retries";
import { RetryMatching } from "./retry-actions";

type Url = Schemas["Url"];
type ListQuery = Query<"/api/v1/urls">;

const route = getRouteApi("/app/urls");

const COLUMNS: readonly Column<Url>[] = [
  { key: "url", title: "URL", width: "minmax(9rem,3fr)", cell: (row) => <ExplainLink url={row.url} /> },
  domainColumn(),
  { key: "fate", title: "Fate", width: "7.2rem", cell: (row) => <State state={row.fate} /> },
  {
    key: "reason",
    title: "Reason",
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

export function Urls() {
  const search = route.useSearch();
  const { domain = "", fate = "", reason = "", q = "" } = search;
  const query = {
    ...pickFilters(search, "domain", "fate", "reason", "q"),
    ...commonQuery(search),
  } as ListQuery;
  const list = useList("/api/v1/urls", { query, every_ms: 5000 });
  return (
    <>
      <Heading title="URLs">
        <TextFilter name="q" label="URL contains" value={q} className="w-48 max-sm:w-full" />
        <TextFilter name="domain" label="Domain" value={domain} className="w-40 max-sm:grow" />
        <SelectFilter name="fate" label="Fate" value={fate} options={FATES} any="Any fate" />
        <CommonFilters given={search} date="Found" />
        {(["dead", "rejected", "gone"].includes(fate) || reason) && (
          <SelectFilter
            name="reason"
            label="Reason"
            value={reason}
            options={listReasons(fate, reason).map((each) => [each, words(each)] as const)}
            any="Any reason"
          />
        )}
        <RetryMatching domain={domain} fate={fate} reason={reason} q={q} />
      </Heading>
      <Table
        noun="URLs"
        columns={COLUMNS}
        list={list}
        keyOf={(row) => row.id}
        isFiltered={hasFilters(query)}
        empty={<Empty title="No URLs yet">Every URL that was ever seen is listed here with its fate.</Empty>}
      />
    </>
  );
}
