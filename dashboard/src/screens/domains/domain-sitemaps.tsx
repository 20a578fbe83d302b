import type { Schemas } from "../../api/client";
import { useList } from "../../api/queries";
import { formatCompact } from "../../format/numbers";
import { reveal, words } from "../../format/text";
import { Empty } from "../../ui/basics";
import { State } from "../../ui/states";
import { type Column, Table } from "../../ui/table";
import { Time } from "../../ui/time";
import { ExplainLink, Untrusted } from "../../ui/untrusted";

type Sitemap = Schemas["SitemapView"];

const COLUMNS: readonly Column<Sitemap>[] = [
  { key: "url", title: "URL", width: "minmax(8rem,2fr)", cell: (row) => <ExplainLink url={row.url} /> },
  { key: "origin", title: "Found in", width: "5.5rem", from: "md", cell: (row) => words(row.origin) },
  { key: "kind", title: "Kind", width: "4rem", from: "xl", cell: (row) => row.kind ?? "–" },
  { key: "fate", title: "State", width: "6.5rem", cell: (row) => <State state={row.fate} /> },
  {
    key: "entries",
    title: "Entries",
    width: "5rem",
    isNumber: true,
    cell: (row) => formatCompact(row.entries),
  },
  {
    key: "refused",
    title: "Refused",
    width: "5rem",
    isNumber: true,
    from: "xl",
    cell: (row) => formatCompact(row.refused),
  },
  {
    key: "added",
    title: "New URLs",
    width: "5rem",
    isNumber: true,
    from: "sm",
    cell: (row) => formatCompact(row.added),
  },
  { key: "lastmod", title: "Dates", width: "5rem", from: "xl", cell: (row) => words(row.lastmod) },
  {
    key: "read",
    title: "Last read",
    width: "5.5rem",
    isNumber: true,
    from: "sm",
    cell: (row) => <Time at={row.read_at} />,
  },
  {
    key: "error",
    title: "Error",
    width: "minmax(6rem,1.5fr)",
    from: "md",
    cell: (row) =>
      row.error && (
        <span title={reveal(row.error)} className="text-bad">
          <Untrusted text={row.error} />
        </span>
      ),
  },
];

export function DomainSitemaps({ domain }: { domain: string }) {
  const list = useList("/api/v1/sitemaps", { query: { domain }, every_ms: 5000 });
  return (
    <Table
      noun="sitemaps"
      columns={COLUMNS}
      list={list}
      keyOf={(row) => row.id}
      empty={
        <Empty title="No sitemaps">
          They are found in robots.txt, in pages and in other sitemaps while the domain is crawled.
        </Empty>
      }
    />
  );
}
