import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Query, Schemas } from "../../api/client";
import { useApi, useList } from "../../api/queries";
import { domainColumn } from "../../lists/columns";
import { commonQuery } from "../../lists/common-filters";
import { hasFilters, pickFilters } from "../../lists/query";
import { Empty, Panel } from "../../ui/basics";
import { State } from "../../ui/states";
import { type Column, Table } from "../../ui/table";
import { Time } from "../../ui/time";
import { DAY_MS, ProductLink, StockBadge } from "./parts";
import { formatPrice } from "./prices";

type Change = Schemas["StockChange"];
type ListQuery = Query<"/api/v1/products/stock-changes">;

const route = getRouteApi("/app/products");
const MOST_SHOWN = 6;
const TITLE = "Stock changes of the last day";

const COLUMNS: readonly Column<Change>[] = [
  { key: "at", title: "Time", width: "5.5rem", cell: (row) => <Time at={row.at} /> },
  {
    key: "name",
    title: "Name",
    width: "minmax(6rem,3fr)",
    cell: (row) => <ProductLink id={row.product_id} name={row.name} />,
  },
  {
    key: "old",
    title: "Before",
    width: "8rem",
    from: "sm",
    cell: (row) => <StockBadge availability={row.old_availability} />,
  },
  {
    key: "new",
    title: "Stock",
    width: "8rem",
    cell: (row) => <StockBadge availability={row.availability} />,
  },
  {
    key: "price",
    title: "Price",
    width: "8rem",
    isNumber: true,
    from: "md",
    cell: (row) => formatPrice(row.price, row.currency),
  },
  domainColumn("lg"),
  { key: "state", title: "Product", width: "6rem", from: "xl", cell: (row) => <State state={row.state} /> },
];

export function StockChanges() {
  const search = route.useSearch();
  const query = {
    ...pickFilters(search, "domain", "availability", "state"),
    ...commonQuery(search),
  } as ListQuery;
  const list = useList("/api/v1/products/stock-changes", { query, every_ms: 10_000 });
  return (
    <Table
      noun="stock changes"
      columns={COLUMNS}
      list={list}
      keyOf={(row, index) => `${row.product_id} ${row.at} ${index}`}
      isFiltered={hasFilters(query)}
      empty={
        <Empty title="No stock changes yet">
          They appear here when a later visit finds a product sold out, or back in stock.
        </Empty>
      }
    />
  );
}

/** What sold out or came back within a day. */
export function RecentStock() {
  const [since] = useState(() => new Date(Date.now() - DAY_MS).toISOString());
  const { data } = useApi("/api/v1/products/stock-changes", {
    query: { since, state: "present", limit: MOST_SHOWN },
    every_ms: 30_000,
  });
  if (!data || data.items.length === 0) return null;
  return (
    <Panel
      title={TITLE}
      aside={
        <Link to="/products" search={{ tab: "stock" }} className="text-accent underline underline-offset-2">
          All stock changes
        </Link>
      }
    >
      <ul className="px-4 pb-3" aria-label={TITLE}>
        {data.items.map((each) => (
          <li
            key={`${each.product_id} ${each.at}`}
            className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-0.5 border-t border-line/60 py-1.5"
          >
            <span className="min-w-32 flex-1 truncate">
              <ProductLink id={each.product_id} name={each.name} />
            </span>
            <span className="flex items-center gap-1.5">
              <StockBadge availability={each.old_availability} />
              <span className="text-quiet">
                <span aria-hidden="true">→</span>
                <span className="sr-only">became</span>
              </span>
              <StockBadge availability={each.availability} />
            </span>
            <Time at={each.at} className="min-w-16 text-right text-quiet" />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
