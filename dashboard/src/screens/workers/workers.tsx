import { getRouteApi, Link } from "@tanstack/react-router";
import type { Schemas } from "../../api/client";
import { useList } from "../../api/queries";
import { formatCompact, formatDigits } from "../../format/numbers";
import { reveal } from "../../format/text";
import { useFilter } from "../../lists/use-filter";
import { Empty, Heading } from "../../ui/basics";
import { SegmentedControl } from "../../ui/controls";
import { State } from "../../ui/states";
import { type Column, Table } from "../../ui/table";
import { Time } from "../../ui/time";
import { Untrusted } from "../../ui/untrusted";

type Worker = Schemas["Worker"];
const route = getRouteApi("/app/workers");

const COLUMNS: readonly Column<Worker>[] = [
  {
    key: "who",
    title: "Worker",
    width: "minmax(8rem,1.4fr)",
    cell: (row) => (
      <>
        <Untrusted text={row.host} className="font-medium" />{" "}
        <span className="text-quiet">process {row.pid}</span>
      </>
    ),
  },
  { key: "state", title: "State", width: "7rem", cell: (row) => <State state={row.state} /> },
  {
    key: "rate",
    title: "Pages/min",
    width: "5.5rem",
    isNumber: true,
    from: "sm",
    cell: (row) => (row.is_alive ? formatDigits(row.pages_per_min) : "–"),
  },
  { key: "pages", title: "Pages", width: "5rem", isNumber: true, cell: (row) => formatCompact(row.pages) },
  {
    key: "domains",
    title: "Domains held",
    width: "minmax(7rem,2fr)",
    from: "md",
    cell: (row) => (
      <span title={row.names.join(", ")}>
        {row.domains} {row.silent_domains > 0 && `(${formatDigits(row.silent_domains)} silent) `}
        <Untrusted text={row.names.join(", ")} className="text-quiet" />
      </span>
    ),
  },
  {
    key: "problems",
    title: "Problems",
    width: "minmax(5rem,1fr)",
    from: "lg",
    cell: (row) => (
      <>
        {row.stall && (
          <Untrusted
            text={`stalled (${row.stall.cause}): ${row.stall.sentence ?? "see the doctor"}`}
            className="text-bad"
          />
        )}
        {row.exit_code !== null && <span className="text-bad">exit code {row.exit_code}</span>}
        {row.breakers.map((each) => (
          <Untrusted
            key={each.service}
            text={`${each.service}: ${each.reason ?? each.state}`}
            className="text-bad"
          />
        ))}
      </>
    ),
  },
  {
    key: "longest",
    title: "Longest visit",
    width: "minmax(8rem,2fr)",
    from: "lg",
    cell: (row) =>
      row.longest && (
        <span title={reveal(row.longest.url)}>
          <Time at={row.longest.started_at} /> <Untrusted text={row.longest.url} className="text-quiet" />
        </span>
      ),
  },
  {
    key: "run",
    title: "Run",
    width: "3rem",
    isNumber: true,
    from: "md",
    cell: (row) => (
      <Link to="/runs/$id" params={{ id: String(row.run_id) }} className="hover:underline">
        {row.run_id}
      </Link>
    ),
  },
  {
    key: "started",
    title: "Started",
    width: "6rem",
    isNumber: true,
    from: "xl",
    cell: (row) => <Time at={row.started_at} />,
  },
  {
    key: "heartbeat",
    title: "Heartbeat",
    width: "6rem",
    isNumber: true,
    from: "sm",
    cell: (row) => <Time at={row.heartbeat_at} />,
  },
];

export function Workers() {
  const { all = "" } = route.useSearch();
  const set = useFilter();
  return (
    <>
      <Heading title="Workers">
        <SegmentedControl
          label="Show"
          value={all}
          options={[
            ["", "Active"],
            ["yes", "All"],
          ]}
          onChange={set("all")}
        />
      </Heading>
      <WorkerTable query={{ all: all === "yes" }} />
    </>
  );
}

export function WorkerTable({ query }: { query: { all?: boolean; run?: number } }) {
  const list = useList("/api/v1/workers", { query, every_ms: 5000 });
  return (
    <Table
      noun="workers"
      className="min-h-[20rem] flex-1"
      columns={COLUMNS}
      list={list}
      keyOf={(row) => row.id}
      empty={
        <Empty title="No active workers">
          Idle workers of `tenax serve` are not listed. They appear when a run starts.
        </Empty>
      }
    />
  );
}
