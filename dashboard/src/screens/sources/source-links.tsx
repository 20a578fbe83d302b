import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Schemas } from "../../api/client";
import { useApi } from "../../api/queries";
import { reveal } from "../../format/text";

export type SourceNames = ReadonlyMap<number, string>;

/** As many as one part holds; those of a store that has more are told by their number. */
export function useSourceNames(): SourceNames {
  const { data } = useApi("/api/v1/sources", { query: { limit: 500, sort: "name" } });
  return useMemo(() => new Map(data?.items.map((each) => [each.id, each.name])), [data]);
}

export function SourceLink({ id, names }: { id: number; names: SourceNames }) {
  return <KnownSource id={id} name={names.get(id)} />;
}

/** Where its name is known, unless it is removed. */
export function KnownSource({ id, name }: { id: number; name: string | null | undefined }) {
  return (
    <Link to="/sources/$id" params={{ id: String(id) }} className="hover:underline">
      <bdi>{reveal(name ?? `Source ${id}`)}</bdi>
    </Link>
  );
}

/** Whose run it is. A crawl has no screen of its own. */
export function RunOwner({
  run,
}: {
  run: Pick<Schemas["Run"], "source_id" | "source_name" | "source_kind">;
}) {
  if (run.source_id === null) return "–";
  if (run.source_kind === "crawl") return <bdi>{reveal(run.source_name ?? "")}</bdi>;
  return <KnownSource id={run.source_id} name={run.source_name} />;
}

/** Where there is only one of them. */
export function NamedSource({ id }: { id: number }) {
  return <SourceLink id={id} names={useSourceNames()} />;
}
