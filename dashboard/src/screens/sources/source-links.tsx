import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Schemas } from "../../api/client";
import { useApi } from "../../api/queries";
import { reveal } from "../../format/text";

export type SourceNames = ReadonlyMap<number, string>;

/** The names of sources by id. Only one page of them is loaded; sources beyond it are shown by id. */
export function useSourceNames(): SourceNames {
  const { data } = useApi("/api/v1/sources", { query: { limit: 500, sort: "name" } });
  return useMemo(() => new Map(data?.items.map((each) => [each.id, each.name])), [data]);
}

export function SourceLink({ id, names }: { id: number; names: SourceNames }) {
  return <KnownSource id={id} name={names.get(id)} />;
}

/** A link to a source by name, or by id if it has been removed. */
export function KnownSource({ id, name }: { id: number; name: string | null | undefined }) {
  return (
    <Link to="/sources/$id" params={{ id: String(id) }} className="hover:underline">
      <bdi>{reveal(name ?? `Source ${id}`)}</bdi>
    </Link>
  );
}

/** The source or crawl of a run. A crawl has no screen of its own. */
export function RunOwner({
  run,
}: {
  run: Pick<Schemas["Run"], "source_id" | "source_name" | "source_kind">;
}) {
  if (run.source_id === null) return "–";
  if (run.source_kind === "crawl") return <bdi>{reveal(run.source_name ?? "")}</bdi>;
  return <KnownSource id={run.source_id} name={run.source_name} />;
}

/** A link to a source whose name is not at hand. */
export function NamedSource({ id }: { id: number }) {
  return <SourceLink id={id} names={useSourceNames()} />;
}
