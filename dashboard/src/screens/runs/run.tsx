import { getRouteApi, Link } from "@tanstack/react-router";
import type { Schemas } from "../../api/client";
import { useApi } from "../../api/queries";
import { useRole } from "../../api/session";
import { formatBytes, formatCount } from "../../format/numbers";
import { formatDuration } from "../../format/times";
import { Heading, LoadError, Skeleton } from "../../ui/basics";
import { type Figure, Figures } from "../../ui/figures";
import { ParentLink } from "../../ui/parent-link";
import { State } from "../../ui/states";
import { Tabs } from "../../ui/tabs";
import { Time } from "../../ui/time";
import { ErrorTable } from "../errors/errors";
import { ItemTable } from "../items/items";
import { SettingsView } from "../settings/settings-view";
import { RunOwner } from "../sources/source-links";
import { VisitTable } from "../urls/visits";
import { WorkerTable } from "../workers/workers";
import { LeftoverNotice } from "./leftover-notice";
import { RunActions } from "./run-actions";
import { Log } from "./run-log";
import { spanOf } from "./runs";

const route = getRouteApi("/app/runs/$id");
const TABS = [
  ["log", "Log"],
  ["visits", "Visits"],
  ["items", "Items"],
  ["errors", "Errors"],
  ["workers", "Workers"],
  ["settings", "Settings"],
] as const;

export function RunScreen() {
  const { id } = route.useParams();
  const { tab = "log" } = route.useSearch();
  const { isAdmin } = useRole();
  const number = Number(id);
  const { data, error, refetch } = useApi("/api/v1/runs/{id}", { path: { id: number }, every_ms: 2000 });
  if (error && !data) return <LoadError error={error} onRetry={() => void refetch()} />;
  return (
    <>
      <Heading
        title={`Run ${id}`}
        above={
          <>
            <ParentLink to="/runs">Runs</ParentLink>
            {data?.source_id != null && (
              <>
                {" of "}
                <RunOwner run={data} />
              </>
            )}
            {data?.execution_id != null && (
              <>
                {", started by "}
                <Link
                  to="/executions/$id"
                  params={{ id: String(data.execution_id) }}
                  className="hover:underline"
                >
                  its job
                </Link>
              </>
            )}
          </>
        }
      >
        {data ? <State state={data.state} /> : <Skeleton className="h-6 w-20" />}
        {isAdmin && data && <RunActions id={number} state={data.state} />}
      </Heading>
      <Figures figures={data && figuresOf(data)} />
      <LeftoverNotice run={data} />
      <Tabs tabs={TABS} current={tab} label={`Tabs of run ${id}`} />
      {tab === "log" && <Log id={number} />}
      {tab === "visits" && <VisitTable query={{ run: number }} />}
      {tab === "items" && <ItemTable query={{ run: number }} />}
      {tab === "errors" && <ErrorTable query={{ run: number }} />}
      {tab === "workers" && <WorkerTable query={{ run: number, all: true }} />}
      {tab === "settings" &&
        (data ? (
          <SettingsView settings={data.settings} others={data.service_settings} />
        ) : (
          <Skeleton className="h-72" />
        ))}
    </>
  );
}

function figuresOf(run: Schemas["RunDetail"]): readonly Figure[] {
  return [
    ["Pages", formatCount(run.pages)],
    ...(run.items > 0 ? ([["Items", formatCount(run.items)]] as const) : []),
    ["Requests", formatCount(run.requests)],
    ["Traffic", formatBytes(run.wire_bytes)],
    ["Duration", formatDuration(spanOf(run))],
    ["Workers so far", formatCount(run.workers_count)],
    ["Started", <Time key="started" at={run.started_at} />],
  ];
}
