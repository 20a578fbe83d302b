import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import type { Query, Schemas } from "../../api/client";
import { useApi, useList } from "../../api/queries";
import { words } from "../../format/text";
import { domainColumn } from "../../lists/columns";
import { CommonFilters, commonQuery } from "../../lists/common-filters";
import { SelectFilter, TextFilter } from "../../lists/filters";
import { hasFilters, pickFilters } from "../../lists/query";
import { useFilter } from "../../lists/use-filter";
import { Badge, Empty, Heading, Panel } from "../../ui/basics";
import { type Column, Table } from "../../ui/table";
import { Tabs } from "../../ui/tabs";
import { Time } from "../../ui/time";
import { Untrusted } from "../../ui/untrusted";
import { AVAILABILITIES, DAY_MS, ProductLink, Stock } from "./parts";
import { formatDrop, formatPrice } from "./prices";
import { RecentStock, StockChanges } from "./stock";

type Product = Schemas["Product"];
type ListQuery = Query<"/api/v1/products">;

const route = getRouteApi("/app/products");
const MOST_DROPS = 6;
const TABS = [
  ["products", "Products"],
  ["stock", "Stock changes"],
] as const;
const BY_PRICE = new Set(["price", "-price"]);
const POSITIVE = /^\d{1,12}(\.\d{1,6})?$/;

const COLUMNS: readonly Column<Product>[] = [
  {
    key: "name",
    title: "Name",
    width: "minmax(7rem,3fr)",
    sort: "name",
    cell: (row) => <ProductLink id={row.id} name={row.name} />,
  },
  {
    key: "price",
    title: "Price",
    width: "8rem",
    isNumber: true,
    sort: "price",
    cell: (row) => formatPrice(row.price, row.currency),
  },
  {
    key: "drop",
    title: "Drop",
    width: "5rem",
    isNumber: true,
    from: "sm",
    sort: "-drop",
    cell: (row) => row.reduced_by !== null && <Badge tone="ok">{formatDrop(row.reduced_by)}</Badge>,
  },
  { key: "stock", title: "Stock", width: "8rem", from: "md", cell: (row) => <Stock product={row} /> },
  {
    key: "brand",
    title: "Brand",
    width: "minmax(6rem,1fr)",
    from: "lg",
    cell: (row) => row.brand && <Untrusted text={row.brand} className="text-quiet" />,
  },
  {
    key: "rating",
    title: "Rating",
    width: "5rem",
    isNumber: true,
    from: "xl",
    sort: "-rating",
    cell: (row) => row.rating?.toLocaleString(),
  },
  domainColumn("xl"),
  {
    key: "updated",
    title: "Changed",
    width: "6rem",
    from: "sm",
    sort: "-updated_at",
    cell: (row) => <Time at={row.updated_at} />,
  },
];
const UNSORTED_PRICE = COLUMNS.map((each) => {
  const { sort, ...rest } = each;
  return each.key === "price" || sort === undefined ? rest : { ...rest, sort };
});

export function Products() {
  const search = route.useSearch();
  const { tab = "products", availability = "", state = "" } = search;
  const isStock = tab === "stock";
  return (
    <>
      <Heading title="Products">
        {!isStock && <TextFilters />}
        <TextFilter name="domain" label="Domain" value={search.domain ?? ""} className="w-36" />
        {!isStock && <PriceFilters />}
        <SelectFilter
          name="availability"
          label={isStock ? "Became" : "Availability"}
          value={availability}
          options={AVAILABILITIES.map((each) => [each, words(each)] as const)}
          any="Any availability"
        />
        <SelectFilter
          name="state"
          label="State"
          value={state}
          options={["present", "gone"]}
          any="Any state"
        />
        <CommonFilters given={search} date="Changed" hasRun={false} />
      </Heading>
      <Tabs tabs={TABS} current={tab} label="Products and stock changes" />
      {isStock ? (
        <StockChanges />
      ) : (
        <>
          <div className="grid gap-4 empty:hidden xl:grid-cols-2 xl:*:only:col-span-2">
            <Drops />
            <RecentStock />
          </div>
          <ProductList />
        </>
      )}
    </>
  );
}

function TextFilters() {
  const { q = "", brand = "", category = "" } = route.useSearch();
  return (
    <>
      <TextFilter name="q" label="Name" value={q} className="w-40 max-sm:grow" />
      <TextFilter name="brand" label="Brand" value={brand} className="w-28" />
      <TextFilter name="category" label="Category" value={category} className="w-36" />
    </>
  );
}

/** The one that is chosen; without a choice, the one that all products have. */
function useCurrency(): { currency: string; known: readonly string[] } {
  const { currency = "" } = route.useSearch();
  const { data } = useApi("/api/v1/products/currencies");
  const known = data?.currencies.map((each) => each.currency) ?? [];
  return { currency: currency || (known.length === 1 ? (known[0] ?? "") : ""), known };
}

function PriceFilters() {
  const { price_min = "", price_max = "" } = route.useSearch();
  const { currency, known } = useCurrency();
  return (
    <>
      <SelectFilter
        name="currency"
        label="Currency"
        value={currency}
        options={[...new Set([...known, ...(currency ? [currency] : [])])]}
        any="Any currency"
      />
      {currency && (
        <>
          <TextFilter
            name="price_min"
            label="Price from"
            value={price_min}
            className="w-26"
            inputMode="decimal"
          />
          <TextFilter
            name="price_max"
            label="Price to"
            value={price_max}
            className="w-26"
            inputMode="decimal"
          />
        </>
      )}
    </>
  );
}

function ProductList() {
  const search = route.useSearch();
  const { currency } = useCurrency();
  const { sort = "-updated_at" } = search;
  const set = useFilter();
  const given = {
    ...pickFilters(search, "q", "brand", "category", "domain", "availability", "state", "currency"),
    ...(currency ? pickPrices(search) : {}),
    ...commonQuery(search),
  };
  // Prices are only compared in one currency.
  const isByPrice = BY_PRICE.has(sort) && currency !== "";
  const order = BY_PRICE.has(sort) && !isByPrice ? "-updated_at" : sort;
  const isPriced = isByPrice || "price_min" in given || "price_max" in given;
  const query = { ...given, ...(isPriced ? { currency } : {}), sort: order } as ListQuery;
  const list = useList("/api/v1/products", { query, every_ms: 10_000 });
  return (
    <Table
      noun="products"
      columns={currency ? COLUMNS : UNSORTED_PRICE}
      list={list}
      keyOf={(row) => row.id}
      isFiltered={hasFilters(given)}
      sort={order}
      onSort={set("sort")}
      empty={
        <Empty title="No products yet">
          Products appear here when a crawl with a parser of products finds some.
        </Empty>
      }
    />
  );
}

function pickPrices(search: {
  readonly price_min?: string | undefined;
  readonly price_max?: string | undefined;
}) {
  const prices = pickFilters(search, "price_min", "price_max");
  return Object.fromEntries(Object.entries(prices).filter(([, text]) => POSITIVE.test(text)));
}

/** What became cheaper within a day. */
function Drops() {
  const [since] = useState(() => new Date(Date.now() - DAY_MS).toISOString());
  const { data } = useApi("/api/v1/products", {
    query: { reduced_since: since, sort: "-drop", state: "present", limit: MOST_DROPS },
    every_ms: 30_000,
  });
  if (!data || data.items.length === 0) return null;
  return (
    <Panel title="Price drops of the last day" aside={data.next ? "the largest ones" : undefined}>
      <ul className="px-4 pb-3" aria-label="Price drops of the last day">
        {data.items.map((each) => (
          <li key={each.id} className="flex min-w-0 items-center gap-3 border-t border-line/60 py-1.5">
            <span className="min-w-0 flex-1 truncate">
              <ProductLink id={each.id} name={each.name} />
            </span>
            <span className="text-quiet line-through max-sm:hidden">
              {formatPrice(each.previous_price, null)}
            </span>
            <span className="tabular-nums">{formatPrice(each.price, each.currency)}</span>
            {each.reduced_by !== null && <Badge tone="ok">{formatDrop(each.reduced_by)}</Badge>}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
