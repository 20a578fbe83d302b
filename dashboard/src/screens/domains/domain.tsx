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
import { DomainSitemaps } from "./domain-sitemaps";
import { Guesses } from "./guesses";
import { findNextRequest } from "./next-request";
import { PolitenessReceipt } from "./politeness-receipt";
import { RobotsTxt } from "./robots-txt";
import { TrapsOf } from "./traps";

type Detail = Schemas["DomainDetail"];

const route = getRouteApi("/app/domains/$name");
const TABS = [
  ["overview", "Overview"],
  ["receipt", "Politeness receipt"],
  ["robots", "robots.txt"],
  ["sitemaps", "Sitemaps"],
  ["guesses", "Lists and archives"],
  ["pages", "Pages"],
  ["visits", "Visits"],
  ["traps", "Traps"],
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
      <Tabs tabs={TABS} current={tab} label={`Tabs of ${name}`} />
      {tab === "overview" && (data ? <Overview domain={data} /> : <Skeleton className="h-72" />)}
      {tab === "receipt" && <PolitenessReceipt name={name} />}
      {tab === "robots" && <RobotsTxt name={name} path={path} />}
      {tab === "sitemaps" && <DomainSitemaps domain={name} />}
      {tab === "guesses" && <Guesses name={name} />}
      {tab === "pages" && <PagesOf domain={name} />}
      {tab === "visits" && <VisitsOf domain={name} />}
      {tab === "traps" && <TrapsOf domain={name} />}
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
        <Panel title="URLs by fate" aside={`${formatCount(domain.urls)} known`}>
          <div className="px-4 pb-4">
            <Shares shares={fates} label="URLs by fate" />
          </div>
        </Panel>
        <Panel title="How its URLs were found" aside="stored pages of known URLs">
          <Facts
            facts={domain.found_by
              .filter((each) => each.urls > 0)
              .map((each) => ({
                label: words(each.way),
                value: `${formatCount(each.pages)} of ${formatCount(each.urls)}`,
              }))}
          />
        </Panel>
        <Panel title="History">
          {domain.events.length === 0 ? (
            <Empty title="No changes yet">The state of this domain has never changed.</Empty>
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
                      {event.run_id === null && <span className="text-faint">by a user</span>}
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
        <Statistics domain={domain} />
      </div>
    </div>
  );
}

function Statistics({ domain }: { domain: Detail }) {
  const next = findNextRequest(domain, useClock());
  return (
    <Panel title="Statistics">
      <Facts
        facts={[
          domain.block_reason !== null && {
            label: "Block reason",
            value: <Untrusted text={domain.block_reason} />,
          },
          domain.next_crawl_after !== null && {
            label: "On hold until",
            value: <Time at={domain.next_crawl_after} />,
          },
          {
            label: "Progress",
            value: <Meter part={domain.urls - domain.queued} whole={domain.urls} label="URLs done" />,
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
          { label: "Queued", value: formatCount(domain.queued) },
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
            label: "Backoff until",
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
    title: "Block this domain?",
    action: "Block domain",
    effect: "No requests are made until a user unblocks it. Its URLs stay queued, and stored pages are kept.",
    path: "/api/v1/domains/{name}/block",
  },
  unblock: {
    title: "Unblock this domain?",
    action: "Unblock domain",
    effect: "It starts with a clean record, and its URLs are fetched in turn.",
    path: "/api/v1/domains/{name}/unblock",
  },
  reset: {
    title: "Reset this domain?",
    action: "Reset domain",
    effect: "All its URLs are queued again. Stored pages are kept until they are replaced.",
    path: "/api/v1/admin/domains/{name}/reset",
  },
};

const NO_REASON = "no reason given";

function Actions({ domain }: { domain: Detail }) {
  const [open, setOpen] = useState<ActionName | null>(null);
  const [reason, setReason] = useState("");
  const action = useAction({
    perform: (name: ActionName) =>
      call("post", ACTIONS[name].path as "/api/v1/domains/{name}/block", {
        path: { name: domain.name },
        body: { reason: reason.trim() || NO_REASON },
      }),
    success: (moved) => `${moved.name} is now ${moved.status}.`,
    onSuccess: () => {
      setOpen(null);
      setReason("");
    },
    refreshes: ["domains"],
  });
  const isOnHold = domain.status === "blocked" || domain.status === "unreachable";
  return (
    <>
      <Button onClick={() => setOpen("reset")}>Reset</Button>
      {isOnHold ? (
        <Button onClick={() => setOpen("unblock")}>Unblock</Button>
      ) : (
        <Button kind="danger" onClick={() => setOpen("block")}>
          Block
        </Button>
      )}
      {open && (
        <Confirm
          title={ACTIONS[open].title}
          action={ACTIONS[open].action}
          isDangerous={open === "block"}
          isBusy={action.isPending}
          onConfirm={() => action.mutate(open)}
          onClose={() => setOpen(null)}
        >
          <p>{ACTIONS[open].effect}</p>
          <div className="mt-4">
            <TextField
              label="Reason (kept in the history)"
              value={reason}
              onChange={setReason}
              placeholder={NO_REASON}
              maxLength={500}
            />
          </div>
        </Confirm>
      )}
    </>
  );
}
