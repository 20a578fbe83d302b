import { useMemo } from "react";
import { call, type Schemas } from "../../api/client";
import { useList } from "../../api/queries";
import { useRole } from "../../api/session";
import { formatCompact } from "../../format/numbers";
import { reveal, words } from "../../format/text";
import { useAction } from "../../forms/use-action";
import { actionsColumn } from "../../lists/columns";
import { Button, Empty } from "../../ui/basics";
import { type Column, Table } from "../../ui/table";
import { Time } from "../../ui/time";
import { Untrusted } from "../../ui/untrusted";

type Trap = Schemas["TrapView"];

const COLUMNS: readonly Column<Trap>[] = [
  {
    key: "shape",
    title: "URLs like",
    width: "minmax(8rem,2fr)",
    cell: (row) => (
      <span title={reveal(row.shape)} className="font-medium">
        <Untrusted text={row.shape} />
      </span>
    ),
  },
  {
    key: "state",
    title: "State",
    width: "4.5rem",
    cell: (row) => words(row.state),
  },
  {
    key: "rule",
    title: "Because",
    width: "8rem",
    from: "md",
    cell: (row) => (row.decided_by === null ? words(row.rule ?? "") : <Untrusted text={row.decided_by} />),
  },
  {
    key: "evidence",
    title: "Evidence",
    width: "minmax(10rem,3fr)",
    from: "lg",
    cell: (row) => (
      <span title={reveal(row.evidence)} className="text-quiet">
        <Untrusted text={row.evidence} />
      </span>
    ),
  },
  {
    key: "visits",
    title: "Pages",
    width: "4rem",
    isNumber: true,
    from: "sm",
    cell: (row) => formatCompact(row.visits),
  },
  {
    key: "changed",
    title: "Since",
    width: "6.5rem",
    isNumber: true,
    from: "sm",
    cell: (row) => <Time at={row.changed_at} />,
  },
];

/** Clusters of URLs of a domain that bring nothing new, and merge rules that were learned there. */
export function TrapsOf({ domain }: { domain: string }) {
  const { isAdmin } = useRole();
  const { mutate: open } = useAction({
    perform: (trap: Trap) => call("post", "/api/v1/traps/{id}/open", { path: { id: trap.id } }),
    success: (_, trap) => `URLs like ${trap.shape} are open.`,
    refreshes: ["traps", "domains", "urls"],
  });
  const { mutate: close } = useAction({
    perform: (trap: Trap) => call("post", "/api/v1/traps/{id}/close", { path: { id: trap.id } }),
    success: (_, trap) => `URLs like ${trap.shape} are closed.`,
    refreshes: ["traps", "domains", "urls"],
  });
  const columns = useMemo(() => {
    if (!isAdmin) return COLUMNS;
    const actions = actionsColumn<Trap>("7.5rem", (row) => (
      <span className="flex justify-end gap-1.5">
        {row.state !== "open" && (
          <Button isSmall aria-label={`Open ${row.shape}`} onClick={() => open(row)}>
            Open
          </Button>
        )}
        {(row.state === "open" || row.state === "slowed") && !row.shape.endsWith("=*") && (
          <Button isSmall aria-label={`Close ${row.shape}`} onClick={() => close(row)}>
            Close
          </Button>
        )}
      </span>
    ));
    return [...COLUMNS, actions];
  }, [isAdmin, open, close]);
  const list = useList("/api/v1/traps", { query: { domain } });
  return (
    <Table
      noun="clusters"
      label="Clusters that bring nothing new"
      columns={columns}
      list={list}
      keyOf={(row) => row.id}
      empty={
        <Empty title="No traps">
          Groups of similar URLs that bring nothing new, such as endless calendars, are listed here.
        </Empty>
      }
    />
  );
}
