import type { ReactNode } from "react";
import type { Column } from "../ui/table";
import { DomainLink } from "../ui/untrusted";
import type { Breakpoint } from "../ui/width";

export function domainColumn(from: Breakpoint = "lg"): Column<{ readonly domain: string }> {
  return {
    key: "domain",
    title: "Domain",
    width: "minmax(6rem,1fr)",
    from,
    cell: (row) => <DomainLink name={row.domain} />,
  };
}

/** The last column: actions on the row. */
export function actionsColumn<Row>(
  width: string,
  cell: (row: Row) => ReactNode,
  limits: Pick<Column<Row>, "key" | "from" | "below"> = { key: "actions" },
): Column<Row> {
  return { title: "Actions", isNumber: true, width, cell, ...limits };
}
