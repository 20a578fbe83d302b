import { getRouteApi, Link } from "@tanstack/react-router";
import type { Schemas } from "../../api/client";
import { useList } from "../../api/queries";
import { formatCount } from "../../format/numbers";
import { SelectFilter } from "../../lists/filters";
import { Empty } from "../../ui/basics";
import { type Column, Table } from "../../ui/table";
import { Untrusted } from "../../ui/untrusted";

type InboundLink = Schemas["InboundLink"];

const route = getRouteApi("/app/pages/$id");

const COLUMNS: readonly Column<InboundLink>[] = [
  {
    key: "page",
    title: "Page",
    width: "minmax(10rem,2.5fr)",
    cell: (row) => (
      <Link to="/pages/$id" params={{ id: String(row.page_id) }} className="hover:underline" title={row.page}>
        <Untrusted text={row.title || "(no title)"} className="font-medium" />{" "}
        <Untrusted text={row.page} className="ml-1 font-mono text-[0.88em] text-faint" />
      </Link>
    ),
  },
  {
    key: "anchor",
    title: "Anchor",
    width: "minmax(7rem,1fr)",
    cell: (row) => <Untrusted text={row.anchor || "–"} />,
  },
  {
    key: "rel",
    title: "Rel",
    width: "6rem",
    from: "sm",
    cell: (row) => <Untrusted text={row.rel} className="text-quiet" />,
  },
];

/** There is no index of inbound links: the API reads the links of one page after the other. */
export function InboundLinks({ id }: { id: number }) {
  const { among = "" } = route.useSearch();
  const list = useList("/api/v1/urls/{id}/inbound", { path: { id }, query: { anywhere: among === "all" } });
  const lookedAt = list.parts.reduce((sum, part) => sum + part.looked_at, 0);
  const pages = list.parts[0]?.pages ?? 0;
  const whole = among === "all" ? "" : ` of ${formatCount(pages)} pages of its domain`;
  return (
    <>
      <div className="flex flex-wrap items-center gap-3">
        <SelectFilter
          name="among"
          label="Search in"
          value={among}
          options={[["all", "All pages"]]}
          any="Pages of the same domain"
        />
        <p role="status" className="text-quiet">
          {list.parts.length > 0 &&
            `${list.hasMore ? "The first " : ""}${formatCount(list.rows.length)} found among ${formatCount(lookedAt)}${whole || " pages"}`}
        </p>
      </div>
      <Table
        noun="pages"
        label="Inbound links"
        className="min-h-[20rem] flex-1"
        columns={COLUMNS}
        list={list}
        keyOf={(row) => row.page_id}
        empty={<Empty title="No inbound links">None of the pages searched so far link to it.</Empty>}
      />
    </>
  );
}
