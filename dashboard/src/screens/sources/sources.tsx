import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { type Answer, call, type Query, type Schemas } from "../../api/client";
import { useList } from "../../api/queries";
import { useRole } from "../../api/session";
import { formatCount } from "../../format/numbers";
import { reveal } from "../../format/text";
import { useAction } from "../../forms/use-action";
import { SelectFilter, TextFilter } from "../../lists/filters";
import { hasFilters, pickFilters } from "../../lists/query";
import { useFilter } from "../../lists/use-filter";
import { Badge, Button, buttonClass, Dot, Empty, Heading } from "../../ui/basics";
import { Dialog } from "../../ui/dialog";
import { State, toneOf } from "../../ui/states";
import { type Column, Table } from "../../ui/table";
import { Time } from "../../ui/time";
import { Untrusted } from "../../ui/untrusted";
import { JOB_MEANINGS, JOB_NOUNS } from "../jobs/job-states";

type Source = Schemas["SourceView"];
type ListQuery = Query<"/api/v1/sources">;

const route = getRouteApi("/app/sources");

const COLUMNS: readonly Column<Source>[] = [
  {
    key: "name",
    title: "Source",
    width: "minmax(6rem,1.6fr)",
    sort: "name",
    cell: (row) => (
      <Link to="/sources/$id" params={{ id: String(row.id) }} className="font-medium hover:underline">
        <bdi>{reveal(row.name)}</bdi>
      </Link>
    ),
  },
  {
    key: "enabled",
    title: "Enabled",
    width: "6rem",
    from: "sm",
    cell: (row) =>
      row.enabled ? <span className="text-quiet">enabled</span> : <Badge tone="warn">disabled</Badge>,
  },
  {
    key: "seeds",
    title: "Seeds",
    width: "minmax(8rem,2fr)",
    from: "md",
    cell: (row) =>
      row.definition ? (
        <Seeds seeds={row.definition.seeds} />
      ) : (
        <span className="text-bad" title={reveal(row.unreadable ?? "")}>
          unreadable
        </span>
      ),
  },
  {
    key: "job",
    title: "Job",
    width: "6.6rem",
    cell: (row) =>
      row.job ? (
        <Link to="/jobs/$id" params={{ id: String(row.job.id) }}>
          <State state={row.job.state} meanings={JOB_MEANINGS} />
        </Link>
      ) : (
        <span className="text-faint">none</span>
      ),
  },
  {
    key: "last",
    title: "Last run",
    width: "7rem",
    isNumber: true,
    from: "md",
    cell: (row) => <LastRun job={row.job} />,
  },
  {
    key: "next",
    title: "Next run",
    width: "5.2rem",
    isNumber: true,
    cell: (row) => <Time at={row.job?.next_run_at} />,
  },
];

function Seeds({ seeds }: { seeds: readonly string[] }) {
  const more = seeds.length - 1;
  return (
    <span title={reveal(seeds.slice(0, 20).join(" "))}>
      <Untrusted text={seeds[0] ?? ""} className="font-mono text-[0.92em]" />
      {more > 0 && <span className="text-quiet"> and {formatCount(more)} more</span>}
    </span>
  );
}

function LastRun({ job }: { job: Source["job"] }) {
  const last = job?.last_execution;
  if (!last) return <span className="text-faint">–</span>;
  return (
    <Link
      to="/executions/$id"
      params={{ id: String(last.id) }}
      className="inline-flex items-center gap-1.5 hover:underline"
      title={last.status}
    >
      <Dot tone={toneOf(last.status)} isBreathing={last.status === "running"} />
      <span className="sr-only">{last.status}, </span>
      <Time at={last.completed_at ?? last.started_at} />
    </Link>
  );
}

export function Sources() {
  const { enabled = "", q = "", sort = "name" } = route.useSearch();
  const { isAdmin } = useRole();
  const set = useFilter();
  const query = {
    sort,
    ...(enabled ? { enabled: enabled === "yes" } : {}),
    ...pickFilters({ q }, "q"),
  } as ListQuery;
  const list = useList("/api/v1/sources", { query, every_ms: 5000 });
  return (
    <>
      <Heading title="Sources">
        <TextFilter name="q" label="Name contains" value={q} className="w-44 max-sm:w-full" />
        <SelectFilter
          name="enabled"
          label="Enabled"
          value={enabled}
          options={[
            ["yes", "Enabled"],
            ["no", "Disabled"],
          ]}
          any="All"
        />
        <Link to="/sources/yaml" className={buttonClass()}>
          YAML
        </Link>
        {isAdmin && <Sync />}
        {isAdmin && (
          <Link to="/sources/new" className={buttonClass("primary")}>
            Add source
          </Link>
        )}
      </Heading>
      <Table
        noun="sources"
        columns={COLUMNS}
        list={list}
        keyOf={(row) => row.id}
        sort={sort}
        onSort={set("sort")}
        isFiltered={hasFilters(query)}
        empty={
          <Empty title="No sources yet">
            A source defines what is crawled on a schedule.{" "}
            {isAdmin ? (
              <>
                <Link to="/sources/new" className="text-accent underline">
                  Add the first source
                </Link>
                , or import a file with{" "}
                <Link to="/sources/yaml" className="text-accent underline">
                  YAML
                </Link>
                .
              </>
            ) : (
              "An administrator can add one."
            )}
          </Empty>
        }
      />
    </>
  );
}

type Report = Answer<"/api/v1/admin/sync-enabled-sources", "post">;

/** Reconciles jobs with their sources, and reports what changed. */
function Sync() {
  const [report, setReport] = useState<Report | null>(null);
  const sync = useAction({
    perform: () => call("post", "/api/v1/admin/sync-enabled-sources"),
    onSuccess: setReport,
    refreshes: JOB_NOUNS,
  });
  return (
    <>
      <Button
        disabled={sync.isPending}
        onClick={() => sync.mutate()}
        title="Compare every source with its job and fix differences."
      >
        Reconcile
      </Button>
      {report && (
        <Dialog title="Reconcile sources and jobs" onClose={() => setReport(null)}>
          <p className="text-quiet">
            {report.sources.length === 0
              ? `Nothing to fix: ${formatCount(report.unchanged)} jobs match their sources.`
              : `${formatCount(report.created)} created, ${formatCount(report.resumed)} resumed, ${formatCount(report.paused)} paused, ${formatCount(report.changed)} changed; ${formatCount(report.unchanged)} already matched.`}
          </p>
          <ul tabIndex={0} aria-label="Changed jobs" className="mt-3 max-h-64 overflow-y-auto">
            {report.sources.map((each) => (
              <li key={each.id} className="flex justify-between gap-4 border-t border-line py-1.5">
                <Untrusted text={each.name} className="min-w-0" />
                <span className="text-quiet">{each.step}</span>
              </li>
            ))}
          </ul>
          <div className="mt-5 flex justify-end">
            <Button onClick={() => setReport(null)}>Close</Button>
          </div>
        </Dialog>
      )}
    </>
  );
}
