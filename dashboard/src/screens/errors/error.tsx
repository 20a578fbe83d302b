import { getRouteApi, Link } from "@tanstack/react-router";
import { useApi } from "../../api/queries";
import { formatCount } from "../../format/numbers";
import { reveal } from "../../format/text";
import { Facts, Heading, Panel, Skeleton } from "../../ui/basics";
import { LoadFailed } from "../../ui/load-failed";
import { ParentLink } from "../../ui/parent-link";
import { Time } from "../../ui/time";
import { DomainLink, ExplainLink, Untrusted, UntrustedLines } from "../../ui/untrusted";
import { CategoryBadge } from "./errors";

const route = getRouteApi("/app/errors/$id");

export function ErrorScreen() {
  const { id } = route.useParams();
  const { data, error, refetch } = useApi("/api/v1/errors/{id}", { path: { id: Number(id) } });
  if (error && !data) {
    const above = <ParentLink to="/errors">Errors</ParentLink>;
    return <LoadFailed title="Error" above={above} error={error} onRetry={() => void refetch()} />;
  }
  return (
    <>
      <Heading
        name={reveal(data?.type ?? "Error")}
        title={data ? <Untrusted text={data.type} /> : <Skeleton className="h-8 w-72" />}
        above={<ParentLink to="/errors">Errors</ParentLink>}
      >
        {data && <CategoryBadge category={data.category} />}
      </Heading>
      {!data && <Skeleton className="h-72" />}
      {data && (
        <>
          <Panel title="Message">
            <UntrustedLines text={data.message} className="px-4 pb-4" />
          </Panel>
          {data.stack && (
            <Panel title="Stack trace">
              <UntrustedLines text={data.stack} className="px-4 pb-4" />
            </Panel>
          )}
          <Panel title="Details">
            <Facts
              facts={[
                { label: "Time", value: <Time at={data.at} /> },
                { label: "URL", value: data.url && <ExplainLink url={data.url} className="break-all" /> },
                { label: "Domain", value: <DomainLink name={data.domain} /> },
                { label: "Source", value: data.source && <Untrusted text={data.source} /> },
                data.parser !== null && {
                  label: "Parser",
                  value: <Untrusted text={`${data.parser} ${data.parser_version ?? ""}`} />,
                },
                {
                  label: "Run",
                  value: (
                    <Link to="/runs/$id" params={{ id: String(data.run_id) }} className="hover:underline">
                      Run {data.run_id}
                    </Link>
                  ),
                },
                data.group !== null && {
                  label: "Errors like it",
                  value: (
                    <Link
                      to="/errors"
                      search={{ tab: "all", fingerprint: data.fingerprint }}
                      className="text-accent hover:underline"
                    >
                      {formatCount(data.group.count)} since <Time at={data.group.first_at} />
                    </Link>
                  ),
                },
              ]}
            />
          </Panel>
        </>
      )}
    </>
  );
}
