import { Link } from "@tanstack/react-router";
import type { Schemas } from "../../api/client";
import { useList } from "../../api/queries";
import { formatBytes, formatCompact } from "../../format/numbers";
import { formatDuration } from "../../format/times";
import { Empty } from "../../ui/basics";
import { State } from "../../ui/states";
import { type Column, Table } from "../../ui/table";
import { Time } from "../../ui/time";
import { Untrusted } from "../../ui/untrusted";

export type Execution = Schemas["Execution"];

export const EXECUTION_MEANINGS: Readonly<Record<Schemas["ExecutionState"], string>> = {
  running: "Its run is under way, or about to begin.",
  completed: "Its run has ended well.",
  failed: "Its run failed, or brought nothing but failures.",
  cancelled: "A person ended it.",
};

const COLUMNS: readonly Column<Execution>[] = [
  {
    key: "number",
    title: "No.",
    width: "2.5rem",
    cell: (row) => (
      <Link to="/executions/$id" params={{ id: String(row.id) }} className="font-medium hover:underline">
        #{row.execution_number}
      </Link>
    ),
  },
  {
    key: "state",
    title: "State",
    width: "7rem",
    cell: (row) => <State state={row.status} meanings={EXECUTION_MEANINGS} />,
  },
  {
    key: "trigger",
    title: "Because of",
    width: "6.5rem",
    from: "sm",
    cell: (row) => <span className="text-quiet">{describeTrigger(row)}</span>,
  },
  {
    key: "crawled",
    title: "Crawled",
    width: "4.5rem",
    isNumber: true,
    from: "sm",
    cell: (row) => formatCompact(row.items_crawled),
  },
  {
    key: "changed",
    title: "Changed",
    width: "5rem",
    isNumber: true,
    from: "sm",
    cell: (row) => formatCompact(row.items_changed),
  },
  {
    key: "failed",
    title: "Failed",
    width: "4rem",
    isNumber: true,
    from: "md",
    cell: (row) => (
      <span className={row.items_failed > 0 ? "text-bad" : "text-faint"}>
        {formatCompact(row.items_failed)}
      </span>
    ),
  },
  {
    key: "error",
    title: "Error",
    width: "minmax(5rem,2fr)",
    from: "md",
    cell: (row) => row.error_message && <Untrusted text={row.error_message} className="text-bad" />,
  },
  {
    key: "cpu",
    title: "CPU",
    width: "4.5rem",
    isNumber: true,
    from: "lg",
    cell: (row) => formatDuration(row.cpu_time_ms / 1000),
  },
  {
    key: "memory",
    title: "Memory",
    width: "5rem",
    isNumber: true,
    from: "lg",
    cell: (row) => (row.memory_peak_bytes > 0 ? formatBytes(row.memory_peak_bytes) : "–"),
  },
  {
    key: "took",
    title: "Took",
    width: "6rem",
    isNumber: true,
    from: "md",
    cell: (row) => (row.duration_ms === null ? "…" : formatDuration(row.duration_ms / 1000)),
  },
  {
    key: "started",
    title: "Began",
    width: "5.5rem",
    isNumber: true,
    cell: (row) => <Time at={row.started_at} />,
  },
];

const TRIGGERS: Record<Schemas["Trigger"], string> = {
  schedule: "its time",
  retry: "a failure",
  force: "a person",
};

export function describeTrigger(execution: Execution): string {
  return execution.retry_attempt > 0 ? `retry ${execution.retry_attempt}` : TRIGGERS[execution.trigger];
}

export function useExecutions(jobId: number) {
  return useList("/api/v1/jobs/{job_id}/executions", { path: { job_id: jobId }, every_ms: 3000 });
}

export function ExecutionTable({ jobId }: { jobId: number }) {
  const list = useExecutions(jobId);
  return (
    <Table
      noun="executions"
      className="min-h-[16rem] flex-1"
      columns={COLUMNS}
      list={list}
      keyOf={(row) => row.id}
      empty={
        <Empty title="It has not run yet">
          When its time comes, or when somebody says “Run now”, it is here.
        </Empty>
      }
    />
  );
}
