import { getRouteApi, Link } from "@tanstack/react-router";
import type { Schemas } from "../../api/client";
import { useApi, useList } from "../../api/queries";
import { formatCount } from "../../format/numbers";
import { reveal } from "../../format/text";
import { Empty, Facts, Heading, Panel, Skeleton } from "../../ui/basics";
import { LoadFailed } from "../../ui/load-failed";
import { ParentLink } from "../../ui/parent-link";
import { State } from "../../ui/states";
import { type Column, Table } from "../../ui/table";
import { Tabs } from "../../ui/tabs";
import { Time } from "../../ui/time";
import { DomainLink, ExplainLink, OutLink, Untrusted } from "../../ui/untrusted";
import { RevisitUrlsButton } from "../urls/retry-actions";
import { formatValue, summarize } from "./item-values";

type Detail = Schemas["ItemDetail"];
type Change = Schemas["ItemChange"];

const route = getRouteApi("/app/items/$id");
const TABS = [
  ["about", "About"],
  ["urls", "URLs"],
  ["history", "History"],
] as const;

export function ItemScreen() {
  const { id } = route.useParams();
  const { tab = "about" } = route.useSearch();
  const { data, error, refetch } = useApi("/api/v1/items/{id}", { path: { id: Number(id) } });
  if (error && !data) {
    const above = <ParentLink to="/items">Items</ParentLink>;
    return <LoadFailed title="Item" above={above} error={error} onRetry={() => void refetch()} />;
  }
  return (
    <>
      <Heading
        name={reveal(data?.key ?? "Item")}
        title={data ? <Untrusted text={data.key} /> : <Skeleton className="h-8 w-72" />}
        above={<ParentLink to="/items">Items</ParentLink>}
      >
        {data && <State state={data.state} />}
        {data && <RevisitUrlsButton urls={data.observations.map((each) => each.url)} />}
      </Heading>
      {data && <OutLink url={data.url} className="-mt-2" />}
      <Tabs tabs={TABS} current={tab} label="Tabs of the item" />
      {tab === "about" && (data ? <About item={data} /> : <Skeleton className="h-72" />)}
      {tab === "urls" && (data ? <Observations item={data} /> : <Skeleton className="h-72" />)}
      {tab === "history" && <History id={Number(id)} />}
    </>
  );
}

function About({ item }: { item: Detail }) {
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <Panel title="Data">
        <Facts
          facts={Object.entries(item.data).map(([name, value]) => ({
            label: reveal(name),
            ...confidenceOf(item, name),
            value: <Untrusted text={formatValue(value)} className="break-words" />,
          }))}
        />
      </Panel>
      <Panel title="Details">
        <Facts
          facts={[
            { label: "Kind", value: <Untrusted text={item.kind} /> },
            { label: "Source", value: item.source && <Untrusted text={item.source} /> },
            { label: "Domain", value: <DomainLink name={item.domain} /> },
            { label: "Parser", value: <Untrusted text={`${item.parser} ${item.parser_version}`} /> },
            item.confidence !== null && { label: "Confidence", value: item.confidence.toFixed(2) },
            { label: "First seen", value: <Time at={item.first_seen_at} /> },
            { label: "Last seen", value: <Time at={item.last_seen_at} /> },
            { label: "Changed", value: <Time at={item.changed_at} /> },
            { label: "Changes", value: formatCount(item.changes) },
            item.gone_at !== null && { label: "Gone", value: <Time at={item.gone_at} /> },
            {
              label: "Last run",
              value: (
                <Link to="/runs/$id" params={{ id: String(item.run_id) }} className="hover:underline">
                  Run {item.run_id}
                </Link>
              ),
            },
          ]}
        />
        <p className="px-4 pb-4">
          <Link to="/explain" search={{ url: item.url }} className="text-accent hover:underline">
            Explain its URL
          </Link>
          {item.kind === "article" && (
            <Link
              to="/articles/$id"
              params={{ id: String(item.id) }}
              className="ml-4 text-accent hover:underline"
            >
              Read the article
            </Link>
          )}
          {item.kind === "product" && (
            <Link
              to="/products/$id"
              params={{ id: String(item.id) }}
              className="ml-4 text-accent hover:underline"
            >
              Prices over time
            </Link>
          )}
        </p>
      </Panel>
    </div>
  );
}

function confidenceOf(item: Detail, name: string): { hint?: string } {
  const confidence = item.field_confidence?.[name];
  return confidence === undefined ? {} : { hint: `Confidence ${confidence.toFixed(2)}` };
}

function Observations({ item }: { item: Detail }) {
  if (item.observations.length === 0) return <Empty title="No URL shows it" />;
  return (
    <Panel title="URLs that show it" aside={`${formatCount(item.observations_count)} in all, newest first`}>
      <ul className="pb-2">
        {item.observations.map((each) => (
          <li
            key={each.url_id}
            className="flex flex-wrap items-center gap-x-4 border-t border-line/60 px-4 py-1.5"
          >
            <Time at={each.at} className="w-24 text-quiet" />
            <ExplainLink url={each.url} className="break-all" />
            {each.data && <Untrusted text={`differs: ${summarize(each.data)}`} className="text-warn" />}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const HISTORY_COLUMNS: readonly Column<Change>[] = [
  { key: "at", title: "Time", width: "7rem", cell: (row) => <Time at={row.at} /> },
  { key: "change", title: "Change", width: "6.5rem", cell: (row) => <State state={row.change} /> },
  {
    key: "fields",
    title: "Fields",
    width: "minmax(10rem,3fr)",
    cell: (row) => <FieldChanges fields={row.fields} />,
  },
  {
    key: "url",
    title: "URL",
    width: "minmax(8rem,1.5fr)",
    from: "lg",
    cell: (row) => row.url && <ExplainLink url={row.url} />,
  },
];

function FieldChanges({ fields }: { fields: Change["fields"] }) {
  const text = Object.entries(fields ?? {})
    .map(([name, [old, now]]) => `${name}: ${formatValue(old)} → ${formatValue(now)}`)
    .join("; ");
  return (
    <span title={reveal(text)}>
      <Untrusted text={text} />
    </span>
  );
}

function History({ id }: { id: number }) {
  const list = useList("/api/v1/items/{id}/history", { path: { id } });
  return (
    <Table
      noun="changes"
      label="Changes of the item"
      className="min-h-[20rem] flex-1"
      columns={HISTORY_COLUMNS}
      list={list}
      keyOf={(row) => row.id}
      empty={<Empty title="No changes" />}
    />
  );
}
