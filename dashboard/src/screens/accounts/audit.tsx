import { getRouteApi } from "@tanstack/react-router";
import type { Query, Schemas } from "../../api/client";
import { useList } from "../../api/queries";
import { reveal } from "../../format/text";
import { SelectFilter, TextFilter } from "../../lists/filters";
import { hasFilters, pickFilters } from "../../lists/query";
import { AdminOnly } from "../../shell/admin-only";
import { Badge, Empty, Heading } from "../../ui/basics";
import { type Column, Table } from "../../ui/table";
import { Time } from "../../ui/time";
import { Untrusted } from "../../ui/untrusted";

type Entry = Schemas["Entry"];
type ListQuery = Query<"/api/v1/audit">;
const route = getRouteApi("/app/audit");
const OUTCOMES: readonly Schemas["AuditOutcome"][] = ["done", "ordered", "failed", "refused"];

const COLUMNS: readonly Column<Entry>[] = [
  { key: "at", title: "Time", width: "6rem", cell: (row) => <Time at={row.at} /> },
  {
    key: "actor",
    title: "User",
    width: "minmax(5rem,1fr)",
    cell: (row) => <Untrusted text={row.actor} className="font-medium" />,
  },
  {
    key: "action",
    title: "Action",
    width: "minmax(7rem,1fr)",
    cell: (row) => <Untrusted text={row.action} />,
  },
  {
    key: "target",
    title: "Target",
    width: "minmax(5rem,1.2fr)",
    from: "sm",
    cell: (row) => <Untrusted text={row.target ?? "–"} />,
  },
  {
    key: "outcome",
    title: "Outcome",
    width: "6rem",
    from: "sm",
    cell: (row) => (
      <Badge tone={row.outcome === "done" ? "ok" : row.outcome === "ordered" ? "accent" : "warn"}>
        {row.outcome}
      </Badge>
    ),
  },
  {
    key: "detail",
    title: "Detail",
    width: "minmax(6rem,2fr)",
    from: "lg",
    cell: (row) => (
      <span title={reveal(formatDetail(row))}>
        <Untrusted text={formatDetail(row)} className="font-mono text-xs text-quiet" />
      </span>
    ),
  },
  {
    key: "kind",
    title: "Via",
    width: "5rem",
    from: "md",
    cell: (row) => <span className="text-quiet">{row.kind}</span>,
  },
  {
    key: "address",
    title: "Address",
    width: "8rem",
    from: "md",
    cell: (row) => <Untrusted text={row.address ?? "–"} className="text-quiet" />,
  },
];

function formatDetail({ detail }: Entry): string {
  return Object.keys(detail).length > 0 ? JSON.stringify(detail) : "";
}

export function Audit() {
  return (
    <AdminOnly note="The audit log records every change and every login.">
      <AuditLog />
    </AdminOnly>
  );
}

function AuditLog() {
  const { actor = "", action = "", outcome = "" } = route.useSearch();
  const query = pickFilters({ actor, action, outcome }, "actor", "action", "outcome") as ListQuery;
  const list = useList("/api/v1/audit", { query, every_ms: 10_000 });
  return (
    <>
      <Heading title="Audit log">
        <TextFilter name="actor" label="User" value={actor} className="w-36 max-sm:grow" />
        <TextFilter name="action" label="Action" value={action} className="w-36 max-sm:grow" />
        <SelectFilter name="outcome" label="Outcome" value={outcome} options={OUTCOMES} any="Any outcome" />
      </Heading>
      <Table
        noun="entries"
        label="Audit log"
        columns={COLUMNS}
        list={list}
        keyOf={(row) => row.id}
        isFiltered={hasFilters(query)}
        empty={<Empty title="No entries yet">The audit log records every change and every login.</Empty>}
      />
    </>
  );
}
