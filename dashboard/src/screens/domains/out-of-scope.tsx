import { getRouteApi } from "@tanstack/react-router";
import { useMemo } from "react";
import { call, type Query, type Schemas } from "../../api/client";
import { useList } from "../../api/queries";
import { useRole } from "../../api/session";
import { formatCompact } from "../../format/numbers";
import { useAction } from "../../forms/use-action";
import { actionsColumn } from "../../lists/columns";
import { TextFilter } from "../../lists/filters";
import { hasFilters, pickFilters } from "../../lists/query";
import { useFilter } from "../../lists/use-filter";
import { Button, Empty, Heading } from "../../ui/basics";
import { type Column, Table } from "../../ui/table";
import { Time } from "../../ui/time";
import { ExplainLink, OutLink, Untrusted } from "../../ui/untrusted";

type Link = Schemas["DiscoveredLink"];
type ListQuery = Query<"/api/v1/discovered-links">;
const route = getRouteApi("/app/discovered");

const COLUMNS: readonly Column<Link>[] = [
  {
    key: "domain",
    title: "Domain",
    width: "minmax(8rem,1.2fr)",
    sort: "domain",
    cell: (row) => <Untrusted text={row.domain} className="font-medium" />,
  },
  {
    key: "url",
    title: "First link",
    width: "minmax(8rem,2fr)",
    from: "sm",
    cell: (row) => <OutLink url={row.url} />,
  },
  {
    key: "from",
    title: "Found on",
    width: "minmax(8rem,1.5fr)",
    from: "lg",
    cell: (row) => row.discovered_from && <ExplainLink url={row.discovered_from} className="text-quiet" />,
  },
  {
    key: "links",
    title: "Links",
    width: "5rem",
    isNumber: true,
    sort: "-links",
    cell: (row) => formatCompact(row.links),
  },
  {
    key: "pages",
    title: "Pages",
    width: "5rem",
    isNumber: true,
    sort: "-pages",
    from: "md",
    cell: (row) => formatCompact(row.pages),
  },
  {
    key: "last",
    title: "Last seen",
    width: "6.5rem",
    isNumber: true,
    sort: "-last_seen_at",
    from: "md",
    cell: (row) => <Time at={row.last_seen_at} />,
  },
];

/** Domains that pages link to but the scope excludes. */
export function OutOfScope() {
  const { q = "", sort = "-links" } = route.useSearch();
  const { isAdmin } = useRole();
  const set = useFilter();
  const { mutate: promote } = useAction({
    perform: (link: Link) => call("post", "/api/v1/discovered-links/promote", { body: { ids: [link.id] } }),
    success: (_, link) => `${link.domain} is now in scope.`,
    refreshes: ["discovered-links"],
  });
  const { mutate: hide } = useAction({
    perform: (link: Link) => call("delete", "/api/v1/discovered-links/{id}", { path: { id: link.id } }),
    success: (_, link) => `${link.domain} was hidden.`,
    refreshes: ["discovered-links"],
  });
  const columns = useMemo(() => {
    if (!isAdmin) return COLUMNS;
    const actions = actionsColumn<Link>("11rem", (row) => (
      <span className="flex justify-end gap-1.5">
        <Button isSmall aria-label={`Crawl ${row.domain}`} onClick={() => promote(row)}>
          Crawl
        </Button>
        <Button isSmall aria-label={`Hide ${row.domain}`} onClick={() => hide(row)}>
          Hide
        </Button>
      </span>
    ));
    return [...COLUMNS, actions];
  }, [isAdmin, promote, hide]);
  const query = { sort, ...pickFilters({ q }, "q") } as ListQuery;
  const list = useList("/api/v1/discovered-links", { query });
  return (
    <>
      <Heading title="Out-of-scope links">
        <TextFilter name="q" label="Domain contains" value={q} className="w-48 max-sm:grow" />
      </Heading>
      <Table
        noun="links"
        label="Out-of-scope links"
        columns={columns}
        list={list}
        keyOf={(row) => row.id}
        sort={sort}
        onSort={set("sort")}
        isFiltered={hasFilters(query)}
        empty={
          <Empty title="No out-of-scope links">
            Domains that pages link to but the scope excludes are listed here.
          </Empty>
        }
      />
    </>
  );
}
