import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { call, type Schemas } from "../../api/client";
import { useApi } from "../../api/queries";
import { useRole } from "../../api/session";
import { formatBytes, formatCount, formatPercent } from "../../format/numbers";
import { reveal, words } from "../../format/text";
import { TextField } from "../../forms/fields";
import { useAction } from "../../forms/use-action";
import { Button, Empty, Facts, Heading, LoadError, Panel, Skeleton } from "../../ui/basics";
import { Confirm } from "../../ui/dialog";
import { Meter, Shares } from "../../ui/meter";
import { ParentLink } from "../../ui/parent-link";
import { State, toneOf } from "../../ui/states";
import { Tabs } from "../../ui/tabs";
import { Time, useClock } from "../../ui/time";
import { Untrusted } from "../../ui/untrusted";
import { PagesOf } from "../pages/pages";
import { VisitsOf } from "../urls/visits";
import { DomainRules } from "./domain-rules-panel";
import { findNextRequest } from "./next-request";
import { PolitenessReceipt } from "./politeness-receipt";
import { RobotsTxt } from "./robots-txt";

type Detail = Schemas["DomainDetail"];

const route = getRouteApi("/app/domains/$name");
const TABS = [
  ["overview", "Story"],
  ["receipt", "Politeness receipt"],
  ["robots", "robots.txt"],
  ["pages", "Pages"],
  ["visits", "Visits"],
] as const;

export function DomainScreen() {
  const { name } = route.useParams();
  const { tab = "overview", path = "/" } = route.useSearch();
  const { isAdmin } = useRole();
  const { data, error, refetch } = useApi("/api/v1/domains/{name}", { path: { name }, every_ms: 5000 });
  if (error && !data) return <LoadError error={error} onRetry={() => void refetch()} />;
  return (
    <>
      <Heading
        title={<Untrusted text={name} />}
        name={reveal(name)}
        above={<ParentLink to="/domains">Domains</ParentLink>}
      >
        {data ? <State state={data.status} /> : <Skeleton className="h-6 w-20" />}
        {data && !data.rules.is_active && <State state="inactive" />}
        {isAdmin && data && <Actions domain={data} />}
      </Heading>
      <Tabs tabs={TABS} current={tab} label={`Parts of ${name}`} />
      {tab === "overview" && (data ? <Overview domain={data} /> : <Skeleton className="h-72" />)}
      {tab === "receipt" && <PolitenessReceipt name={name} />}
      {tab === "robots" && <RobotsTxt name={name} path={path} />}
      {tab === "pages" && <PagesOf domain={name} />}
      {tab === "visits" && <VisitsOf domain={name} />}
    </>
  );
}

function Overview({ domain }: { domain: Detail }) {
  const fates = Object.entries(domain.fates).map(([fate, count]) => ({
    label: fate,
    count,
    tone: toneOf(fate),
    link: (
      <Link to="/urls" search={{ domain: domain.name, fate }} className="hover:underline">
        {words(fate)}
      </Link>
    ),
  }));
  return (
    <div className="grid gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <div className="flex min-w-0 flex-col gap-4">
        <Panel title="Where its urls are" aside={`${formatCount(domain.urls)} known`}>
          <div className="px-4 pb-4">
            <Shares shares={fates} label="Fates of its urls" />
          </div>
        </Panel>
        <Panel title="What happened">
          {domain.events.length === 0 ? (
            <Empty title="Nothing yet">Its state has never changed.</Empty>
          ) : (
            <ol className="px-4 pb-4">
              {domain.events.toReversed().map((event) => (
                <li
                  key={`${event.at}${event.to_status}`}
                  className="flex gap-4 border-line border-t py-2 first:border-t-0"
                >
                  <Time at={event.at} className="w-24 shrink-0 text-quiet" />
                  <div className="min-w-0">
                    <p className="flex flex-wrap items-center gap-1.5">
                      {words(event.from_status)} <span aria-hidden="true">→</span>{" "}
                      <State state={event.to_status} />
                      <span className="text-quiet">{words(event.cause)}</span>
                      {event.run_id === null && <span className="text-faint">by a person</span>}
                    </p>
                    {event.detail && <Untrusted text={event.detail} className="text-quiet" />}
                  </div>
                </li>
              ))}
            </ol>
          )}
        </Panel>
      </div>
      <div className="flex min-w-0 flex-col gap-4">
        <DomainRules domain={domain} />
        <Numbers domain={domain} />
      </div>
    </div>
  );
}

function Numbers({ domain }: { domain: Detail }) {
  const next = findNextRequest(domain, useClock());
  return (
    <Panel title="In numbers">
      <Facts
        facts={[
          domain.block_reason !== null && {
            label: "Left alone",
            value: <Untrusted text={domain.block_reason} />,
          },
          domain.next_crawl_after !== null && {
            label: "Rests until",
            value: <Time at={domain.next_crawl_after} />,
          },
          {
            label: "Progress",
            value: <Meter part={domain.urls - domain.queued} whole={domain.urls} label="urls with a fate" />,
          },
          domain.site !== domain.name && {
            label: "Site",
            value: (
              <Link to="/domains" search={{ site: domain.site }} className="hover:underline">
                <Untrusted text={domain.site} />
              </Link>
            ),
          },
          { label: "Pages", value: formatCount(domain.pages) },
          { label: "Waiting", value: formatCount(domain.queued) },
          { label: "Requests", value: formatCount(domain.requests) },
          {
            label: "Yield",
            value: domain.requests ? formatPercent(domain.pages / domain.requests) : null,
            hint: "Pages per request",
          },
          {
            label: "Errors",
            value: `${formatCount(domain.errors)}${domain.error_rate ? ` (${formatPercent(domain.error_rate)})` : ""}`,
          },
          { label: "Traffic", value: formatBytes(domain.wire_bytes) },
          {
            label: "Images",
            value: `${formatCount(domain.images_stored)} stored of ${formatCount(domain.images_found)}`,
          },
          {
            label: "Next request",
            value: "at" in next ? <Time at={next.at} /> : next.words,
          },
          domain.backoff_until !== null && {
            label: "Asked for rest until",
            value: <Time at={domain.backoff_until} />,
          },
          { label: "Breaker", value: <State state={domain.breaker.state} /> },
          domain.lease !== null && {
            label: "Leased by",
            value: <Untrusted text={`${domain.lease.host}, process ${domain.lease.pid}`} />,
          },
          { label: "Depth reached", value: formatCount(domain.depth_reached) },
          { label: "Score", value: `${formatCount(domain.priority_score)} (tier ${domain.tier})` },
          domain.seed_rank !== null && { label: "Rank", value: formatCount(domain.seed_rank) },
          { label: "First seen", value: <Time at={domain.first_seen_at} /> },
          { label: "Last visit", value: <Time at={domain.last_crawled_at} /> },
          domain.revisit_at !== null && { label: "Next revisit", value: <Time at={domain.revisit_at} /> },
        ]}
      />
    </Panel>
  );
}

type ActionName = "block" | "unblock" | "reset";
const ACTIONS: Record<
  ActionName,
  { title: string; action: string; effect: string; path: `/api/v1/${string}` }
> = {
  block: {
    title: "Leave this domain alone?",
    action: "Block it",
    effect:
      "No request is made to it until somebody unblocks it. Its urls keep waiting, and nothing stored is deleted.",
    path: "/api/v1/domains/{name}/block",
  },
  unblock: {
    title: "Let this domain be asked again?",
    action: "Unblock it",
    effect: "It starts with a clean record, and its urls are fetched when their turn comes.",
    path: "/api/v1/domains/{name}/unblock",
  },
  reset: {
    title: "Crawl this domain again?",
    action: "Reset it",
    effect: "All its urls are wanted once more. What is stored stays until it is replaced.",
    path: "/api/v1/admin/domains/{name}/reset",
  },
};

function Actions({ domain }: { domain: Detail }) {
  const [asked, setAsked] = useState<ActionName | null>(null);
  const [reason, setReason] = useState("");
  const action = useAction({
    perform: (name: ActionName) =>
      call("post", ACTIONS[name].path as "/api/v1/domains/{name}/block", {
        path: { name: domain.name },
        body: { reason: reason.trim() || "by hand" },
      }),
    success: (moved) => `${moved.name} is ${moved.status} now.`,
    onSuccess: () => {
      setAsked(null);
      setReason("");
    },
    refreshes: ["domains"],
  });
  const rests = domain.status === "blocked" || domain.status === "unreachable";
  return (
    <>
      <Button onClick={() => setAsked("reset")}>Reset</Button>
      {rests ? (
        <Button onClick={() => setAsked("unblock")}>Unblock</Button>
      ) : (
        <Button kind="danger" onClick={() => setAsked("block")}>
          Block
        </Button>
      )}
      {asked && (
        <Confirm
          title={ACTIONS[asked].title}
          action={ACTIONS[asked].action}
          isDangerous={asked === "block"}
          isBusy={action.isPending}
          onConfirm={() => action.mutate(asked)}
          onClose={() => setAsked(null)}
        >
          <p>{ACTIONS[asked].effect}</p>
          <div className="mt-4">
            <TextField
              label="Reason, kept with its story"
              value={reason}
              onChange={setReason}
              placeholder="by hand"
              maxLength={500}
            />
          </div>
        </Confirm>
      )}
    </>
  );
}
