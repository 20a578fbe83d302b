import { getRouteApi, Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { call, type Query, type Schemas } from "../../api/client";
import { type List, useApi, useList } from "../../api/queries";
import { useRole } from "../../api/session";
import { useAction } from "../../forms/use-action";
import { actionsColumn } from "../../lists/columns";
import { SelectFilter } from "../../lists/filters";
import { hasFilters, pickFilters, pickNumber } from "../../lists/query";
import { Button, Empty, Heading } from "../../ui/basics";
import { State } from "../../ui/states";
import { type Column, Table } from "../../ui/table";
import { Tabs } from "../../ui/tabs";
import { Time } from "../../ui/time";
import { Untrusted } from "../../ui/untrusted";

type Task = Schemas["Task"];
type Letter = Schemas["DeadLetter"];
type ListQuery = Query<"/api/v1/tasks">;

const route = getRouteApi("/app/tasks");
const TABS = [
  ["tasks", "Tasks"],
  ["dead", "Dead letters"],
] as const;
const MEANINGS: Readonly<Record<Schemas["TaskState"], string>> = {
  pending: "Stored, but not yet confirmed by the broker.",
  queued: "In the broker’s queue.",
  crawling: "A worker has started it.",
  downloaded: "Everything is fetched and stored.",
  parsing: "Its results are being counted and compared.",
  completed: "Finished.",
  failed: "No worker could run it. It can be replayed while its run waits.",
};
const STATES = Object.keys(MEANINGS) as Schemas["TaskState"][];

const COLUMNS: readonly Column<Task>[] = [
  { key: "id", title: "Task", width: "2.8rem", cell: (row) => <span className="font-medium">{row.id}</span> },
  {
    key: "run",
    title: "Run",
    width: "2.8rem",
    cell: (row) => (
      <Link to="/runs/$id" params={{ id: String(row.run_id) }} className="hover:underline">
        {row.run_id}
      </Link>
    ),
  },
  {
    key: "state",
    title: "State",
    width: "6.6rem",
    cell: (row) => <State state={row.state} meanings={MEANINGS} />,
  },
  {
    key: "queue",
    title: "Queue",
    width: "minmax(4rem,1fr)",
    from: "sm",
    cell: (row) => <Untrusted text={row.queue} />,
  },
  {
    key: "priority",
    title: "Priority",
    width: "4.5rem",
    isNumber: true,
    from: "md",
    cell: (row) => row.priority,
  },
  {
    key: "deliveries",
    title: "Delivered",
    width: "5rem",
    isNumber: true,
    from: "md",
    cell: (row) => `${row.deliveries}×`,
  },
  {
    key: "error",
    title: "Error",
    width: "minmax(5rem,2fr)",
    from: "md",
    cell: (row) => row.error && <Untrusted text={row.error} className="text-bad" />,
  },
  {
    key: "created",
    title: "Created",
    width: "5.5rem",
    isNumber: true,
    from: "sm",
    cell: (row) => <Time at={row.created_at} />,
  },
  {
    key: "ended",
    title: "Ended",
    width: "5.5rem",
    isNumber: true,
    from: "lg",
    cell: (row) => <Time at={row.ended_at} />,
  },
];

export function Tasks() {
  const { state = "", run = "", tab = "tasks" } = route.useSearch();
  const query = { ...pickFilters({ state }, "state"), ...pickNumber("run", run) } as ListQuery;
  return (
    <>
      <Heading title="Tasks">
        {tab === "tasks" && (
          <SelectFilter name="state" label="State" value={state} options={STATES} any="Any state" />
        )}
      </Heading>
      <Tabs tabs={TABS} current={tab} label="Tabs of tasks" />
      {tab === "tasks" ? <TaskTable query={query} /> : <DeadLetters />}
    </>
  );
}

function TaskTable({ query }: { query: ListQuery }) {
  const { isAdmin } = useRole();
  const { mutate: replay } = useAction({
    perform: (id: number) => call("post", "/api/v1/tasks/{id}/replay", { path: { id } }),
    success: (task) => `Task ${task.id} will be published again within seconds.`,
    refreshes: ["tasks"],
  });
  const columns = useMemo(() => {
    if (!isAdmin) return COLUMNS;
    const actions = actionsColumn<Task>(
      "4.8rem",
      (row) =>
        row.state === "failed" && (
          <Button isSmall aria-label={`Replay task ${row.id}`} onClick={() => replay(row.id)}>
            Replay
          </Button>
        ),
    );
    return [...COLUMNS, actions];
  }, [isAdmin, replay]);
  const list = useList("/api/v1/tasks", { query, every_ms: 3000 });
  return (
    <Table
      noun="tasks"
      className="min-h-[20rem] flex-1"
      columns={columns}
      list={list}
      keyOf={(row) => row.id}
      isFiltered={hasFilters(query)}
      empty={
        <Empty title="No tasks">
          Runs become tasks when the server uses a broker: tenax serve --dispatch celery --broker amqp://…
        </Empty>
      }
    />
  );
}

const LETTER_COLUMNS: readonly Column<Letter>[] = [
  {
    key: "task",
    title: "Task",
    width: "minmax(6rem,1fr)",
    cell: (row) => <Untrusted text={row.task ?? "?"} className="font-medium" />,
  },
  {
    key: "reason",
    title: "Reason",
    width: "minmax(5rem,1fr)",
    cell: (row) => <Untrusted text={row.reason ?? "?"} />,
  },
  {
    key: "queue",
    title: "Queue",
    width: "6rem",
    from: "sm",
    cell: (row) => <Untrusted text={row.queue ?? "?"} />,
  },
  {
    key: "body",
    title: "Message",
    width: "minmax(6rem,3fr)",
    from: "md",
    cell: (row) => <Untrusted text={row.body} className="font-mono text-[0.92em] text-quiet" />,
  },
  { key: "died", title: "Time", width: "5.5rem", isNumber: true, cell: (row) => <Time at={row.died_at} /> },
];

function DeadLetters() {
  const { data, isPending, error, refetch } = useApi("/api/v1/dead-letters", {
    query: { limit: 100 },
    every_ms: 10_000,
  });
  const list: List<Letter> = {
    rows: data ?? [],
    isLoading: isPending,
    isLoadingMore: false,
    hasMore: false,
    error,
    loadMore: () => {},
    reload: () => void refetch(),
  };
  return (
    <Table
      noun="dead letters"
      className="min-h-[20rem] flex-1"
      columns={LETTER_COLUMNS}
      list={list}
      keyOf={(_, index) => index}
      empty={
        <Empty title="No dead letters">
          The broker keeps messages that no worker could process, and they are shown here. Replay failed tasks
          from the list of tasks.
        </Empty>
      }
    />
  );
}
