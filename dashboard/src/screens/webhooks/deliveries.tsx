import { useMutation, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { call, type Query, type Schemas } from "../../api/client";
import { useList } from "../../api/queries";
import { useRole } from "../../api/session";
import { reveal } from "../../format/text";
import { useFilter } from "../../lists/use-filter";
import { Button, Empty, Heading } from "../../ui/basics";
import { Select } from "../../ui/forms";
import { notify } from "../../ui/notices";
import { HttpStatus, State } from "../../ui/states";
import { type Column, Table } from "../../ui/table";
import { Time } from "../../ui/time";
import { Untrusted } from "../../ui/untrusted";

type Delivery = Schemas["DeliveryView"];
type ListQuery = Query<"/api/v1/webhooks/{id}/deliveries">;

const route = getRouteApi("/app/webhooks/$id");
const MEANINGS: Readonly<Record<Schemas["DeliveryState"], string>> = {
  pending: "It is sent, or tried again, soon.",
  delivered: "It was taken.",
  failed: "All tries are used up.",
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
    title: "About",
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
  { key: "attempts", title: "Tries", width: "4rem", isNumber: true, from: "md", cell: (row) => row.attempts },
  {
    key: "status",
    title: "Answer",
    width: "4.5rem",
    isNumber: true,
    from: "md",
    cell: (row) => (row.attempts > 0 ? <HttpStatus status={row.last_status} /> : "–"),
  },
  {
    key: "error",
    title: "Trouble",
    width: "minmax(5rem,2fr)",
    from: "md",
    cell: (row) => row.last_error && <Untrusted text={row.last_error} className="text-bad" />,
  },
  {
    key: "made",
    title: "Made",
    width: "5.5rem",
    isNumber: true,
    from: "sm",
    cell: (row) => <Time at={row.created_at} />,
  },
  {
    key: "next",
    title: "Next try",
    width: "5.5rem",
    isNumber: true,
    from: "lg",
    cell: (row) => <Time at={row.next_try_at} />,
  },
];

/** What became of the messages of one webhook. */
export function Deliveries() {
  const { id } = route.useParams();
  const { state = "" } = route.useSearch();
  const { isAdmin } = useRole();
  const set = useFilter();
  const queries = useQueryClient();
  const { mutate: retry } = useMutation({
    mutationFn: (delivery: number) =>
      call("post", "/api/v1/webhook-deliveries/{id}/retry", { path: { id: delivery } }),
    onSuccess: () => notify("ok", "It is sent again within seconds."),
    onError: (error) => notify("bad", error.message),
    onSettled: () => queries.invalidateQueries({ queryKey: ["webhooks"] }),
  });
  const columns = useMemo(() => {
    const orders: Column<Delivery> = {
      key: "orders",
      title: "Orders",
      isNumber: true,
      width: "4.5rem",
      cell: (row) => (
        <Button isSmall aria-label={`Retry delivery ${row.id}`} onClick={() => retry(row.id)}>
          Retry
        </Button>
      ),
    };
    return [...COLUMNS, orders];
  }, [retry]);
  const list = useList("/api/v1/webhooks/{id}/deliveries", {
    path: { id: Number(id) },
    query: (state ? { state } : {}) as ListQuery,
    every_ms: 3000,
    isEnabled: isAdmin,
  });
  if (!isAdmin) {
    return <Empty title="This is for administrators">Webhooks tell other programs what happens here.</Empty>;
  }
  return (
    <>
      <Heading
        title={`Deliveries of webhook ${id}`}
        above={
          <Link to="/webhooks" className="hover:underline">
            Webhooks
          </Link>
        }
      >
        <Select label="State" value={state} options={STATES} any="Any state" onChange={set("state")} />
      </Heading>
      <Table
        label="Deliveries"
        className="min-h-[20rem] flex-1"
        columns={columns}
        list={list}
        keyOf={(row) => row.id}
        empty={<Empty title="Nothing was sent yet">“Test” sends a message to try it out.</Empty>}
      />
    </>
  );
}
