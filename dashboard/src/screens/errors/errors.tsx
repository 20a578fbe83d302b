import { getRouteApi, Link } from "@tanstack/react-router";
import type { Query, Schemas } from "../../api/client";
import { useList } from "../../api/queries";
import { formatCount } from "../../format/numbers";
import { words } from "../../format/text";
import { domainColumn } from "../../lists/columns";
import { CommonFilters, commonQuery } from "../../lists/common-filters";
import { SelectFilter, TextFilter } from "../../lists/filters";
import { hasFilters, type ListTableProps, pickFilters } from "../../lists/query";
import { useFilter } from "../../lists/use-filter";
import { Badge, Empty, Heading } from "../../ui/basics";
import { type Column, Table } from "../../ui/table";
import { Tabs } from "../../ui/tabs";
import { Time } from "../../ui/time";
import { ExplainLink, Untrusted } from "../../ui/untrusted";

type CrawlError = Schemas["CrawlError"];
type Group = Schemas["ErrorGroup"];
type Category = Schemas["ErrorCategory"];
type ListQuery = Query<"/api/v1/errors">;

const route = getRouteApi("/app/errors");
const TABS = [
  ["groups", "Groups"],
  ["all", "All errors"],
] as const;
const CATEGORIES: readonly Category[] = ["network", "parse", "validation", "handler"];

export function CategoryBadge({ category }: { category: Category }) {
  return <Badge tone={category === "network" ? "warn" : "bad"}>{words(category)}</Badge>;
}

export function Errors() {
  const search = route.useSearch();
  const { tab = "groups", category = "", parser = "", domain = "" } = search;
  const isAll = tab === "all";
  return (
    <>
      <Heading title="Errors">
        <SelectFilter
          name="category"
          label="Category"
          value={category}
          options={CATEGORIES}
          any="All categories"
        />
        <TextFilter name="parser" label="Parser" value={parser} className="w-32" />
        {isAll && <TextFilter name="domain" label="Domain" value={domain} className="w-40 max-sm:grow" />}
        <CommonFilters given={search} date="Seen" hasRun={isAll} />
      </Heading>
      <Tabs tabs={TABS} current={tab} label="Groups of errors, and all errors" />
      {isAll ? <ErrorList /> : <GroupList />}
    </>
  );
}

const GROUP_COLUMNS: readonly Column<Group>[] = [
  {
    key: "count",
    title: "Count",
    width: "5rem",
    isNumber: true,
    sort: "-count",
    cell: (row) => formatCount(row.count),
  },
  {
    key: "category",
    title: "Category",
    width: "6.5rem",
    from: "sm",
    cell: (row) => <CategoryBadge category={row.category} />,
  },
  {
    key: "error",
    title: "Error",
    width: "minmax(10rem,3fr)",
    cell: (row) => (
      <Link to="/errors" search={{ tab: "all", fingerprint: row.fingerprint }} className="hover:underline">
        <Untrusted text={row.type} className="mr-2 font-medium" />
        <Untrusted text={row.message} className="text-quiet" />
      </Link>
    ),
  },
  {
    key: "parser",
    title: "Parser",
    width: "8rem",
    from: "lg",
    cell: (row) => row.parser && <Untrusted text={row.parser} className="text-quiet" />,
  },
  {
    key: "example",
    title: "Example",
    width: "5.5rem",
    from: "md",
    cell: (row) => (
      <Link
        to="/errors/$id"
        params={{ id: String(row.last_error_id) }}
        className="text-accent hover:underline"
      >
        Newest
      </Link>
    ),
  },
  { key: "first", title: "First seen", width: "6rem", from: "xl", cell: (row) => <Time at={row.first_at} /> },
  {
    key: "last",
    title: "Last seen",
    width: "6rem",
    sort: "-last_at",
    cell: (row) => <Time at={row.last_at} />,
  },
];

function GroupList() {
  const search = route.useSearch();
  const { sort = "-last_at" } = search;
  const set = useFilter();
  const { source = "", since = "", until = "" } = search;
  const query = {
    ...pickFilters(search, "category", "parser"),
    ...commonQuery({ source, since, until }),
  } as Query<"/api/v1/errors/groups">;
  const list = useList("/api/v1/errors/groups", {
    query: { ...query, sort: sort as "-last_at" | "-count" },
    every_ms: 5000,
  });
  return (
    <Table
      noun="groups of errors"
      columns={GROUP_COLUMNS}
      list={list}
      keyOf={(row) => `${row.source_id} ${row.fingerprint}`}
      isFiltered={hasFilters(query ?? {})}
      sort={sort}
      onSort={set("sort")}
      empty={<Empty title="No errors" />}
    />
  );
}

const COLUMNS: readonly Column<CrawlError>[] = [
  { key: "at", title: "Time", width: "6rem", cell: (row) => <Time at={row.at} /> },
  {
    key: "category",
    title: "Category",
    width: "6.5rem",
    from: "sm",
    cell: (row) => <CategoryBadge category={row.category} />,
  },
  {
    key: "error",
    title: "Error",
    width: "minmax(9rem,2fr)",
    cell: (row) => (
      <Link to="/errors/$id" params={{ id: String(row.id) }} className="hover:underline">
        <Untrusted text={row.type} className="mr-2 font-medium" />
        <Untrusted text={row.message} className="text-quiet" />
      </Link>
    ),
  },
  {
    key: "url",
    title: "URL",
    width: "minmax(8rem,2fr)",
    from: "md",
    cell: (row) => row.url && <ExplainLink url={row.url} />,
  },
  domainColumn("xl"),
  {
    key: "parser",
    title: "Parser",
    width: "8rem",
    from: "lg",
    cell: (row) => row.parser && <Untrusted text={row.parser} className="text-quiet" />,
  },
];

function ErrorList() {
  const search = route.useSearch();
  const query = {
    ...pickFilters(search, "category", "parser", "domain", "fingerprint"),
    ...commonQuery(search),
  } as ListQuery;
  return <ErrorTable query={query} isFiltered={hasFilters(query ?? {})} />;
}

/** Also shown for one run. */
export function ErrorTable({ query, isFiltered = false }: ListTableProps<ListQuery>) {
  const list = useList("/api/v1/errors", { query, every_ms: 5000 });
  return (
    <Table
      noun="errors"
      columns={COLUMNS}
      list={list}
      keyOf={(row) => row.id}
      isFiltered={isFiltered}
      empty={<Empty title="No errors" />}
    />
  );
}
