import { getRouteApi } from "@tanstack/react-router";
import type { Query, Schemas } from "../../api/client";
import { useList } from "../../api/queries";
import { formatBytes } from "../../format/numbers";
import { domainColumn } from "../../lists/columns";
import { CommonFilters, commonQuery } from "../../lists/common-filters";
import { SelectFilter, TextFilter } from "../../lists/filters";
import { hasFilters, pickFilters } from "../../lists/query";
import { Empty, Heading } from "../../ui/basics";
import { State } from "../../ui/states";
import { type Column, Table } from "../../ui/table";
import { Time } from "../../ui/time";
import { ExplainLink, Untrusted } from "../../ui/untrusted";

type Change = Schemas["Change"];
type ListQuery = Query<"/api/v1/changes">;

const route = getRouteApi("/app/changes");

const COLUMNS: readonly Column<Change>[] = [
  { key: "at", title: "Time", width: "6rem", cell: (row) => <Time at={row.at} /> },
  { key: "kind", title: "Change", width: "6rem", cell: (row) => <State state={row.kind} /> },
  {
    key: "url",
    title: "Page",
    width: "minmax(9rem,3fr)",
    cell: (row) => (
      <>
        {row.title && <Untrusted text={row.title} className="mr-2 font-medium" />}
        <ExplainLink url={row.url} className="text-quiet" />
      </>
    ),
  },
  domainColumn(),
  {
    key: "size",
    title: "Size",
    width: "9rem",
    isNumber: true,
    from: "sm",
    cell: (row) =>
      [row.old_bytes, row.new_bytes]
        .filter((each) => each !== null)
        .map(formatBytes)
        .join(" → "),
  },
  {
    key: "hash",
    title: "Text hash",
    width: "11rem",
    from: "xl",
    cell: (row) => (
      <span className="font-mono text-xs text-quiet">
        {[row.old_hash, row.new_hash]
          .filter((each) => each !== null)
          .map((each) => each.slice(0, 8))
          .join(" → ")}
      </span>
    ),
  },
];

export function Changes() {
  const search = route.useSearch();
  const { kind = "", domain = "" } = search;
  const query = {
    ...(kind ? { kind: [kind] } : {}),
    ...pickFilters(search, "domain"),
    ...commonQuery(search),
  } as ListQuery;
  const list = useList("/api/v1/changes", { query, every_ms: 5000 });
  return (
    <>
      <Heading title="Changes">
        <TextFilter name="domain" label="Domain" value={domain} className="w-44 max-sm:grow" />
        <SelectFilter
          name="kind"
          label="Change"
          value={kind}
          options={["new", "changed", "gone"]}
          any="All changes"
        />
        <CommonFilters given={search} date="Detected" />
      </Heading>
      <Table
        noun="changes"
        label="Page changes"
        columns={COLUMNS}
        list={list}
        keyOf={(row, index) => `${row.at}${row.url}${index}`}
        isFiltered={hasFilters(query)}
        empty={
          <Empty title="No changes yet">
            New, changed and removed pages appear here as visits find them.
          </Empty>
        }
      />
    </>
  );
}
