import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { useAnswer } from "../api/queries";
import { reveal } from "../format/text";

export type SourceNames = ReadonlyMap<number, string>;

/** As many as one part holds; those of a store that has more are told by their number. */
export function useSourceNames(): SourceNames {
  const { data } = useAnswer("/api/v1/sources", { query: { limit: 500, sort: "name" } });
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

/** Where there is only one of them. */
export function NamedSource({ id }: { id: number }) {
  return <SourceLink id={id} names={useSourceNames()} />;
}
