import { getRouteApi, Link } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Schemas } from "../../api/client";
import { useApi } from "../../api/queries";
import { formatCount } from "../../format/numbers";
import { SelectFilter, TextFilter } from "../../lists/filters";
import { pickFilters } from "../../lists/query";
import { Badge, Empty, Heading, LoadError, Panel, Skeleton } from "../../ui/basics";
import { Chart } from "../../ui/chart";
import { Time } from "../../ui/time";
import { DomainLink, ExplainLink, Untrusted } from "../../ui/untrusted";
import { PlainTable, RowHead } from "../parsers/parts";
import { buildFindingSeries } from "./audit-series";

const route = getRouteApi("/app/quality");
const MOST_AUDITS = 500;
const DAYS = [
  ["1", "Last day"],
  ["30", "Last 30 days"],
  ["90", "Last 90 days"],
] as const;
const MEANINGS: Record<Schemas["FindingCode"], string> = {
  rule: "rule broken",
  missing: "field missing",
  shift: "field changed",
  vanished: "items gone",
  image: "image gone",
  orphan: "no page",
  invalid: "invalid",
  parser: "parser worse",
};

/** What is wrong with items, compared with some days ago. */
export function ItemAudit() {
  const { source = "", domain = "", kind = "", days = "" } = route.useSearch();
  const query = {
    ...pickFilters({ source, domain, kind }, "source", "domain", "kind"),
    days: Number(days) || 7,
  };
  const { data, error, refetch } = useApi("/api/v1/items/audit", { query });
  return (
    <>
      <Heading title="Data quality">
        <TextFilter name="source" label="Source" value={source} className="w-32" />
        <TextFilter name="domain" label="Domain" value={domain} className="w-40" />
        <TextFilter name="kind" label="Kind" value={kind} className="w-28" />
        <SelectFilter name="days" label="Days" value={days} options={DAYS} any="Last 7 days" />
      </Heading>
      {error ? (
        <LoadError error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <Results audit={data} />
      ) : (
        <Skeleton className="h-40" />
      )}
      {domain === "" && kind === "" && <OverTime source={source} />}
    </>
  );
}

/** What was found before, by audits of servers and of `tenax items audit`. */
function OverTime({ source }: { source: string }) {
  const query = { ...pickFilters({ source }, "source"), limit: MOST_AUDITS };
  const { data } = useApi("/api/v1/items/audits", { query });
  const series = useMemo(() => buildFindingSeries(data?.items ?? []), [data]);
  const newest = data?.items[0];
  if (!newest || !series) return null;
  return (
    <Panel title="Findings over time">
      <div className="px-2 pb-2">
        {series.lines.length === 0 ? (
          <p className="px-2 text-quiet">No audit found anything.</p>
        ) : (
          <Chart
            label={`Findings over time: ${series.lines.map((line) => line.label).join(", ")}`}
            times={series.times}
            span={series.span}
            lines={series.lines}
            format={formatCount}
          />
        )}
        <p className="px-2 text-xs text-quiet">
          {series.lines.map((line) => (
            <span key={line.label} className="mr-3">
              <span aria-hidden="true" style={{ color: `var(${line.color})` }}>
                ■
              </span>{" "}
              {line.label} {formatCount(line.values.at(-1) ?? 0)}
            </span>
          ))}
          Last audit: <Time at={newest.at} />
        </p>
      </div>
      <LastFindings id={newest.id} />
    </Panel>
  );
}

function LastFindings({ id }: { id: number }) {
  const { data } = useApi("/api/v1/items/audits/{id}", { path: { id } });
  if (!data || data.findings.length === 0) return null;
  return (
    <ul className="px-4 pb-3" aria-label="Findings of the last audit">
      {data.findings.map((finding, index) => (
        <Finding key={index} finding={finding} />
      ))}
    </ul>
  );
}

function Results({ audit }: { audit: Schemas["AuditView"] }) {
  if (audit.groups.length === 0 && audit.findings.length === 0)
    return <Empty title="No items">What is wrong with items is listed here.</Empty>;
  return (
    <>
      <Panel title="Findings">
        {audit.findings.length === 0 ? (
          <Empty title="Nothing is wrong" />
        ) : (
          <ul className="px-4 pb-3">
            {audit.findings.map((finding, index) => (
              <Finding key={index} finding={finding} />
            ))}
          </ul>
        )}
      </Panel>
      <Panel title="Items">
        <PlainTable
          label="Items by domain and kind"
          heads={["Domain", "Source", "Kind", "Items", "New", "Changed", "Gone", "Invalid"]}
          texts={3}
        >
          {audit.groups.map((group) => (
            <tr key={`${group.source} ${group.domain} ${group.kind}`} className="h-8 border-t border-line/60">
              <RowHead>
                <DomainLink name={group.domain} />
              </RowHead>
              <TextCell text={group.source ?? "removed"} />
              <TextCell text={group.kind} />
              {(["items", "new", "changed", "gone", "invalid"] as const).map((name) => (
                <td key={name} className="px-3 text-right">
                  {formatCount(group[name])}
                </td>
              ))}
            </tr>
          ))}
        </PlainTable>
        {!audit.is_complete && (
          <p className="px-4 pb-3 text-quiet">{`Only the newest ${formatCount(audit.items)} items were read.`}</p>
        )}
      </Panel>
    </>
  );
}

function TextCell({ text }: { text: string }) {
  return (
    <td className="max-w-40 truncate px-3">
      <Untrusted text={text} />
    </td>
  );
}

function Finding({ finding }: { finding: Schemas["FindingView"] }) {
  const places = [finding.source, finding.domain, finding.kind].filter((each) => each !== null);
  return (
    <li className="flex flex-col gap-0.5 border-t border-line/60 py-2 first:border-t-0 sm:flex-row sm:gap-3">
      <span className="w-28 shrink-0">
        <Badge tone={finding.code === "missing" ? "warn" : "bad"}>{MEANINGS[finding.code]}</Badge>
      </span>
      <div className="min-w-0 break-words">
        <Untrusted text={finding.sentence} /> <MoreLink finding={finding} />
        <p className="text-quiet text-xs">
          {places.map((place, index) => (
            <span key={index}>
              {index > 0 && " · "}
              <Untrusted text={place} />
            </span>
          ))}
        </p>
        {finding.examples.map((url, index) => (
          <span key={index} className="block truncate text-xs">
            {/^https?:/.test(url) ? <ExplainLink url={url} /> : <Untrusted text={url} />}
          </span>
        ))}
      </div>
    </li>
  );
}

/** To where the finding can be looked into, if it names no examples. */
function MoreLink({ finding: { code, domain, kind } }: { finding: Schemas["FindingView"] }) {
  const look = "text-accent whitespace-nowrap underline underline-offset-2";
  if (code === "parser") {
    return (
      <Link to="/parsers" className={look}>
        Parsers
      </Link>
    );
  }
  if (code !== "invalid") return null;
  const search = { tab: "invalid", ...(domain ? { domain } : {}), ...(kind ? { kind } : {}) };
  return (
    <Link to="/items" search={search} className={look}>
      Invalid items
    </Link>
  );
}
