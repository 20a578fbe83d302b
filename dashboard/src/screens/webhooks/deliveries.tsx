import { getRouteApi } from "@tanstack/react-router";
import { useMemo } from "react";
import { call, type Query, type Schemas } from "../../api/client";
import { useList } from "../../api/queries";
import { reveal } from "../../format/text";
import { useAction } from "../../forms/use-action";
import { actionsColumn } from "../../lists/columns";
import { SelectFilter } from "../../lists/filters";
import { hasFilters, pickFilters } from "../../lists/query";
import { AdminOnly } from "../../shell/admin-only";
import { Button, Empty, Heading } from "../../ui/basics";
import { ParentLink } from "../../ui/parent-link";
import { HttpStatus, State } from "../../ui/states";
import { type Column, Table } from "../../ui/table";
import { Time } from "../../ui/time";
import { Untrusted } from "../../ui/untrusted";

type Delivery = Schemas["DeliveryView"];
type ListQuery = Query<"/api/v1/webhooks/{id}/deliveries">;

const route = getRouteApi("/app/webhooks/$id");
const MEANINGS: Readonly<Record<Schemas["DeliveryState"], string>> = {
  pending: "It will be sent or retried soon.",
  delivered: "The receiver accepted it.",
  failed: "All attempts failed.",
};
const STATES = Object.keys(MEANINGS) as Schemas["DeliveryState"][];

const COLUMNS: readonly Column<Delivery>[] = [
  {
    key: "event",
    title: "Event",
    width: "minmax(6rem,1fr)",
    cell: (row) => <span className="font-medium">{row.event}</span>,
  },
  {
    key: "subject",
    title: "Subject",
    width: "minmax(6rem,1.5fr)",
    from: "sm",
    cell: (row) => (
      <span title={reveal(row.payload)}>
        <Untrusted text={row.subject} />
      </span>
    ),
  },
  {
    key: "state",
    title: "State",
    width: "6.6rem",
    cell: (row) => <State state={row.state} meanings={MEANINGS} />,
  },
  {
    key: "attempts",
    title: "Attempts",
    width: "4rem",
    isNumber: true,
    from: "md",
    cell: (row) => row.attempts,
  },
  {
    key: "status",
    title: "HTTP",
    width: "4.5rem",
    isNumber: true,
    from: "md",
    cell: (row) => (row.attempts > 0 ? <HttpStatus status={row.last_status} /> : "–"),
  },
  {
    key: "error",
    title: "Error",
    width: "minmax(5rem,2fr)",
    from: "md",
    cell: (row) => row.last_error && <Untrusted text={row.last_error} className="text-bad" />,
  },
  {
    key: "made",
    title: "Created",
    width: "5.5rem",
    isNumber: true,
    from: "sm",
    cell: (row) => <Time at={row.created_at} />,
  },
  {
    key: "next",
    title: "Next attempt",
    width: "5.5rem",
    isNumber: true,
    from: "lg",
    cell: (row) => <Time at={row.next_try_at} />,
  },
];

export function Deliveries() {
  return (
    <AdminOnly note="Webhooks notify other programs of events.">
      <DeliveryList />
    </AdminOnly>
  );
}

/** The messages of one webhook, and whether they were delivered. */
function DeliveryList() {
  const { id } = route.useParams();
  const { state = "" } = route.useSearch();
  const { mutate: retry } = useAction({
    perform: (delivery: number) =>
      call("post", "/api/v1/webhook-deliveries/{id}/retry", { path: { id: delivery } }),
    success: () => "The message will be sent again within seconds.",
    refreshes: ["webhooks"],
  });
  const columns = useMemo(() => {
    const actions = actionsColumn<Delivery>("4.5rem", (row) => (
      <Button isSmall aria-label={`Retry delivery ${row.id}`} onClick={() => retry(row.id)}>
        Retry
      </Button>
    ));
    return [...COLUMNS, actions];
  }, [retry]);
  const query = pickFilters({ state }, "state") as ListQuery;
  const list = useList("/api/v1/webhooks/{id}/deliveries", {
    path: { id: Number(id) },
    query,
    every_ms: 3000,
  });
  return (
    <>
      <Heading title={`Deliveries of webhook ${id}`} above={<ParentLink to="/webhooks">Webhooks</ParentLink>}>
        <SelectFilter name="state" label="State" value={state} options={STATES} any="Any state" />
      </Heading>
      <Table
        noun="deliveries"
        className="min-h-[20rem] flex-1"
        columns={columns}
        list={list}
        keyOf={(row) => row.id}
        isFiltered={hasFilters(query)}
        empty={<Empty title="No deliveries yet">Use “Test” on the list of webhooks to send a message.</Empty>}
      />
    </>
  );
}
