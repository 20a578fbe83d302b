import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { call, type Schemas } from "../../api/client";
import { useApi } from "../../api/queries";
import { useRole } from "../../api/session";
import { formatCount } from "../../format/numbers";
import { reveal } from "../../format/text";
import { useAction } from "../../forms/use-action";
import { Badge, Button, Facts, Heading, LoadError, Panel, Skeleton } from "../../ui/basics";
import { Confirm } from "../../ui/dialog";
import { ParentLink } from "../../ui/parent-link";
import { State } from "../../ui/states";
import { Tabs } from "../../ui/tabs";
import { Time } from "../../ui/time";
import { ExplainLink, Untrusted } from "../../ui/untrusted";
import { FeedTable } from "../feeds/feeds";
import { ExecutionTable } from "../jobs/executions";
import { JobActions } from "../jobs/job-actions";
import { JOB_MEANINGS, JOB_NOUNS } from "../jobs/job-states";
import { JobTable } from "../jobs/jobs";
import { describeHours, describeInterval } from "../jobs/schedule-draft";
import { describeSwitches, type NearChoice, readNear } from "./finding";
import { describeRule } from "./merge-rules";
import { describeCandidate, describeParser } from "./parsers";
import { SourceForm } from "./source-form";
import { YamlEditor } from "./sources-yaml";

type Source = Schemas["SourceView"];
type Definition = Schemas["SourceDefinition"];

const route = getRouteApi("/app/sources/$id");
const TABS = [
  ["definition", "Definition"],
  ["jobs", "Jobs"],
  ["feeds", "Feeds"],
  ["yaml", "YAML"],
] as const;
const ADMIN_TABS = [...TABS, ["edit", "Edit"]] as const;
const MOST_SEEDS = 50;

export function SourceScreen() {
  const { id } = route.useParams();
  const { tab = "definition" } = route.useSearch();
  const { isAdmin } = useRole();
  const number = Number(id);
  const { data, error, refetch } = useApi("/api/v1/sources/{source_id}", {
    path: { source_id: number },
    every_ms: 5000,
  });
  if (error && !data) return <LoadError error={error} onRetry={() => void refetch()} />;
  return (
    <>
      <Heading
        title={data ? <Untrusted text={data.name} /> : `Source ${id}`}
        name={data ? reveal(data.name) : `Source ${id}`}
        above={<ParentLink to="/sources">Sources</ParentLink>}
      >
        {data ? (
          <>
            <Badge tone={data.enabled ? "ok" : "quiet"}>{data.enabled ? "enabled" : "disabled"}</Badge>
            {data.unreadable && <Badge tone="bad">unreadable</Badge>}
          </>
        ) : (
          <Skeleton className="h-6 w-20" />
        )}
        {isAdmin && data && <SourceActions source={data} />}
      </Heading>
      {data?.unreadable && (
        <p className="tone-bad toned rounded-[10px] border px-4 py-2.5">{reveal(data.unreadable)}</p>
      )}
      {data && data.warnings.length > 0 && (
        <ul className="tone-warn toned rounded-[10px] border px-4 py-2.5">
          {data.warnings.map((warning) => (
            <li key={warning}>{reveal(warning)}</li>
          ))}
        </ul>
      )}
      <Tabs tabs={isAdmin ? ADMIN_TABS : TABS} current={tab} label={`Tabs of source ${id}`} />
      {tab === "definition" && (data ? <Overview source={data} /> : <Skeleton className="h-72" />)}
      {tab === "jobs" && <JobTable query={{ source_id: number }} />}
      {tab === "feeds" && <FeedTable query={{ source_id: number }} />}
      {tab === "yaml" && <YamlEditor sourceId={number} />}
      {tab === "edit" && isAdmin && data?.definition && <SourceForm key={data.version} source={data} />}
    </>
  );
}

function Overview({ source }: { source: Source }) {
  const { definition, job } = source;
  return (
    <>
      {definition && (
        <div className="grid gap-4 lg:grid-cols-2">
          <Target definition={definition} />
          <Panel title="Schedule" aside={job && <JobLink job={job} />}>
            <Facts facts={scheduleOf(source, definition)} />
          </Panel>
        </div>
      )}
      {job && (
        <>
          <h2 className="mt-1 font-semibold">Executions of its job</h2>
          <ExecutionTable jobId={job.id} />
        </>
      )}
    </>
  );
}

function Target({ definition }: { definition: Definition }) {
  const { seeds } = definition;
  return (
    <Panel title="What to crawl" aside={seeds.length === 1 ? "1 seed" : `${formatCount(seeds.length)} seeds`}>
      <ul className="max-h-48 overflow-y-auto px-4 pb-3">
        {seeds.slice(0, MOST_SEEDS).map((seed) => (
          <li key={seed} className="truncate py-0.5">
            <ExplainLink url={seed} />
          </li>
        ))}
        {seeds.length > MOST_SEEDS && (
          <li className="py-0.5 text-quiet">
            and {formatCount(seeds.length - MOST_SEEDS)} more; see the YAML tab for all
          </li>
        )}
      </ul>
      <Facts facts={factsOf(definition)} />
    </Panel>
  );
}

function JobLink({ job }: { job: NonNullable<Source["job"]> }) {
  return (
    <Link to="/jobs/$id" params={{ id: String(job.id) }} className="text-accent hover:underline">
      Job {job.id}
    </Link>
  );
}

const SERVER_SETTING = <span className="text-faint">server setting</span>;

function factsOf(definition: Definition) {
  const { scope, limits, extract } = definition;
  const headers = Object.keys(definition.headers ?? {});
  const rules = Object.keys(definition.item_rules ?? {});
  return [
    definition.description !== "" && {
      label: "Description",
      value: <Untrusted text={definition.description} />,
    },
    { label: "Links to follow", value: scope.kind ?? SERVER_SETTING },
    Boolean(scope.include?.length) && {
      label: "Include",
      value: <Patterns patterns={scope.include ?? []} />,
    },
    Boolean(scope.exclude?.length) && {
      label: "Exclude",
      value: <Patterns patterns={scope.exclude ?? []} />,
    },
    Boolean(scope.keep_parameters?.length) && {
      label: "Parameters to keep",
      value: <Patterns patterns={scope.keep_parameters ?? []} />,
    },
    Boolean(scope.merge_rules?.length) && {
      label: "Merge rules",
      value: <Patterns patterns={(scope.merge_rules ?? []).map(describeRule)} />,
    },
    Boolean(extract.only?.length) && {
      label: "Text only from",
      value: <Patterns patterns={extract.only ?? []} />,
    },
    Boolean(extract.without?.length) && {
      label: "No text from",
      value: <Patterns patterns={extract.without ?? []} />,
    },
    extract.detect_language != null && {
      label: "Languages",
      value: extract.detect_language ? "detected where pages do not say theirs" : "not detected",
    },
    definition.store_bodies != null && {
      label: "Bodies",
      value: definition.store_bodies ? "stored" : "not stored",
    },
    extract.markdown != null && { label: "Markdown", value: extract.markdown ? "kept" : "not kept" },
    extract.content_types != null && {
      label: "PDFs",
      value: extract.content_types.includes("application/pdf") ? "read" : "not read",
    },
    extract.pdf_pages != null && { label: "Pages of a PDF", value: formatCount(extract.pdf_pages) },
    definition.parsers.length > 0 && {
      label: "Parsers",
      value: <Patterns patterns={definition.parsers.map(describeParser)} />,
    },
    definition.candidates.length > 0 && {
      label: "Candidates",
      value: <Patterns patterns={definition.candidates.map(describeCandidate)} />,
    },
    Boolean(rules.length) && {
      label: "Rules for items",
      value: <Untrusted text={rules.join(", ")} />,
    },
    extract.article != null && { label: "Articles", value: ARTICLES[extract.article] },
    ...describeSwitches(definition),
    { label: "Near-duplicates", value: NEAR_CHOICES[readNear(definition.similarity)] },
    { label: "Depth", value: formatCount(limits.max_depth) },
    {
      label: "Pages per run",
      value: limits.max_pages == null ? SERVER_SETTING : formatCount(limits.max_pages),
    },
    {
      label: "Pages per domain",
      value: limits.pages_per_domain == null ? SERVER_SETTING : formatCount(limits.pages_per_domain),
    },
    {
      label: "New URLs per second",
      value: limits.new_urls_per_s == null ? SERVER_SETTING : formatCount(limits.new_urls_per_s),
    },
    { label: "Delay", value: definition.delay_s == null ? SERVER_SETTING : `${definition.delay_s} s` },
    {
      label: "Rate limit per",
      value:
        definition.share_pace == null
          ? SERVER_SETTING
          : definition.share_pace === "site"
            ? "site, including all subdomains"
            : "domain",
    },
    definition.network?.enabled != null && {
      label: "Network outages",
      value: definition.network.enabled ? "wait until the network is back" : "count failures against sites",
    },
    Boolean(definition.user_agent) && {
      label: "User agent",
      value: <Untrusted text={definition.user_agent ?? ""} />,
    },
    Boolean(definition.contact) && { label: "Contact", value: <Untrusted text={definition.contact ?? ""} /> },
    headers.length > 0 && { label: "Headers", value: <Untrusted text={headers.join(", ")} /> },
    {
      label: "Feeds",
      value: definition.feeds
        ? `followed, ${describeInterval(definition.feed_interval_minutes, "minutes")}`
        : "not followed",
    },
    { label: "Revisits", value: RECRAWLS[definition.recrawl] },
  ];
}

const ARTICLES: Record<Schemas["ArticleUse"], string> = {
  never: "not made items of",
  fallback: "made items of where no other parser makes one",
  always: "made items of",
};

const NEAR_CHOICES: Record<NearChoice, ReactNode> = {
  "": SERVER_SETTING,
  keep: "stored and marked",
  drop: "not stored",
  off: "not looked for",
};

const RECRAWLS: Record<Schemas["Recrawl"], string> = {
  due: "pages that are due",
  all: "all pages",
  new: "no pages",
};

function Patterns({ patterns }: { patterns: readonly string[] }) {
  return (
    <>
      {patterns.map((pattern) => (
        <Untrusted key={pattern} text={pattern} className="mr-3 font-mono text-[0.92em]" />
      ))}
    </>
  );
}

function scheduleOf(source: Source, { schedule }: Definition) {
  const { job } = source;
  return [
    {
      label: "Runs",
      value: schedule ? describeInterval(schedule.interval_minutes, schedule.interval_type) : "once",
    },
    schedule != null && {
      label: "Adaptive",
      value: schedule.adaptive_scheduling ? "yes; less often while nothing changes" : "no",
    },
    schedule?.active_hours != null && {
      label: "Hours",
      value: `${describeHours(schedule.active_hours)} (${schedule.timezone})`,
    },
    { label: "Job", value: job ? <State state={job.state} meanings={JOB_MEANINGS} /> : "none" },
    { label: "Next run", value: <Time at={job?.next_run_at} /> },
    schedule != null && { label: "Retries", value: formatCount(schedule.max_retries) },
    schedule != null && { label: "Priority", value: formatCount(schedule.priority) },
    { label: "Added", value: <Time at={source.created_at} /> },
    { label: "Changed", value: <Time at={source.updated_at} /> },
  ];
}

function SourceActions({ source }: { source: Source }) {
  const [isRemoving, setRemoving] = useState(false);
  const navigate = useNavigate();
  const path = { source_id: source.id };
  const turn = useAction({
    perform: () =>
      source.enabled
        ? call("post", "/api/v1/sources/{source_id}/disable", { path })
        : call("post", "/api/v1/sources/{source_id}/enable", { path }),
    success: (now) =>
      `${now.name} is ${now.enabled ? "enabled. Its job runs on schedule" : "disabled. Its job is paused"}.`,
    refreshes: JOB_NOUNS,
  });
  const remove = useAction({
    perform: () => call("delete", "/api/v1/sources/{source_id}", { path }),
    success: () => `${source.name} was removed.`,
    onSuccess: () => navigate({ to: "/sources" }),
    onSettled: () => setRemoving(false),
    refreshes: JOB_NOUNS,
  });
  return (
    <>
      {source.job && <JobActions id={source.job.id} state={source.job.state} only={["force-run", "retry"]} />}
      <Button disabled={turn.isPending} onClick={() => turn.mutate()}>
        {source.enabled ? "Disable" : "Enable"}
      </Button>
      <Button kind="danger" onClick={() => setRemoving(true)}>
        Remove
      </Button>
      {isRemoving && (
        <Confirm
          title={`Remove ${reveal(source.name)}?`}
          action="Remove source"
          isDangerous
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate()}
          onClose={() => setRemoving(false)}
        >
          Its jobs and their executions are removed, too. Crawled pages are kept; its domains no longer belong
          to a source.
        </Confirm>
      )}
    </>
  );
}
