import { getRouteApi } from "@tanstack/react-router";
import { useMemo } from "react";
import { call, type Query, type Schemas } from "../../api/client";
import { useList } from "../../api/queries";
import { useRole } from "../../api/session";
import { formatCompact } from "../../format/numbers";
import { useAction } from "../../forms/use-action";
import { actionsColumn } from "../../lists/columns";
import { SelectFilter } from "../../lists/filters";
import { hasFilters, type ListTableProps, pickFilters, pickNumber } from "../../lists/query";
import { useFilter } from "../../lists/use-filter";
import { Button, Empty, Heading } from "../../ui/basics";
import { HttpStatus, State } from "../../ui/states";
import { type Column, Table } from "../../ui/table";
import { Time } from "../../ui/time";
import { Untrusted } from "../../ui/untrusted";
import { SourceLink, type SourceNames, useSourceNames } from "../sources/source-links";
import { SourceIdFilter } from "../sources/source-select";

type Feed = Schemas["FeedView"];
type ListQuery = Query<"/api/v1/feeds">;

const route = getRouteApi("/app/feeds");
const STATES: readonly Schemas["FeedState"][] = ["active", "failing", "gone", "absent"];
const MEANINGS: Readonly<Record<Schemas["FeedState"], string>> = {
  active: "Polled at its interval.",
  failing: "The last poll failed. It is polled less and less often.",
  gone: "The server says that it is gone, or it has moved.",
  absent: "A common feed location where there is no feed.",
};

function columnsOf(names: SourceNames): readonly Column<Feed>[] {
  return [
    {
      key: "feed",
      title: "Feed",
      width: "minmax(6rem,2.5fr)",
      sort: "url",
      cell: (row) => (
        <span title={row.url}>
          {row.title && <Untrusted text={row.title} className="mr-2 font-medium" />}
          <Untrusted text={row.url} className="font-mono text-[0.92em] text-quiet" />
        </span>
      ),
    },
    {
      key: "source",
      title: "Source",
      width: "minmax(6rem,1fr)",
      from: "md",
      cell: (row) => <SourceLink id={row.source_id} names={names} />,
    },
    { key: "kind", title: "Kind", width: "4rem", from: "sm", cell: (row) => row.kind ?? "–" },
    {
      key: "state",
      title: "State",
      width: "6rem",
      cell: (row) => <State state={row.state} meanings={MEANINGS} />,
    },
    {
      key: "status",
      title: "HTTP",
      width: "4.5rem",
      isNumber: true,
      from: "md",
      cell: (row) => (row.last_polled_at ? <HttpStatus status={row.last_status} /> : "–"),
    },
    {
      key: "error",
      title: "Error",
      width: "minmax(5rem,1fr)",
      from: "xl",
      cell: (row) => row.error && <Untrusted text={row.error} className="text-bad" />,
    },
    {
      key: "new",
      title: "New URLs",
      width: "5rem",
      isNumber: true,
      from: "sm",
      sort: "-entries_new",
      cell: (row) => formatCompact(row.entries_new),
    },
    {
      key: "next",
      title: "Next poll",
      width: "5.5rem",
      isNumber: true,
      from: "sm",
      cell: (row) => <Time at={row.next_poll_at} />,
    },
  ];
}

export function Feeds() {
  const { source = "", state = "", sort = "id" } = route.useSearch();
  const set = useFilter();
  const query = {
    sort,
    ...pickFilters({ state }, "state"),
    ...pickNumber("source_id", source),
  } as ListQuery;
  return (
    <>
      <Heading title="Feeds">
        <SelectFilter name="state" label="State" value={state} options={STATES} any="Any state" />
        <SourceIdFilter value={source} />
      </Heading>
      <FeedTable query={query} isFiltered={hasFilters(query)} sort={sort} onSort={set("sort")} />
    </>
  );
}

export function FeedTable({ query, isFiltered, sort, onSort }: ListTableProps<ListQuery>) {
  const { isAdmin } = useRole();
  const names = useSourceNames();
  const { mutate: poll } = useAction({
    perform: (feed: Feed) => call("post", "/api/v1/feeds/{feed_id}/poll", { path: { feed_id: feed.id } }),
    success: () => "The feed will be polled as soon as its domain allows it.",
    refreshes: ["feeds"],
  });
  const columns = useMemo(() => {
    if (!isAdmin) return columnsOf(names);
    const actions = actionsColumn<Feed>("5.25rem", (row) => (
      <Button isSmall aria-label={`Poll now: feed ${row.id}`} onClick={() => poll(row)}>
        Poll now
      </Button>
    ));
    return [...columnsOf(names), actions];
  }, [names, isAdmin, poll]);
  const list = useList("/api/v1/feeds", { query, every_ms: 5000 });
  return (
    <Table
      noun="feeds"
      className="min-h-[20rem] flex-1"
      columns={columns}
      list={list}
      keyOf={(row) => row.id}
      sort={sort}
      onSort={onSort}
      isFiltered={isFiltered}
      empty={
        <Empty title="No feeds yet">To find feeds, edit a source and select “Find and follow feeds”.</Empty>
      }
    />
  );
}
