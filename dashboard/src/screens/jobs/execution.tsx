import { getRouteApi, Link } from "@tanstack/react-router";
import { useApi } from "../../api/queries";
import { formatBytes, formatCount } from "../../format/numbers";
import { formatDuration } from "../../format/times";
import { Empty, Heading, LoadError, Panel, Skeleton } from "../../ui/basics";
import { type Figure, Figures } from "../../ui/figures";
import { State } from "../../ui/states";
import { Time, useClock } from "../../ui/time";
import { Untrusted, UntrustedLines } from "../../ui/untrusted";
import { LeftoverNotice } from "../runs/leftover-notice";
import { Log } from "../runs/run-log";
import { describeTrigger, EXECUTION_MEANINGS, type Execution } from "./executions";

const route = getRouteApi("/app/executions/$id");

export function ExecutionScreen() {
  const { id } = route.useParams();
  const now = useClock();
  const { data, error, refetch } = useApi("/api/v1/executions/{execution_id}", {
    path: { execution_id: Number(id) },
    every_ms: 2000,
  });
  // An execution has its counts when it ends. Until then its run has them; afterwards the run says what is left.
  const { data: run } = useApi("/api/v1/runs/{id}", {
    path: { id: data?.run_id ?? 0 },
    every_ms: 2000,
    isEnabled: data != null && data.run_id !== null,
  });
  if (error && !data) return <LoadError error={error} onRetry={() => void refetch()} />;
  return (
    <>
      <Heading
        title={data ? `Execution #${data.execution_number}` : "Execution"}
        above={
          data ? (
            <Link to="/jobs/$id" params={{ id: String(data.job_id) }} className="hover:underline">
              Job {data.job_id}
            </Link>
          ) : (
            "…"
          )
        }
      >
        {data ? (
          <State state={data.status} meanings={EXECUTION_MEANINGS} />
        ) : (
          <Skeleton className="h-6 w-20" />
        )}
        {data?.run_id && (
          <Link to="/runs/$id" params={{ id: String(data.run_id) }} className="text-accent hover:underline">
            Run {data.run_id}
          </Link>
        )}
      </Heading>
      <Figures figures={data && figuresOf(data, run?.pages ?? 0, now)} />
      {data?.error_message && (
        <p className="tone-bad toned rounded-[10px] border px-4 py-2.5">
          <Untrusted text={data.error_message} />
        </p>
      )}
      <LeftoverNotice run={run} />
      {data?.stack_trace && (
        <Panel title="Stack trace" className="overflow-hidden">
          <section aria-label="Stack trace" tabIndex={0} className="max-h-72 overflow-y-auto px-4 pb-4">
            <UntrustedLines text={data.stack_trace} />
          </section>
        </Panel>
      )}
      {!data ? (
        <Skeleton className="h-72" />
      ) : data.run_id ? (
        <Log id={data.run_id} />
      ) : (
        <Panel>
          <Empty title={data.completed_at ? "No run" : "Waiting for its run"}>
            {data.completed_at
              ? "The execution ended before its run started, so there is no log."
              : "The run starts when no other run crawls the same domains. Its log will appear here."}
          </Empty>
        </Panel>
      )}
    </>
  );
}

function figuresOf(execution: Execution, pagesSoFar: number, now: Date): readonly Figure[] {
  const isOver = execution.completed_at !== null;
  const end = execution.completed_at ? Date.parse(execution.completed_at) : now.getTime();
  const span_s = Math.max(0, (end - Date.parse(execution.started_at)) / 1000);
  return [
    ["Trigger", describeTrigger(execution)],
    ["Started", <Time key="started" at={execution.started_at} />],
    ["Duration", formatDuration(span_s)],
    ["Crawled", formatCount(isOver ? execution.items_crawled : pagesSoFar)],
    ["Changed", isOver ? formatCount(execution.items_changed) : "…"],
    ["Failed", isOver ? formatCount(execution.items_failed) : "…"],
    ["CPU", isOver ? formatDuration(execution.cpu_time_ms / 1000) : "…"],
    ["Memory", execution.memory_peak_bytes > 0 ? formatBytes(execution.memory_peak_bytes) : "–"],
  ];
}
