import { getRouteApi } from "@tanstack/react-router";
import type { Schemas } from "../../api/client";
import { useApi } from "../../api/queries";
import { formatCount } from "../../format/numbers";
import { words } from "../../format/text";
import { SelectFilter, TextFilter } from "../../lists/filters";
import { pickFilters } from "../../lists/query";
import { Badge, Empty, Heading, LoadError, Panel, Skeleton } from "../../ui/basics";
import { DomainLink, ExplainLink, Untrusted } from "../../ui/untrusted";
import { PlainTable } from "../parsers/parts";

const route = getRouteApi("/app/quality");
const DAYS = ["1", "7", "30", "90"] as const;

/** What is wrong with items, compared with some days ago. */
export function ItemAudit() {
  const { source = "", domain = "", kind = "", days = "7" } = route.useSearch();
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
        <SelectFilter name="days" label="Days" value={days} options={DAYS} any="7" />
      </Heading>
      {error ? (
        <LoadError error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <Results audit={data} />
      ) : (
        <Skeleton className="h-40" />
      )}
    </>
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
          heads={["Domain", "Kind", "Items", "New", "Changed", "Gone", "Invalid"]}
        >
          {audit.groups.map((group) => (
            <tr key={`${group.source} ${group.domain} ${group.kind}`} className="h-8 border-t border-line/60">
              <td className="px-4">
                <DomainLink name={group.domain} />
              </td>
              <td className="px-3 text-right">
                <Untrusted text={group.kind} />
              </td>
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

function Finding({ finding }: { finding: Schemas["FindingView"] }) {
  const where = [finding.source, finding.domain, finding.kind].filter((each) => each !== null).join(" ");
  return (
    <li className="py-1">
      <Badge tone={finding.code === "missing" ? "warn" : "bad"}>{words(finding.code)}</Badge>{" "}
      <span className="text-quiet">
        <Untrusted text={where} />
      </span>{" "}
      <Untrusted text={finding.sentence} />
      {finding.examples.map((url, index) => (
        <span key={index} className="block truncate pl-6 text-xs">
          {url.startsWith("http") ? <ExplainLink url={url} /> : url}
        </span>
      ))}
    </li>
  );
}
