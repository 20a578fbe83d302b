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
  running: "Its run is active or about to start.",
  completed: "Its run ended successfully.",
  failed: "Its run failed, or all its visits failed.",
  cancelled: "Cancelled by a user.",
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
    title: "Trigger",
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
    title: "Duration",
    width: "6rem",
    isNumber: true,
    from: "md",
    cell: (row) => (row.duration_ms === null ? "…" : formatDuration(row.duration_ms / 1000)),
  },
  {
    key: "started",
    title: "Started",
    width: "5.5rem",
    isNumber: true,
    cell: (row) => <Time at={row.started_at} />,
  },
];

const TRIGGERS: Record<Schemas["Trigger"], string> = {
  schedule: "schedule",
  retry: "retry",
  force: "manual",
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
        <Empty title="No executions yet">
          They appear here when the job runs on schedule, or after “Run now”.
        </Empty>
      }
    />
  );
}
