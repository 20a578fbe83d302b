import { useApi } from "../../api/queries";
import { formatCount } from "../../format/numbers";
import { words } from "../../format/text";
import { formatDuration } from "../../format/times";
import { Empty, Facts, LoadError, Panel, Skeleton } from "../../ui/basics";
import { Histogram } from "../../ui/meter";
import { Time } from "../../ui/time";
import { Untrusted } from "../../ui/untrusted";

/** The real gaps between requests to the domain. */
export function PolitenessReceipt({ name }: { name: string }) {
  const { data, error, refetch } = useApi("/api/v1/domains/{name}/receipt", { path: { name } });
  if (error && !data) return <LoadError error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton className="h-72" />;
  if (data.requests === 0)
    return <Empty title="No requests yet">The receipt shows the gaps between requests to this domain.</Empty>;
  const gaps = trimEmpty(
    data.gaps.map((gap, index) => ({
      label: formatRange(data.gaps[index - 1]?.below_s ?? null, gap.below_s),
      count: gap.count,
      isMarked: gap.below_s !== null && gap.below_s <= data.delay_s * 0.9,
    })),
  );
  const failures = Object.entries(data.failures);
  return (
    <div className="grid gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <Panel
        title="Gaps between requests"
        aside={`${formatCount(data.requests)} requests, including robots.txt`}
      >
        <Histogram bars={gaps} label="Number of gaps by length" />
      </Panel>
      <Panel title="Politeness receipt">
        <Facts
          facts={[
            {
              label: "Delay in force",
              value: `${formatDuration(data.delay_s)} (${words(data.delay_source)})`,
            },
            {
              label: "Smallest gap",
              value:
                data.smallest_gap_s === null ? null : (
                  <>
                    {formatDuration(data.smallest_gap_s)}, <Time at={data.smallest_gap_at} />
                  </>
                ),
            },
            {
              label: "Median gap",
              value: data.median_gap_s === null ? null : formatDuration(data.median_gap_s),
            },
            {
              label: "Concurrent requests",
              value: `at most ${data.per_domain} (${words(data.per_domain_source)})`,
            },
            !data.rules.is_active && { label: "Inactive", value: "No requests are made." },
            data.rules_at !== null && {
              label: "Rules set by",
              value: (
                <>
                  <Untrusted text={data.rules_by ?? ""} />, <Time at={data.rules_at} />
                </>
              ),
            },
            { label: "First request", value: <Time at={data.first_at} /> },
            { label: "Last request", value: <Time at={data.last_at} /> },
            data.backoff_until !== null && {
              label: "Backoff until",
              value: <Time at={data.backoff_until} />,
            },
            ...failures.map(([kind, count]) => ({
              label: `Failed: ${words(kind)}`,
              value: formatCount(count),
            })),
          ]}
        />
      </Panel>
    </div>
  );
}

function formatRange(from_s: number | null, below_s: number | null): string {
  if (below_s === null) return `≥ ${formatDuration(from_s ?? 0)}`;
  return `< ${formatDuration(below_s)}`;
}

/** Drops empty bars at both ends but keeps two on each side, to show that there were no shorter gaps. */
export function trimEmpty<T extends { count: number }>(columns: readonly T[]): readonly T[] {
  const first = columns.findIndex((each) => each.count > 0);
  const last = columns.findLastIndex((each) => each.count > 0);
  return columns.slice(Math.max(0, first - 2), last + 3);
}
