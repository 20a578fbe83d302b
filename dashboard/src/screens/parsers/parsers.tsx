import { Link } from "@tanstack/react-router";
import { useApi } from "../../api/queries";
import { Badge, Empty, Heading, LoadError, Panel, Skeleton } from "../../ui/basics";
import { Untrusted } from "../../ui/untrusted";
import { Alerts, FIGURE_HEADS, FigureCells, PlainTable, RowHead } from "./parts";

export function Parsers() {
  const { data, error, refetch } = useApi("/api/v1/parsers", { every_ms: 30_000 });
  const alerts = data?.parsers.flatMap((parser) => parser.alerts) ?? [];
  return (
    <>
      <Heading title="Parsers" />
      {alerts.length > 0 && (
        <Panel title="Parsers that do worse than before">
          <Alerts alerts={alerts} />
        </Panel>
      )}
      <Panel title="The last 30 days">
        {error ? (
          <LoadError error={error} onRetry={() => void refetch()} />
        ) : !data ? (
          <Skeleton className="mx-4 mb-4 h-40" />
        ) : data.parsers.length === 0 ? (
          <Empty title="No parsers">What makes items of pages is listed here, with how it does.</Empty>
        ) : (
          <PlainTable label="Parsers" heads={["Parser", "Version", ...FIGURE_HEADS]} texts={2}>
            {data.parsers.flatMap((parser) =>
              parser.versions.map((version, index) => (
                <tr
                  key={`${parser.name} ${version.version}`}
                  className={`h-9 ${index === 0 ? "border-t border-line/60" : ""}`}
                >
                  <RowHead>
                    {index === 0 ? (
                      <Link
                        to="/parsers/$name"
                        params={{ name: parser.name }}
                        className="text-accent hover:underline"
                      >
                        <Untrusted text={parser.name} />
                      </Link>
                    ) : (
                      <span className="sr-only">
                        <Untrusted text={parser.name} />
                      </span>
                    )}{" "}
                    {index === 0 && parser.alerts.length > 0 && <Badge tone="bad">worse</Badge>}
                  </RowHead>
                  <td className="max-w-40 truncate px-3">
                    <Untrusted text={version.version} />
                  </td>
                  <FigureCells figures={version.figures} />
                </tr>
              )),
            )}
          </PlainTable>
        )}
      </Panel>
    </>
  );
}
