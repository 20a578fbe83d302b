import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { type Answer, call, type Schemas } from "../../api/client";
import { useApi } from "../../api/queries";
import { useRole } from "../../api/session";
import { formatCount, formatPercent } from "../../format/numbers";
import { formatDuration, formatMinute } from "../../format/times";
import { useAction } from "../../forms/use-action";
import { Button, Empty, Heading, LoadError, Panel, Skeleton } from "../../ui/basics";
import { Dialog } from "../../ui/dialog";
import { type Figure, Figures } from "../../ui/figures";
import { Shares } from "../../ui/meter";
import { toneOf } from "../../ui/states";
import { JOB_NOUNS, JOB_STATES } from "../jobs/job-states";
import { HeatMap } from "./heat-map";

type Metrics = Answer<"/api/v1/scheduler/metrics">;
type RebalancePlan = Schemas["Rebalance"];

export function Scheduler() {
  const { isAdmin } = useRole();
  const metrics = useApi("/api/v1/scheduler/metrics", { every_ms: 5000 });
  const spread = useApi("/api/v1/scheduler/distribution", { every_ms: 15_000 });
  if (metrics.error && !metrics.data) {
    return <LoadError error={metrics.error} onRetry={() => void metrics.refetch()} />;
  }
  return (
    <>
      <Heading title="Scheduler">{isAdmin && <Rebalance />}</Heading>
      <Figures figures={metrics.data && figuresOf(metrics.data)} />
      <Panel
        title="Next 24 hours"
        aside={
          spread.data &&
          `${formatCount(spread.data.total)} runs scheduled, at most ${spread.data.peak} per slot`
        }
      >
        {spread.error && !spread.data ? (
          <LoadError error={spread.error} onRetry={() => void spread.refetch()} />
        ) : !spread.data ? (
          <Skeleton className="m-4 h-48" />
        ) : (
          <>
            <HeatMap spread={spread.data} />
            <p className="px-4 pb-4 text-quiet">
              <strong className="font-semibold text-ink">
                Score {spread.data.distribution_score.toFixed(2)}.
              </strong>{" "}
              {describeScore(spread.data)}
            </p>
          </>
        )}
      </Panel>
      <Panel title="Jobs by state">
        <div className="px-4 pb-4">
          {!metrics.data ? <Skeleton className="h-16" /> : <States counts={metrics.data.jobs} />}
        </div>
      </Panel>
    </>
  );
}

function describeScore(spread: Schemas["Distribution"]): string {
  if (spread.total === 0) return "No runs are scheduled in the next 24 hours.";
  if (spread.distribution_score >= 0.7) return "1 is evenly spread, 0 is all at once. Jobs are spread well.";
  return "1 is evenly spread, 0 is all at once. Too many jobs share a few slots; a rebalance would help.";
}

function States({ counts }: { counts: Metrics["jobs"] }) {
  const shares = JOB_STATES.map((state) => ({
    label: state,
    count: counts[state],
    tone: toneOf(state),
    link: (
      <Link to="/jobs" search={{ status: state }} className="hover:underline">
        {state}
      </Link>
    ),
  }));
  if (shares.every((each) => each.count === 0)) {
    return (
      <Empty title="No jobs yet">
        Each enabled{" "}
        <Link to="/sources" className="text-accent underline">
          source
        </Link>{" "}
        has a job.
      </Empty>
    );
  }
  return <Shares shares={shares} label="Jobs by state" />;
}

function figuresOf(metrics: Metrics): readonly Figure[] {
  const { executions } = metrics;
  return [
    ["Running", formatCount(metrics.jobs.running)],
    ["Scheduled", formatCount(metrics.jobs.scheduled)],
    ["Due", formatCount(metrics.due)],
    ["Lag", metrics.due === 0 ? "none" : formatDuration(metrics.lag_s)],
    ["Executions", formatCount(executions.total)],
    ["Success rate", executions.success_rate === null ? "–" : formatPercent(executions.success_rate)],
    [
      "Average duration",
      executions.average_duration_ms === null ? "–" : formatDuration(executions.average_duration_ms / 1000),
    ],
    ["Stale locks", formatCount(metrics.stale_locks_cleared)],
  ];
}

/** Shows what a rebalance would move, and moves it on confirmation. */
function Rebalance() {
  const [plan, setPlan] = useState<RebalancePlan | null>(null);
  const preview = useAction({
    perform: () => call("post", "/api/v1/scheduler/rebalance/preview"),
    onSuccess: setPlan,
    refreshes: [],
  });
  const apply = useAction({
    perform: () => call("post", "/api/v1/scheduler/rebalance"),
    success: (done) =>
      `${formatCount(done.moves.length)} jobs moved. The score is now ${done.score_after.toFixed(2)}.`,
    onSettled: () => setPlan(null),
    refreshes: JOB_NOUNS,
  });
  return (
    <>
      <Button disabled={preview.isPending} onClick={() => preview.mutate()}>
        Rebalance…
      </Button>
      {plan && (
        <Dialog title="Rebalance jobs" onClose={() => setPlan(null)}>
          <p className="text-quiet">
            {plan.moves.length === 0
              ? "There is nothing to move. Jobs that start within 30 minutes stay, and all others are well placed."
              : `${formatCount(plan.moves.length)} jobs would move, and the score would change from ${plan.distribution_score.toFixed(2)} to ${plan.score_after.toFixed(2)}.`}
          </p>
          <ul tabIndex={0} aria-label="Moves" className="mt-3 max-h-64 overflow-y-auto">
            {plan.moves.map((move) => (
              <li key={move.job_id} className="flex justify-between gap-4 border-t border-line py-1.5">
                <span>Job {move.job_id}</span>
                <span className="text-quiet">
                  {formatMinute(new Date(move.from_at))} <span aria-hidden="true">→</span>
                  <span className="sr-only">to</span> {formatMinute(new Date(move.to_at))}
                </span>
              </li>
            ))}
          </ul>
          <div className="mt-5 flex justify-end gap-2">
            <Button onClick={() => setPlan(null)}>Cancel</Button>
            {plan.moves.length > 0 && (
              <Button kind="primary" disabled={apply.isPending} onClick={() => apply.mutate()}>
                Move jobs
              </Button>
            )}
          </div>
        </Dialog>
      )}
    </>
  );
}
