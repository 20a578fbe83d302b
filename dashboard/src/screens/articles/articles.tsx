import { getRouteApi, Link } from "@tanstack/react-router";
import type { Query, Schemas } from "../../api/client";
import { useList } from "../../api/queries";
import { reveal } from "../../format/text";
import { domainColumn } from "../../lists/columns";
import { CommonFilters, commonQuery } from "../../lists/common-filters";
import { SelectFilter, TextFilter } from "../../lists/filters";
import { hasFilters, pickFilters } from "../../lists/query";
import { Empty, Heading } from "../../ui/basics";
import { State } from "../../ui/states";
import { type Column, Table } from "../../ui/table";
import { Time } from "../../ui/time";
import { Untrusted } from "../../ui/untrusted";
import { formatDate, nameLanguage, readArticle } from "./article-data";

type Item = Schemas["Item"];
type ListQuery = Query<"/api/v1/items">;

const route = getRouteApi("/app/articles");
const SHOWN = ["title", "authors", "byline", "published_at", "site", "language"];

const COLUMNS: readonly Column<Item>[] = [
  {
    key: "title",
    title: "Title",
    width: "minmax(9rem,3fr)",
    cell: (row) => (
      <Link to="/articles/$id" params={{ id: String(row.id) }} className="font-medium hover:underline">
        <bdi>{reveal(readArticle(row.data).title ?? row.key)}</bdi>
      </Link>
    ),
  },
  {
    key: "site",
    title: "Site",
    width: "minmax(6rem,1fr)",
    from: "sm",
    cell: (row) => <Untrusted text={readArticle(row.data).site ?? row.domain} />,
  },
  {
    key: "authors",
    title: "Authors",
    width: "minmax(6rem,1fr)",
    from: "lg",
    cell: (row) => <Untrusted text={readArticle(row.data).byline ?? ""} className="text-quiet" />,
  },
  {
    key: "published",
    title: "Published",
    width: "7.5rem",
    cell: (row) => <Published at={readArticle(row.data).publishedAt} />,
  },
  {
    key: "language",
    title: "Language",
    width: "6rem",
    from: "xl",
    cell: (row) => <Language tag={readArticle(row.data).language} />,
  },
  domainColumn("xl"),
  {
    key: "state",
    title: "State",
    width: "6rem",
    from: "xl",
    cell: (row) => <State state={row.state} />,
  },
  { key: "found", title: "Found", width: "6rem", from: "md", cell: (row) => <Time at={row.first_seen_at} /> },
];

export function Articles() {
  const search = route.useSearch();
  const { q = "", domain = "", state = "" } = search;
  const only = { ...pickFilters(search, "q", "domain", "state"), ...commonQuery(search) };
  const query = { ...only, kind: "article", field: SHOWN, sort: "-id" } as ListQuery;
  const list = useList("/api/v1/items", { query, every_ms: 30_000 });
  return (
    <>
      <Heading title="Articles">
        <TextFilter name="q" label="Text" value={q} className="w-44 max-sm:grow" />
        <TextFilter name="domain" label="Domain" value={domain} className="w-40 max-sm:grow" />
        <SelectFilter
          name="state"
          label="State"
          value={state}
          options={["present", "gone"]}
          any="Any state"
        />
        <CommonFilters given={search} date="Changed" />
      </Heading>
      <Table
        noun="articles"
        columns={COLUMNS}
        list={list}
        keyOf={(row) => row.id}
        isFiltered={hasFilters(only)}
        empty={
          <Empty title="No articles yet">
            Articles appear here when a crawl with <code>extract.article</code> or a parser of articles finds
            some.
          </Empty>
        }
      />
    </>
  );
}

function Published({ at }: { at: string | null }) {
  if (at === null) return <span className="text-faint">–</span>;
  return <Untrusted text={formatDate(at, true)} className="text-quiet" />;
}

function Language({ tag }: { tag: string | null }) {
  return tag && <span className="text-quiet">{nameLanguage(tag)}</span>;
}
