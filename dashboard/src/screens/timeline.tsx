import { Link } from "@tanstack/react-router";
import { formatAbsolute, formatDuration, formatRelative } from "../format/times";
import { toneOf } from "../ui/states";
import { useClock } from "../ui/time";
import { useWidth } from "../ui/width";
import type { Execution } from "./executions";

const MOST_PAST = 40;
const MOST_PAST_NARROW = 14;

/** What has become of a job, and when it runs next: a column for each, as high as it took long. */
export function Timeline({ past, next }: { past: readonly Execution[]; next: readonly Date[] }) {
  const now = useClock();
  const { md } = useWidth();
  const shown = past.slice(0, md ? MOST_PAST : MOST_PAST_NARROW).toReversed();
  const longest_ms = Math.max(1, ...shown.map((each) => each.duration_ms ?? 0));
  const oldest = shown[0];
  const last = next.at(-1);
  return (
    <div className="px-4 pb-4">
      <div className="flex h-24 items-end gap-1">
        <ol aria-label="Past executions" className="flex h-full min-w-0 flex-1 items-end justify-end gap-1">
          {shown.map((each) => (
            <li key={each.id} className="flex h-full max-w-4 min-w-1 flex-1 items-end">
              <Link
                to="/executions/$id"
                params={{ id: String(each.id) }}
                aria-label={`Execution ${each.execution_number}: ${describe(each, now)}`}
                title={`#${each.execution_number} ${describe(each, now)}`}
                className={`tone-${toneOf(each.status)} dot block w-full rounded-t-[3px] ${each.status === "running" ? "breathing" : ""}`}
                style={{ height: `${heightOf(each, longest_ms)}%` }}
              />
            </li>
          ))}
        </ol>
        <span aria-hidden="true" className="mx-1 h-full w-px shrink-0 bg-edge" />
        <ol aria-label="Next runs" className="flex h-full shrink-0 items-end gap-1">
          {next.map((at) => (
            <li
              key={at.getTime()}
              title={formatAbsolute(at)}
              className="h-1/2 w-4 rounded-t-[3px] border border-b-0 border-dashed border-edge"
            >
              <span className="sr-only">{formatRelative(at, now)}</span>
            </li>
          ))}
        </ol>
      </div>
      <div
        aria-hidden="true"
        className="flex justify-between gap-2 border-t border-line pt-1 text-2xs text-faint"
      >
        <span>
          {oldest ? `#${oldest.execution_number}, ${formatRelative(new Date(oldest.started_at), now)}` : ""}
        </span>
        <span>
          {next[0] ? `next ${formatRelative(next[0], now)}` : "no next run"}
          {last && next.length > 1 && ` … ${formatRelative(last, now)}`}
        </span>
      </div>
    </div>
  );
}

function heightOf(execution: Execution, longest_ms: number): number {
  if (execution.duration_ms === null) return 100;
  // By the root: a run of seconds shows beside one of hours.
  return Math.max(8, Math.sqrt(execution.duration_ms / longest_ms) * 100);
}

function describe(execution: Execution, now: Date): string {
  const took = execution.duration_ms === null ? "" : `, took ${formatDuration(execution.duration_ms / 1000)}`;
  return `${execution.status}${took}, ${formatRelative(new Date(execution.started_at), now)}`;
}
