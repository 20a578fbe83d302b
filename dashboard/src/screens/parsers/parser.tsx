import { getRouteApi } from "@tanstack/react-router";
import { useMemo } from "react";
import { call, type Schemas } from "../../api/client";
import { useApi } from "../../api/queries";
import { useRole } from "../../api/session";
import { formatCount, formatPercent } from "../../format/numbers";
import { useAction } from "../../forms/use-action";
import { Button, Heading, LoadError, Panel, Skeleton } from "../../ui/basics";
import { Chart } from "../../ui/chart";
import { ParentLink } from "../../ui/parent-link";
import { DomainLink, ExplainLink, Untrusted } from "../../ui/untrusted";
import { Alerts, FIGURE_HEADS, FigureCells, PlainTable } from "./parts";
import { buildRates, type Rates } from "./rates";

type Comparison = Schemas["ComparisonView"];

const route = getRouteApi("/app/parsers/$name");

export function ParserScreen() {
  const { name } = route.useParams();
  const { data, error } = useApi("/api/v1/parsers/{name}/stats", { path: { name } });
  const trials = useApi("/api/v1/parsers/{name}/trials", { path: { name } });
  const rates = useMemo(() => (data ? buildRates(data.points) : null), [data]);
  if (error) return <LoadError error={error} />;
  return (
    <>
      <Heading
        title={<Untrusted text={name} />}
        name={name}
        above={<ParentLink to="/parsers">Parsers</ParentLink>}
      />
      {data && data.alerts.length > 0 && (
        <Panel title="Drops against its own past">
          <Alerts alerts={data.alerts} />
        </Panel>
      )}
      <Panel title="Rates over time">
        <div className="px-2 pb-2">
          {rates ? <RateChart rates={rates} /> : <Skeleton className="h-[150px]" />}
        </div>
      </Panel>
      {trials.data?.comparisons.map((each) => (
        <Trial key={`${each.source_id} ${each.version} ${each.candidate}`} trial={each} />
      ))}
      {data && (
        <Panel title="Domains">
          <PlainTable label="Domains" heads={["Domain", ...FIGURE_HEADS]}>
            {data.domains.map((each) => (
              <tr key={each.domain} className="h-8 border-t border-line/60">
                <td className="px-4">
                  <DomainLink name={each.domain} />
                </td>
                <FigureCells figures={each.figures} />
              </tr>
            ))}
          </PlainTable>
        </Panel>
      )}
    </>
  );
}

function RateChart({ rates }: { rates: Rates }) {
  return (
    <Chart
      label="Pages with items, valid items and confidence over time"
      times={rates.times}
      span={rates.span}
      lines={[
        { label: "pages with items", color: "--chart-1", values: rates.withItems },
        { label: "valid items", color: "--chart-2", values: rates.valid },
        { label: "confidence", color: "--chart-5", values: rates.confidence },
      ]}
      format={formatPercent}
      max={1}
    />
  );
}

const FIELD_HEADS = [
  "Field",
  "Same",
  "Different",
  "Only current",
  "Only candidate",
  "Current",
  "Candidate",
  "Page",
];

function Trial({ trial }: { trial: Comparison }) {
  const { isAdmin } = useRole();
  const { mutate: promote, isPending } = useAction({
    perform: () =>
      call("post", "/api/v1/parsers/{name}/promote", {
        path: { name: trial.parser },
        body: { source_id: trial.source_id },
      }),
    success: (promoted) => `The candidate is now the parser of ${promoted.source}, from its next run on.`,
    refreshes: ["parsers", "sources"],
  });
  const pages = trial.pages_same + trial.pages_different + trial.pages_failed;
  return (
    <Panel
      title={`${trial.source ?? "A removed source"}: version ${trial.version} and candidate ${trial.candidate}`}
      aside={
        isAdmin && (
          <Button isSmall disabled={isPending} onClick={() => promote()}>
            Promote candidate
          </Button>
        )
      }
    >
      <p className="px-4 pb-2 text-quiet">
        {`${formatCount(pages)} pages: ${formatCount(trial.pages_same)} alike, ${formatCount(trial.pages_different)} different, ${formatCount(trial.pages_failed)} failed.`}{" "}
        {trial.last_failure !== null && <Untrusted text={trial.last_failure} />}
      </p>
      <PlainTable label="Fields" heads={FIELD_HEADS}>
        {trial.fields.map((field) => (
          <tr key={field.field} className="h-8 border-t border-line/60">
            <td className="px-4 font-medium">
              <Untrusted text={field.field} />
            </td>
            {[field.same, field.different, field.only_current, field.only_candidate].map((value, index) => (
              <td key={FIELD_HEADS[index + 1]} className="px-3 text-right">
                {formatCount(value)}
              </td>
            ))}
            <Value text={field.example_url === null ? "" : (field.example_current ?? "nothing")} />
            <Value text={field.example_url === null ? "" : (field.example_candidate ?? "nothing")} />
            <td className="max-w-48 truncate px-3 text-right">
              {field.example_url !== null && <ExplainLink url={field.example_url} />}
            </td>
          </tr>
        ))}
      </PlainTable>
    </Panel>
  );
}

function Value({ text }: { text: string }) {
  return (
    <td className="max-w-48 truncate px-3 text-right">
      <Untrusted text={text} />
    </td>
  );
}
