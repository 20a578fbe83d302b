import { getRouteApi, Link } from "@tanstack/react-router";
import type { Schemas } from "../api/client";
import { useAnswer } from "../api/queries";
import { useRole } from "../api/session";
import { formatBytes, formatCount } from "../format/numbers";
import { formatDuration } from "../format/times";
import { Heading, Skeleton, Trouble } from "../ui/basics";
import { State } from "../ui/states";
import { Tabs } from "../ui/tabs";
import { Time } from "../ui/time";
import { Log } from "./log";
import { RunOrders } from "./run-orders";
import { spanOf } from "./runs";
import { SettingsView } from "./settings-view";
import { VisitTable } from "./visits";
import { WorkerTable } from "./workers";

const route = getRouteApi("/inside/runs/$id");
const TABS = [
  ["log", "Log"],
  ["visits", "Visits"],
  ["workers", "Workers"],
  ["settings", "Settings"],
] as const;

export function RunScreen() {
  const { id } = route.useParams();
  const { tab = "log" } = route.useSearch();
  const { isAdmin } = useRole();
  const number = Number(id);
  const { data, error, refetch } = useAnswer("/api/v1/runs/{id}", { path: { id: number }, every_ms: 2000 });
  if (error && !data) return <Trouble error={error} onRetry={() => void refetch()} />;
  return (
    <>
      <Heading
        title={`Run ${id}`}
        above={
          <Link to="/runs" className="hover:underline">
            Runs
          </Link>
        }
      >
        {data ? <State state={data.state} /> : <Skeleton className="h-6 w-20" />}
        {isAdmin && data && <RunOrders id={number} state={data.state} />}
      </Heading>
      <Summary run={data} />
      <Tabs tabs={TABS} current={tab} label={`Parts of run ${id}`} />
      {tab === "log" && <Log id={number} />}
      {tab === "visits" && <VisitTable query={{ run: number }} />}
      {tab === "workers" && <WorkerTable query={{ run: number, all: true }} />}
      {tab === "settings" &&
        (data ? <SettingsView settings={data.settings} /> : <Skeleton className="h-72" />)}
    </>
  );
}

function Summary({ run }: { run: Schemas["RunDetail"] | undefined }) {
  const facts = run && [
    ["Pages", formatCount(run.pages)],
    ["Requests", formatCount(run.requests)],
    ["Traffic", formatBytes(run.wire_bytes)],
    ["Took", formatDuration(spanOf(run))],
    ["Workers so far", formatCount(run.workers_count)],
  ];
  return (
    <dl className="panel grid grid-cols-2 overflow-hidden sm:grid-cols-3 lg:grid-cols-6">
      {facts ? (
        <>
          {facts.map(([label, value]) => (
            <Figure key={label} label={label ?? ""}>
              {value}
            </Figure>
          ))}
          <Figure label="Started">
            <Time at={run.started_at} />
          </Figure>
        </>
      ) : (
        <Skeleton className="m-4 h-10" />
      )}
    </dl>
  );
}

function Figure({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <div className="-mb-px -ml-px border-b border-l border-line px-4 py-2.5">
      <dt className="text-xs text-quiet">{label}</dt>
      <dd className="truncate text-lg font-semibold tracking-tight">{children}</dd>
    </div>
  );
}
