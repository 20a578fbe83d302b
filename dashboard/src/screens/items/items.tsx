import { getRouteApi, Link } from "@tanstack/react-router";
import type { Query, Schemas } from "../../api/client";
import { useList } from "../../api/queries";
import { reveal } from "../../format/text";
import { domainColumn } from "../../lists/columns";
import { CommonFilters, commonQuery } from "../../lists/common-filters";
import { SelectFilter, TextFilter } from "../../lists/filters";
import { hasFilters, type ListTableProps, pickFilters } from "../../lists/query";
import { Empty, Heading } from "../../ui/basics";
import { State } from "../../ui/states";
import { type Column, Table } from "../../ui/table";
import { Tabs } from "../../ui/tabs";
import { Time } from "../../ui/time";
import { ExplainLink, Untrusted } from "../../ui/untrusted";
import { RevisitItems } from "../urls/retry-actions";
import { pickComparison, summarize } from "./item-values";
import { KindFilter } from "./kind-filter";

type Item = Schemas["Item"];
type Invalid = Schemas["InvalidItem"];
type ListQuery = Query<"/api/v1/items">;

const route = getRouteApi("/app/items");
const TABS = [
  ["items", "Items"],
  ["invalid", "Invalid items"],
] as const;

const COLUMNS: readonly Column<Item>[] = [
  {
    key: "kind",
    title: "Kind",
    width: "7rem",
    from: "sm",
    cell: (row) => <Untrusted text={row.kind} className="text-quiet" />,
  },
  {
    key: "key",
    title: "Key",
    width: "minmax(9rem,1.5fr)",
    cell: (row) => (
      <Link to="/items/$id" params={{ id: String(row.id) }} className="font-medium hover:underline">
        <bdi>{reveal(row.key)}</bdi>
      </Link>
    ),
  },
  {
    key: "data",
    title: "Data",
    width: "minmax(8rem,3fr)",
    from: "md",
    cell: (row) => <Untrusted text={summarize(row.data)} className="text-quiet" />,
  },
  { key: "state", title: "State", width: "6.5rem", cell: (row) => <State state={row.state} /> },
  domainColumn("xl"),
  {
    key: "parser",
    title: "Parser",
    width: "8rem",
    from: "xl",
    cell: (row) => <Untrusted text={`${row.parser} ${row.parser_version}`} className="text-quiet" />,
  },
  {
    key: "changed",
    title: "Changed",
    width: "6rem",
    sort: "-changed_at",
    cell: (row) => <Time at={row.changed_at} />,
  },
];

export function Items() {
  const search = route.useSearch();
  const { tab = "items" } = search;
  return (
    <>
      <Heading title="Items">
        <KindFilter value={search.kind ?? ""} />
        <TextFilter name="domain" label="Domain" value={search.domain ?? ""} className="w-40 max-sm:grow" />
        {tab === "items" && <ItemFilters />}
        <CommonFilters given={search} date={tab === "items" ? "Changed" : "Found"} />
        <RevisitItems {...search} />
      </Heading>
      <Tabs tabs={TABS} current={tab} label="Items and invalid items" />
      {tab === "items" ? <ItemList /> : <InvalidList />}
    </>
  );
}

function ItemFilters() {
  const { q = "", where = "", state = "" } = route.useSearch();
  return (
    <>
      <TextFilter name="q" label="Text" value={q} className="w-36" />
      <TextFilter
        name="where"
        label="price>10"
        value={where}
        className="w-28"
        title="Compare a field, such as price.amount>10"
      />
      <SelectFilter name="state" label="State" value={state} options={["present", "gone"]} any="Any state" />
    </>
  );
}

function ItemList() {
  const search = route.useSearch();
  const query = {
    ...pickFilters(search, "kind", "domain", "q", "state", "parser"),
    ...pickComparison(search.where),
    ...commonQuery(search),
  } as ListQuery;
  return <ItemTable query={{ ...query, sort: "-changed_at" }} isFiltered={hasFilters(query)} />;
}

/** Also shown for one run and one URL. */
export function ItemTable({ query, isFiltered = false }: ListTableProps<ListQuery>) {
  const list = useList("/api/v1/items", { query, every_ms: 5000 });
  return (
    <Table
      noun="items"
      columns={COLUMNS}
      list={list}
      keyOf={(row) => row.id}
      isFiltered={isFiltered}
      sort={query?.sort ?? "id"}
      empty={<Empty title="No items yet">Items appear here when a crawl with parsers finds some.</Empty>}
    />
  );
}

const INVALID_COLUMNS: readonly Column<Invalid>[] = [
  { key: "at", title: "Time", width: "6rem", cell: (row) => <Time at={row.at} /> },
  {
    key: "kind",
    title: "Kind",
    width: "7rem",
    from: "sm",
    cell: (row) => <Untrusted text={row.kind} className="text-quiet" />,
  },
  {
    key: "faults",
    title: "Faults",
    width: "minmax(10rem,2fr)",
    cell: (row) => <Untrusted text={row.faults.join(" ")} className="text-bad" />,
  },
  {
    key: "data",
    title: "Data",
    width: "minmax(8rem,2fr)",
    from: "lg",
    cell: (row) => <Untrusted text={row.data ? summarize(row.data) : "too large"} className="text-quiet" />,
  },
  {
    key: "url",
    title: "URL",
    width: "minmax(8rem,2fr)",
    from: "md",
    cell: (row) => <ExplainLink url={row.url} />,
  },
  {
    key: "parser",
    title: "Parser",
    width: "8rem",
    from: "xl",
    cell: (row) => <Untrusted text={`${row.parser} ${row.parser_version}`} className="text-quiet" />,
  },
];

function InvalidList() {
  const search = route.useSearch();
  const query = { ...pickFilters(search, "kind", "domain", "parser"), ...commonQuery(search) };
  const list = useList("/api/v1/invalid-items", { query });
  return (
    <Table
      noun="invalid items"
      columns={INVALID_COLUMNS}
      list={list}
      keyOf={(row) => row.id}
      isFiltered={hasFilters(query)}
      empty={<Empty title="No invalid items">Items that break the schema of their parser appear here.</Empty>}
    />
  );
}
