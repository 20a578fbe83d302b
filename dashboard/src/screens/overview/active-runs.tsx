import { Link } from "@tanstack/react-router";
import { useRole } from "../../api/session";
import { formatCompact, formatRate } from "../../format/numbers";
import { describeRuns, rateOf } from "../../live/rate";
import { useLive } from "../../live/store";
import { Panel } from "../../ui/basics";
import { State } from "../../ui/states";
import { Time } from "../../ui/time";
import { RunActions } from "../runs/run-actions";
import { RunOwner } from "../sources/source-links";

/** All active runs, with their actions. */
export function ActiveRuns() {
  const progress = useLive((state) => state.progress);
  const samples = useLive((state) => state.samples);
  const { isAdmin } = useRole();
  if (!progress || progress.runs.length === 0) return null;
  return (
    <Panel title="Active runs" aside={describeRuns(progress)}>
      <table className="mb-2 w-full" aria-label="Active runs">
        <thead className="text-left text-xs text-quiet">
          <tr>
            <th className="w-full px-4 font-medium">Run</th>
            <th className="font-medium">State</th>
            <th className="pl-6 text-right font-medium">Pages</th>
            <th className="pl-6 text-right font-medium max-sm:hidden">Pages/s</th>
            <th className="pr-4 pl-6 text-right font-medium max-sm:hidden">Started</th>
            {isAdmin && <th className="px-4 text-right font-medium">Actions</th>}
          </tr>
        </thead>
        <tbody>
          {progress.runs.map((run) => (
            <tr key={run.id} className="h-9 border-t border-line/60">
              <td className="max-w-0 truncate px-4">
                <Link
                  to="/runs/$id"
                  params={{ id: String(run.id) }}
                  className="mr-2 font-medium hover:underline"
                >
                  Run {run.id}
                </Link>
                <RunOwner run={run} />
              </td>
              <td>
                <State state={run.state} />
              </td>
              <td className="text-right">{formatCompact(run.pages)}</td>
              <td className="text-right max-sm:hidden">{formatRate(rateOf(samples, run))}</td>
              <td className="pr-4 pl-6 text-right text-quiet max-sm:hidden">
                <Time at={run.started_at} />
              </td>
              {isAdmin && (
                <td className="px-2 text-right whitespace-nowrap max-sm:whitespace-normal">
                  <span className="inline-flex flex-wrap justify-end gap-1.5 py-1 sm:flex-nowrap">
                    <RunActions id={run.id} state={run.state} isSmall />
                  </span>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}
