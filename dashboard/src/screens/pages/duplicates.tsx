import { getRouteApi, Link } from "@tanstack/react-router";
import type { Query, Schemas } from "../../api/client";
import { useList } from "../../api/queries";
import { formatCount } from "../../format/numbers";
import { domainColumn } from "../../lists/columns";
import { SelectFilter, TextFilter } from "../../lists/filters";
import { hasFilters, pickFilters } from "../../lists/query";
import { Empty, Heading } from "../../ui/basics";
import { type Column, Table } from "../../ui/table";
import { Untrusted } from "../../ui/untrusted";

type Cluster = Schemas["DuplicateCluster"];
type ListQuery = Query<"/api/v1/duplicates">;

const route = getRouteApi("/app/duplicates");

const COLUMNS: readonly Column<Cluster>[] = [
  {
    key: "url",
    title: "Original",
    width: "minmax(9rem,2fr)",
    cell: (row) => (
      <>
        {row.title && <Untrusted text={row.title} className="mr-2 font-medium" />}
        <PageLink id={row.id} url={row.url} />
      </>
    ),
  },
  domainColumn(),
  {
    key: "exact",
    title: "Same text",
    width: "6rem",
    isNumber: true,
    cell: (row) => formatCount(row.exact),
  },
  {
    key: "near",
    title: "Near",
    width: "5rem",
    isNumber: true,
    cell: (row) => formatCount(row.near),
  },
  {
    key: "members",
    title: "Repeated by",
    width: "minmax(9rem,3fr)",
    from: "md",
    cell: (row) => <Members cluster={row} />,
  },
];

export function Duplicates() {
  const search = route.useSearch();
  const { kind = "", domain = "" } = search;
  const query = pickFilters(search, "kind", "domain", "source") as ListQuery;
  const list = useList("/api/v1/duplicates", { query });
  return (
    <>
      <Heading title="Duplicates">
        <TextFilter name="domain" label="Domain" value={domain} className="w-44 max-sm:grow" />
        <SelectFilter
          name="kind"
          label="Kind"
          value={kind}
          options={["exact", "near"]}
          any="All duplicates"
        />
      </Heading>
      <Table
        noun="clusters"
        label="Pages that others repeat"
        columns={COLUMNS}
        list={list}
        keyOf={(row) => row.id}
        isFiltered={hasFilters(query)}
        empty={<Empty title="No duplicates">No stored page repeats another.</Empty>}
      />
    </>
  );
}

function Members({ cluster }: { cluster: Cluster }) {
  const [first] = cluster.members;
  if (first === undefined) return null;
  const others = cluster.size - 2;
  return (
    <>
      <PageLink id={first.id} url={first.url} />
      {others > 0 && <span className="ml-2 text-quiet">and {formatCount(others)} more</span>}
    </>
  );
}

export function PageLink({ id, url }: { id: number; url: string }) {
  return (
    <Link to="/pages/$id" params={{ id: String(id) }} className="break-all hover:underline">
      <Untrusted text={url} />
    </Link>
  );
}

export function describeBits(bits: number | null): string {
  return bits === null ? "Not compared any more" : `${bits} of 64 bits of their fingerprints differ`;
}
