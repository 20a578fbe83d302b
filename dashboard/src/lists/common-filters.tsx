import { useApi } from "../api/queries";
import { reveal } from "../format/text";
import { Select } from "../ui/controls";
import type { Filters } from "./address-filters";
import { TextFilter } from "./filters";
import { pickFilters, pickNumber } from "./query";
import { useFilter } from "./use-filter";

export type Common = Filters<"run" | "source" | "since" | "until">;

/** The filters that most lists share, as query parameters. Half-typed values are left out. */
export function commonQuery({ run = "", source = "", since = "", until = "" }: Common) {
  return {
    ...pickNumber("run", run),
    ...pickFilters({ source }, "source"),
    ...(isDay(since) ? { since } : {}),
    ...(isDay(until) ? { until } : {}),
  };
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
}

export function CommonFilters({
  given,
  date,
  hasRun = true,
}: {
  given: Common;
  /** What the dates refer to: "Found", "Visited". */
  date: string;
  hasRun?: boolean;
}) {
  const set = useFilter();
  return (
    <>
      <SourceFilter value={given.source ?? ""} onChange={set("source")} />
      {hasRun && (
        <TextFilter name="run" label="Run" value={given.run ?? ""} className="w-20" inputMode="numeric" />
      )}
      <DayFilter label={`${date} since`} value={given.since ?? ""} onChange={set("since")} />
      <DayFilter label={`${date} before`} value={given.until ?? ""} onChange={set("until")} />
    </>
  );
}

function SourceFilter({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const sources = useApi("/api/v1/sources", { query: { limit: 500, sort: "name" } });
  const runs = useApi("/api/v1/runs", { query: { limit: 100 } });
  const names = sources.data?.items.map((each) => each.name) ?? [];
  const crawls = runs.data?.items.flatMap((each) => each.source_name ?? []) ?? [];
  const options = [...new Set([...names, ...crawls, ...(value ? [value] : [])])];
  return (
    <Select
      label="Source"
      value={value}
      options={options.map((name) => [name, reveal(name)] as const)}
      any="Any source"
      onChange={onChange}
    />
  );
}

/** A day begins at midnight UTC. */
function DayFilter({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <label className="flex items-center gap-1.5 text-quiet text-xs">
      {label}
      <input
        type="date"
        title="Midnight, UTC"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="field w-34"
      />
    </label>
  );
}
