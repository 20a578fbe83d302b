import type { ReactNode } from "react";
import type { List } from "../api/queries";
import { LoadError, Skeleton } from "./basics";

/** A short list whose rows do not fit into table columns. */
export function RowList<Row>({
  list,
  empty,
  children,
}: {
  list: List<Row>;
  empty: ReactNode;
  children: (row: Row) => ReactNode;
}) {
  if (list.error) return <LoadError error={list.error} onRetry={list.reload} />;
  if (list.isLoading) return <Skeleton className="m-4 h-32" />;
  if (list.rows.length === 0) return empty;
  return <ul>{list.rows.map(children)}</ul>;
}
