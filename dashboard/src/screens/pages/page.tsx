import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { callText, type Schemas } from "../../api/client";
import { useApi, useList } from "../../api/queries";
import { formatBytes, formatCount } from "../../format/numbers";
import { reveal } from "../../format/text";
import { formatDuration } from "../../format/times";
import { Empty, Facts, Heading, LoadError, Panel, Skeleton } from "../../ui/basics";
import { ParentLink } from "../../ui/parent-link";
import { HttpStatus, State } from "../../ui/states";
import { type Column, Table } from "../../ui/table";
import { Tabs } from "../../ui/tabs";
import { Time } from "../../ui/time";
import { DomainLink, ExplainLink, OutLink, Untrusted, UntrustedLines } from "../../ui/untrusted";
import { ItemTable } from "../items/items";
import { RevisitButton } from "../urls/retry-actions";
import { describeBits, PageLink } from "./duplicates";
import { InboundLinks } from "./inbound-links";
import { PageMarkdown } from "./markdown";

const route = getRouteApi("/app/pages/$id");
const TABS = [
  ["about", "About"],
  ["text", "Text"],
  ["markdown", "Markdown"],
  ["links", "Outbound links"],
  ["inbound", "Inbound links"],
  ["items", "Items"],
  ["versions", "History"],
] as const;

export function PageScreen() {
  const { id } = route.useParams();
  const { tab = "about" } = route.useSearch();
  const number = Number(id);
  const { data, error, refetch } = useApi("/api/v1/pages/{id}", { path: { id: number } });
  if (error && !data) return <LoadError error={error} onRetry={() => void refetch()} />;
  return (
    <>
      <Heading
        name={reveal(data?.title || "Page")}
        title={data ? <Untrusted text={data.title || "(no title)"} /> : <Skeleton className="h-8 w-72" />}
        above={<ParentLink to="/pages">Pages</ParentLink>}
      >
        {data && <State state={data.fate} />}
        {data && <RevisitButton url={data.url} fate={data.fate} />}
      </Heading>
      {data && <OutLink url={data.url} className="-mt-2" />}
      <Tabs tabs={TABS} current={tab} label="Tabs of the page" />
      {tab === "about" && (data ? <About page={data} /> : <Skeleton className="h-72" />)}
      {tab === "text" && <Text id={number} />}
      {tab === "markdown" && <PageMarkdown id={number} />}
      {tab === "links" && <Links id={number} />}
      {tab === "inbound" && <InboundLinks id={number} />}
      {tab === "items" && <ItemTable query={{ url_id: number }} />}
      {tab === "versions" && <Versions id={number} page={data} />}
    </>
  );
}

const PDF = "application/pdf"; // its fonts say what its bytes mean

function About({ page }: { page: Schemas["PageDetail"] }) {
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <Panel title="Metadata">
        <Facts
          facts={[
            { label: "Title", value: page.title && <Untrusted text={page.title} /> },
            { label: "Description", value: page.description && <Untrusted text={page.description} /> },
            { label: "Language", value: page.language && <Untrusted text={page.language} /> },
            { label: "Type", value: page.content_type && <Untrusted text={page.content_type} /> },
            page.content_type !== PDF && { label: "Charset", value: <Untrusted text={page.charset} /> },
            {
              label: "Canonical",
              value: page.canonical && <ExplainLink url={page.canonical} className="break-all" />,
            },
            { label: "Size", value: formatBytes(page.body_bytes) },
            page.stored_body !== null && {
              label: "Stored body",
              hint: `${formatBytes(page.stored_body.stored_bytes)} on disk`,
              value: (
                <a href={`/api/v1/pages/${page.id}/body`} download className="text-accent hover:underline">
                  Download {formatBytes(page.stored_body.bytes)}
                </a>
              ),
            },
            { label: "Links", value: formatCount(page.links_count) },
            { label: "Images", value: formatCount(page.images_count) },
            {
              label: "Text hash",
              value: <span className="font-mono text-[0.92em]">{page.content_hash}</span>,
            },
          ]}
        />
      </Panel>
      <Panel title="Crawl details">
        <Facts
          facts={[
            { label: "Domain", value: <DomainLink name={page.domain} /> },
            { label: "Status", value: <HttpStatus status={page.status} /> },
            page.duplicate_of !== null && {
              label: "Duplicate of",
              value: <ExplainLink url={page.duplicate_of} className="break-all" />,
            },
            page.near_duplicate_of !== null && {
              label: "Nearly the same as",
              hint: describeBits(page.near_duplicate_of.bits),
              value: <PageLink id={page.near_duplicate_of.id} url={page.near_duplicate_of.url} />,
            },
            page.near_duplicates.length > 0 && {
              label: "Near-duplicates",
              hint: "Pages whose text is nearly the same as that of this one",
              value: (
                <ul>
                  {page.near_duplicates.map((each) => (
                    <li key={each.id}>
                      <PageLink id={each.id} url={each.url} />
                    </li>
                  ))}
                </ul>
              ),
            },
            {
              label: "First found on",
              hint: "The first page that linked to it. See Inbound links for others.",
              value: page.found_on ? <ExplainLink url={page.found_on} className="break-all" /> : "seed",
            },
            {
              label: "Depth",
              value: `${formatCount(page.depth)} ${page.depth === 1 ? "link" : "links"} from a seed`,
            },
            { label: "Priority", value: String(page.priority) },
            { label: "Discovered", value: <Time at={page.discovered_at} /> },
            { label: "First stored", value: <Time at={page.first_fetched_at} /> },
            { label: "Last visited", value: <Time at={page.fetched_at} /> },
            { label: "Text last changed", value: <Time at={page.changed_at} /> },
            { label: "Unchanged", value: `${formatCount(page.unchanged_count)} visits in a row` },
            { label: "Next revisit", value: <Time at={page.revisit_at} /> },
            page.run_id !== null && {
              label: "Last run",
              value: (
                <Link to="/runs/$id" params={{ id: String(page.run_id) }} className="hover:underline">
                  Run {page.run_id}
                </Link>
              ),
            },
            ...Object.entries(page.response_headers ?? {}).map(([name, value]) => ({
              label: name,
              hint: "A header of its last response",
              value: <Untrusted text={value} className="break-all" />,
            })),
          ]}
        />
        <p className="px-4 pb-4">
          <Link to="/explain" search={{ url: page.url }} className="text-accent hover:underline">
            Explain this URL
          </Link>
        </p>
      </Panel>
    </div>
  );
}

const MOST_CHARS = 200_000;

function Text({ id }: { id: number }) {
  const { data, error, refetch } = useQuery({
    queryKey: ["pages", "text", id],
    queryFn: ({ signal }) => callText(`/api/v1/pages/${id}/text`, signal),
  });
  if (error && data === undefined) return <LoadError error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton className="h-72" />;
  return (
    <Panel
      title="Extracted text"
      aside={
        <a href={`/api/v1/pages/${id}/text`} className="text-accent hover:underline">
          View as plain text
        </a>
      }
    >
      {data ? (
        <UntrustedLines text={data.slice(0, MOST_CHARS)} className="max-w-prose px-4 pb-4" />
      ) : (
        <Empty title="No text" />
      )}
      {data.length > MOST_CHARS && (
        <p className="px-4 pb-4 text-quiet">Truncated. View as plain text for the rest.</p>
      )}
    </Panel>
  );
}

const LINK_COLUMNS: readonly Column<Schemas["Link"]>[] = [
  {
    key: "anchor",
    title: "Anchor",
    width: "minmax(7rem,1fr)",
    cell: (row) => <Untrusted text={row.anchor || "–"} />,
  },
  {
    key: "url",
    title: "Target",
    width: "minmax(10rem,2.5fr)",
    cell: (row) => <ExplainLink url={row.url} />,
  },
  {
    key: "rel",
    title: "Rel",
    width: "6rem",
    from: "sm",
    cell: (row) => <Untrusted text={row.rel} className="text-quiet" />,
  },
  {
    key: "tag",
    title: "Element",
    width: "4.5rem",
    from: "md",
    cell: (row) => <Untrusted text={row.tag} className="text-quiet" />,
  },
];

function Links({ id }: { id: number }) {
  const list = useList("/api/v1/pages/{id}/links", { path: { id } });
  return (
    <Table
      noun="links"
      label="Outbound links"
      className="min-h-[20rem] flex-1"
      columns={LINK_COLUMNS}
      list={list}
      keyOf={(_, index) => index}
      empty={<Empty title="No outbound links" />}
    />
  );
}

const VERSION_COLUMNS: readonly Column<Schemas["Visit"]>[] = [
  { key: "at", title: "Time", width: "7rem", cell: (row) => <Time at={row.at} /> },
  { key: "outcome", title: "Outcome", width: "7rem", cell: (row) => <State state={row.outcome} /> },
  {
    key: "status",
    title: "Status",
    width: "4rem",
    isNumber: true,
    cell: (row) => <HttpStatus status={row.status} />,
  },
  {
    key: "size",
    title: "Size",
    width: "5rem",
    isNumber: true,
    from: "sm",
    cell: (row) => formatBytes(row.wire_bytes),
  },
  {
    key: "took",
    title: "Duration",
    width: "5rem",
    isNumber: true,
    from: "sm",
    cell: (row) => formatDuration(row.duration_s),
  },
  {
    key: "error",
    title: "Error",
    width: "minmax(6rem,1fr)",
    from: "sm",
    cell: (row) => <Untrusted text={row.error_detail ?? ""} className="text-quiet" />,
  },
];

function Versions({ id, page }: { id: number; page: Schemas["PageDetail"] | undefined }) {
  const list = useList("/api/v1/pages/{id}/visits", { path: { id } });
  return (
    <>
      {page && <ChangesOf page={page} />}
      <Table
        noun="visits"
        label="Visits of the page"
        className="min-h-[20rem] flex-1"
        columns={VERSION_COLUMNS}
        list={list}
        keyOf={(row) => row.id}
        empty={<Empty title="No visits yet" />}
      />
    </>
  );
}

const LOOKED_THROUGH = 500;

/** The API lists changes by domain; filter the newest ones by page. */
function ChangesOf({ page }: { page: Schemas["PageDetail"] }) {
  const { data } = useApi("/api/v1/changes", { query: { domain: page.domain, limit: LOOKED_THROUGH } });
  const found = data?.items.filter((change) => change.url === page.url) ?? [];
  if (found.length === 0) return null;
  return (
    <Panel title="Changes" aside={`among the last ${formatCount(LOOKED_THROUGH)} changes on its domain`}>
      <ul className="pb-2">
        {found.map((change) => (
          <li
            key={change.at}
            className="flex flex-wrap items-center gap-x-4 border-t border-line/60 px-4 py-1.5"
          >
            <Time at={change.at} className="w-24 text-quiet" />
            <State state={change.kind} />
            <span>
              {[change.old_bytes, change.new_bytes]
                .filter((each) => each !== null)
                .map(formatBytes)
                .join(" → ")}
            </span>
            <span className="font-mono text-xs text-quiet">
              {[change.old_hash, change.new_hash].filter((each) => each !== null).join(" → ")}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
