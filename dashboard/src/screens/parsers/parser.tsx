import { getRouteApi } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useApi } from "../../api/queries";
import { formatPercent } from "../../format/numbers";
import { Empty, Heading, LoadError, Panel, Skeleton } from "../../ui/basics";
import { Chart } from "../../ui/chart";
import { ParentLink } from "../../ui/parent-link";
import { DomainLink, Untrusted } from "../../ui/untrusted";
import { Alerts, FIGURE_HEADS, FigureCells, PlainTable, RowHead, share } from "./parts";
import { buildRates, type Rates } from "./rates";
import { Trial } from "./trial";

const route = getRouteApi("/app/parsers/$name");

export function ParserScreen() {
  const { name } = route.useParams();
  const { data, error } = useApi("/api/v1/parsers/{name}/stats", { path: { name } });
  const trials = useApi("/api/v1/parsers/{name}/trials", { path: { name } });
  const rates = useMemo(() => (data ? buildRates(data.points) : null), [data]);
  return (
    <>
      <Heading
        title={<Untrusted text={name} />}
        name={name}
        above={<ParentLink to="/parsers">Parsers</ParentLink>}
      />
      {error && <LoadError error={error} />}
      {data && data.alerts.length > 0 && (
        <Panel title="Drops against its own past">
          <Alerts alerts={data.alerts} />
        </Panel>
      )}
      {!error && (
        <Panel title="Rates over time">
          {data && !rates ? (
            <Empty title="No figures yet">They appear when a crawl gives it pages.</Empty>
          ) : (
            <div className="px-2 pb-2">
              {rates ? <RateChart rates={rates} /> : <Skeleton className="h-[150px]" />}
            </div>
          )}
        </Panel>
      )}
      {trials.data?.comparisons.map((each) => (
        <Trial key={`${each.source_id} ${each.version} ${each.candidate}`} trial={each} />
      ))}
      {data && data.domains.length > 0 && (
        <Panel title="Domains">
          <PlainTable label="Domains" heads={["Domain", ...FIGURE_HEADS]}>
            {data.domains.map((each) => (
              <tr key={each.domain} className="h-8 border-t border-line/60">
                <RowHead>
                  <DomainLink name={each.domain} />
                </RowHead>
                <FigureCells figures={each.figures} />
              </tr>
            ))}
          </PlainTable>
        </Panel>
      )}
    </>
  );
}

const LINES = [
  { key: "withItems", label: "pages with items", color: "--chart-1", swatch: "bg-[var(--chart-1)]" },
  { key: "valid", label: "valid items", color: "--chart-2", swatch: "bg-[var(--chart-2)]" },
  { key: "confidence", label: "confidence", color: "--chart-5", swatch: "bg-[var(--chart-5)]" },
] as const;

function RateChart({ rates }: { rates: Rates }) {
  const [hovered, setHovered] = useState<number | null>(null);
  const lines = useMemo(() => LINES.map((line) => ({ ...line, values: rates[line.key] })), [rates]);
  const index = hovered ?? rates.times.length - 1;
  return (
    <>
      <p className="flex flex-wrap gap-x-4 px-2 pb-1 text-xs text-quiet">
        {lines.map(({ label, swatch, values }) => (
          <span key={label} className="inline-flex items-center gap-1.5">
            <span aria-hidden="true" className={`size-2 rounded-full ${swatch}`} />
            {label} <span className="min-w-9 font-medium text-ink">{share(values[index] ?? null)}</span>
          </span>
        ))}
      </p>
      <Chart
        label="Pages with items, valid items and confidence over time"
        times={rates.times}
        span={rates.span}
        lines={lines}
        format={formatPercent}
        max={1}
        onHover={setHovered}
      />
    </>
  );
}
