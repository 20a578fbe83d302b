import { getRouteApi, Link } from "@tanstack/react-router";
import type { Query, Schemas } from "../../api/client";
import { useList } from "../../api/queries";
import { formatBytes, formatCompact } from "../../format/numbers";
import { domainColumn } from "../../lists/columns";
import { CommonFilters, commonQuery } from "../../lists/common-filters";
import { SelectFilter, TextFilter } from "../../lists/filters";
import { hasFilters, type ListTableProps, pickFilters } from "../../lists/query";
import { Empty, Heading } from "../../ui/basics";
import { HttpStatus } from "../../ui/states";
import { type Column, Table } from "../../ui/table";
import { Time } from "../../ui/time";
import { Untrusted } from "../../ui/untrusted";

type Page = Schemas["Page"];
type ListQuery = Query<"/api/v1/pages">;

const route = getRouteApi("/app/pages");
const SORTS = [
  ["id", "First discovered"],
  ["-id", "Last discovered"],
  ["-first_fetched_at", "Last stored"],
  ["-fetched_at", "Last visited"],
  ["-changed_at", "Last changed"],
] as const;
const NEEDS_DOMAIN = ["-fetched_at", "-changed_at"];

const COLUMNS: readonly Column<Page>[] = [
  {
    key: "title",
    title: "Page",
    width: "minmax(10rem,3fr)",
    cell: (row) => (
      <Link to="/pages/$id" params={{ id: String(row.id) }} className="hover:underline" title={row.url}>
        <Untrusted text={row.title || "(no title)"} className="font-medium" />{" "}
        <Untrusted text={row.url} className="ml-1 font-mono text-[0.88em] text-faint" />
      </Link>
    ),
  },
  domainColumn(),
  {
    key: "status",
    title: "Status",
    width: "3.5rem",
    isNumber: true,
    cell: (row) => <HttpStatus status={row.status} />,
  },
  {
    key: "type",
    title: "Type",
    width: "6rem",
    from: "md",
    cell: (row) => <Untrusted text={row.content_type ?? "–"} className="text-quiet" />,
  },
  {
    key: "language",
    title: "Lang",
    width: "3.5rem",
    from: "lg",
    cell: (row) => <Untrusted text={row.language ?? "–"} className="text-quiet" />,
  },
  {
    key: "size",
    title: "Size",
    width: "5rem",
    isNumber: true,
    from: "sm",
    cell: (row) => formatBytes(row.body_bytes),
  },
  {
    key: "links",
    title: "Links",
    width: "3.5rem",
    isNumber: true,
    from: "md",
    cell: (row) => formatCompact(row.links_count),
  },
  {
    key: "fetched",
    title: "Visited",
    width: "6rem",
    isNumber: true,
    from: "sm",
    cell: (row) => <Time at={row.fetched_at} />,
  },
];

export function Pages() {
  const search = route.useSearch();
  const { domain = "", status = "", type = "", q = "", sort = "id", fate = "" } = search;
  const sorts = SORTS.filter(([key]) => domain || !NEEDS_DOMAIN.includes(key));
  const query = {
    sort: sorts.some(([key]) => key === sort) ? sort : "id",
    ...pickFilters(search, "domain", "language", "q", "fate"),
    ...(/^\d{3}$/.test(status) ? { status: Number(status) } : {}),
    ...(type ? { content_type: type } : {}),
    ...commonQuery(search),
  } as ListQuery;
  return (
    <>
      <Heading title="Pages">
        <TextFilter name="q" label="Title or URL contains" value={q} className="w-48 max-sm:w-full" />
        <TextFilter name="domain" label="Domain" value={domain} className="w-40 max-sm:grow" />
        <TextFilter name="type" label="Type" value={type} className="w-28 max-sm:w-24" />
        <TextFilter name="status" label="Status" value={status} className="w-22" inputMode="numeric" />
        <SelectFilter
          name="fate"
          label="Fate"
          value={fate}
          options={["fetched", "duplicate", "retrying", "dead"]}
          any="Any fate"
        />
        <CommonFilters given={search} date="Visited" />
        <SelectFilter name="sort" label="Sort" value={query.sort ?? "id"} options={sorts} />
      </Heading>
      <PageTable query={query} isFiltered={hasFilters(query)} />
    </>
  );
}

export function PagesOf({ domain }: { domain: string }) {
  return <PageTable query={{ domain, sort: "-fetched_at" }} />;
}

function PageTable({ query, isFiltered }: ListTableProps<ListQuery>) {
  const list = useList("/api/v1/pages", { query, every_ms: 5000 });
  return (
    <Table
      noun="pages"
      columns={COLUMNS}
      list={list}
      keyOf={(row) => row.id}
      isFiltered={isFiltered}
      empty={<Empty title="No pages yet">Pages appear here as they are fetched.</Empty>}
    />
  );
}
