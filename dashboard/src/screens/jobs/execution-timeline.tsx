import { Link } from "@tanstack/react-router";
import { formatAbsolute, formatDuration, formatRelative } from "../../format/times";
import { toneOf } from "../../ui/states";
import { useClock } from "../../ui/time";
import { useWidth } from "../../ui/width";
import type { Execution } from "./executions";

const MOST_PAST = 40;
const MOST_PAST_NARROW = 9;
const MOST_NEXT_NARROW = 3;

/** Past executions of a job and its next runs, one bar each. The height shows the duration. */
export function Timeline({ past, next }: { past: readonly Execution[]; next: readonly Date[] }) {
  const now = useClock();
  const { md } = useWidth();
  const shown = past.slice(0, md ? MOST_PAST : MOST_PAST_NARROW).toReversed();
  const planned = next.slice(0, md ? next.length : MOST_NEXT_NARROW);
  const longest_ms = Math.max(1, ...shown.map((each) => each.duration_ms ?? 0));
  return (
    <div className="px-4 pb-4">
      <div className="flex h-24 items-end gap-1 border-b border-line">
        <ol aria-label="Past executions" className="flex h-full min-w-0 items-end gap-1">
          {shown.map((each) => (
            <li key={each.id} className="flex h-full w-4 min-w-1 items-end">
              <Link
                to="/executions/$id"
                params={{ id: String(each.id) }}
                aria-label={`Execution ${each.execution_number}: ${describe(each, now)}`}
                title={`#${each.execution_number} ${describe(each, now)}`}
                className={`tone-${toneOf(each.status)} dot block w-full rounded-t-[3px] opacity-80 hover:opacity-100 ${each.status === "running" ? "breathing" : ""}`}
                style={{ height: `${heightOf(each, longest_ms)}%` }}
              />
            </li>
          ))}
        </ol>
        <span aria-hidden="true" title="now" className="mx-1 h-full w-px shrink-0 bg-edge" />
        <ol aria-label="Next runs" className="flex h-full shrink-0 items-end gap-1">
          {planned.map((at) => (
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
      <p className="pt-1.5 text-quiet text-xs">{summarize(shown, planned, now)}</p>
    </div>
  );
}

function summarize(past: readonly Execution[], next: readonly Date[], now: Date): string {
  const [first, last] = [next[0], next.at(-1)];
  const oldest = past[0];
  const parts = [
    oldest ? `Since #${oldest.execution_number}, ${formatRelative(new Date(oldest.started_at), now)}.` : "",
  ];
  if (!first || !last) parts.push("No runs scheduled.");
  else if (first === last) parts.push(`Next run ${formatRelative(first, now)}.`);
  else
    parts.push(
      `Next run ${formatRelative(first, now)}; the last one shown ${formatRelative(last, now)}, as currently scheduled.`,
    );
  return parts.join(" ").trim();
}

function heightOf(execution: Execution, longest_ms: number): number {
  if (execution.duration_ms === null) return 100;
  // Square root scale, so that a run of seconds is visible beside a run of hours.
  return Math.max(8, Math.sqrt(execution.duration_ms / longest_ms) * 100);
}

function describe(execution: Execution, now: Date): string {
  const took = execution.duration_ms === null ? "" : `, took ${formatDuration(execution.duration_ms / 1000)}`;
  return `${execution.status}${took}, ${formatRelative(new Date(execution.started_at), now)}`;
}
