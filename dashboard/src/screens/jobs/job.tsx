import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { call, type Schemas } from "../../api/client";
import { useApi } from "../../api/queries";
import { useRole } from "../../api/session";
import { formatCount, formatPercent } from "../../format/numbers";
import { formatDuration } from "../../format/times";
import { useAction } from "../../forms/use-action";
import { Button, Empty, Facts, Heading, LoadError, Panel, Skeleton } from "../../ui/basics";
import { Confirm } from "../../ui/dialog";
import { type Figure, Figures } from "../../ui/figures";
import { ParentLink } from "../../ui/parent-link";
import { State } from "../../ui/states";
import { Tabs } from "../../ui/tabs";
import { Time } from "../../ui/time";
import { ExplainLink, Untrusted } from "../../ui/untrusted";
import { Log } from "../runs/run-log";
import { NamedSource } from "../sources/source-links";
import { Timeline } from "./execution-timeline";
import { ExecutionTable, useExecutions } from "./executions";
import { JobActions } from "./job-actions";
import { isManagedBySource, JobForm } from "./job-form";
import { JOB_MEANINGS, JOB_NOUNS, type Job, measureIntervals } from "./job-states";
import { Interval } from "./jobs";
import { describeHours } from "./schedule-draft";

const route = getRouteApi("/app/jobs/$id");
const TABS = [
  ["executions", "Executions"],
  ["definition", "Definition"],
  ["log", "Log"],
] as const;
const ADMIN_TABS = [...TABS, ["edit", "Edit"]] as const;

export function JobScreen() {
  const { id } = route.useParams();
  const { tab = "executions" } = route.useSearch();
  const { isAdmin } = useRole();
  const path = { job_id: Number(id) };
  const { data, error, refetch } = useApi("/api/v1/jobs/{job_id}", { path, every_ms: 2000 });
  const { data: stats } = useApi("/api/v1/jobs/{job_id}/stats", { path, every_ms: 5000 });
  if (error && !data) return <LoadError error={error} onRetry={() => void refetch()} />;
  return (
    <>
      <Heading
        title={`Job ${id}`}
        above={
          <>
            <ParentLink to="/jobs">Jobs</ParentLink>
            {data && (
              <>
                {" of "}
                <NamedSource id={data.source_id} />
              </>
            )}
          </>
        }
      >
        {data ? <State state={data.status} meanings={JOB_MEANINGS} /> : <Skeleton className="h-6 w-20" />}
        {isAdmin && data && <JobActions id={data.id} state={data.status} />}
        {isAdmin && data && <Delete job={data} />}
      </Heading>
      {data?.last_error && (
        <p className="tone-warn toned rounded-[10px] border px-4 py-2.5">
          <Untrusted text={data.last_error} />
        </p>
      )}
      <Figures figures={data && stats && figuresOf(data, stats)} />
      <Tabs tabs={isAdmin ? ADMIN_TABS : TABS} current={tab} label={`Tabs of job ${id}`} />
      {tab === "executions" && data && <Executions job={data} />}
      {tab === "definition" && (data ? <Definition job={data} /> : <Skeleton className="h-72" />)}
      {tab === "log" && <LastLog jobId={Number(id)} />}
      {tab === "edit" && isAdmin && data && <JobForm key={data.version} job={data} />}
    </>
  );
}

function figuresOf(job: Job, stats: Schemas["JobStats"]): readonly Figure[] {
  return [
    ["Next run", <Time key="next" at={job.next_run_at} />],
    ["Executions", formatCount(stats.total)],
    ["Success rate", stats.success_rate === null ? "–" : formatPercent(stats.success_rate)],
    [
      "Average duration",
      stats.average_duration_ms === null ? "–" : formatDuration(stats.average_duration_ms / 1000),
    ],
    ["Crawled", formatCount(stats.items_crawled)],
    ["Changed", formatCount(stats.items_changed)],
    ["Failed", formatCount(stats.items_failed)],
  ];
}

function Executions({ job }: { job: Schemas["JobDetail"] }) {
  const list = useExecutions(job.id);
  return (
    <>
      <Panel title="Past and next runs" aside={<Interval job={job} />}>
        <Timeline past={list.rows} next={job.next_runs.map((each) => new Date(each))} />
      </Panel>
      <ExecutionTable jobId={job.id} />
    </>
  );
}

function LastLog({ jobId }: { jobId: number }) {
  const list = useExecutions(jobId);
  const run = list.rows.find((each) => each.run_id !== null)?.run_id;
  if (list.isLoading) return <Skeleton className="h-72" />;
  if (!run) return <Empty title="No runs yet">The log of the latest run appears here.</Empty>;
  return <Log id={run} />;
}

function Definition({ job }: { job: Job }) {
  const intervals = measureIntervals(job);
  return (
    <Panel title="Definition">
      <Facts
        facts={[
          { label: "Source", value: <NamedSource id={job.source_id} /> },
          { label: "Start URL", value: job.url ? <ExplainLink url={job.url} /> : "all seeds of the source" },
          { label: "Runs", value: <Interval job={job} /> },
          intervals !== null && {
            label: "Adaptive",
            value: job.adaptive_scheduling ? describeAdapted(job.unchanged_count, intervals.now_s) : "no",
          },
          intervals !== null && { label: "Schedule", value: job.schedule_enabled ? "on" : "off" },
          {
            label: "Hours",
            value: job.active_hours ? `${describeHours(job.active_hours)} (${job.timezone})` : "any time",
          },
          { label: "Priority", value: formatCount(job.priority) },
          {
            label: "Retries",
            value: `${formatCount(job.current_retry_count)} of ${formatCount(job.max_retries)} used; first after ${formatDuration(job.retry_backoff_seconds)}`,
          },
          job.slot_moved_at !== null && {
            label: "Moved by a rebalance",
            value: <Time at={job.slot_moved_at} />,
          },
          job.lock_acquired_at !== null && {
            label: "Locked since",
            value: <Time at={job.lock_acquired_at} />,
            hint: "The scheduler that runs it holds the lock.",
          },
          job.paused_at !== null && { label: "Paused", value: <Time at={job.paused_at} /> },
          job.cancelled_at !== null && { label: "Cancelled", value: <Time at={job.cancelled_at} /> },
          { label: "Created by", value: isManagedBySource(job) ? "its source" : "a user" },
          { label: "Created", value: <Time at={job.created_at} /> },
          { label: "Changed", value: <Time at={job.updated_at} /> },
        ]}
      />
    </Panel>
  );
}

function describeAdapted(unchanged: number, now_s: number): string {
  if (unchanged === 0) return "yes; currently at the configured interval";
  const times = unchanged === 1 ? "once" : `${formatCount(unchanged)} times in a row`;
  return `yes; the start page was unchanged ${times}, so it now runs every ${formatDuration(now_s)}`;
}

function Delete({ job }: { job: Job }) {
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();
  const remove = useAction({
    perform: () => call("delete", "/api/v1/jobs/{job_id}", { path: { job_id: job.id } }),
    success: () => `Job ${job.id} was deleted.`,
    onSuccess: () => navigate({ to: "/jobs" }),
    onSettled: () => setOpen(false),
    refreshes: JOB_NOUNS,
  });
  if (job.status === "running") return null;
  return (
    <>
      <Button kind="danger" onClick={() => setOpen(true)}>
        Delete
      </Button>
      {isOpen && (
        <Confirm
          title={`Delete job ${job.id}?`}
          action="Delete job"
          isDangerous
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate()}
          onClose={() => setOpen(false)}
        >
          Its executions are deleted, too. Pages from its runs are kept.
        </Confirm>
      )}
    </>
  );
}
