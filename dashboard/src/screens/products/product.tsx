import { getRouteApi, Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { Schemas } from "../../api/client";
import { useApi, useList } from "../../api/queries";
import { formatCount } from "../../format/numbers";
import { reveal } from "../../format/text";
import { Badge, Empty, type Fact, Facts, Heading, Panel, Skeleton } from "../../ui/basics";
import { Chart } from "../../ui/chart";
import { LoadFailed } from "../../ui/load-failed";
import { ParentLink } from "../../ui/parent-link";
import { State } from "../../ui/states";
import { type Column, Table } from "../../ui/table";
import { Time } from "../../ui/time";
import { DomainLink, OutLink, Untrusted } from "../../ui/untrusted";
import { Stock, StockBadge } from "./parts";
import { buildPriceSeries, formatDrop, formatPrice } from "./prices";

type Detail = Schemas["ProductDetail"];
type Point = Schemas["ProductPoint"];

const route = getRouteApi("/app/products/$id");
const MOST_POINTS = 500;
const MOST_IMAGES = 50;

export function ProductScreen() {
  const { id } = route.useParams();
  const { data, error, refetch } = useApi("/api/v1/products/{id}", { path: { id: Number(id) } });
  if (error && !data) {
    const above = <ParentLink to="/products">Products</ParentLink>;
    return <LoadFailed title="Product" above={above} error={error} onRetry={() => void refetch()} />;
  }
  const name = data?.name ?? `Product ${id}`;
  return (
    <>
      <Heading
        name={reveal(name)}
        title={data ? <Untrusted text={name} /> : <Skeleton className="h-8 w-72" />}
        above={<ParentLink to="/products">Products</ParentLink>}
      >
        {data && <Stock product={data} />}
      </Heading>
      {data && <OutLink url={data.url} className="-mt-2" />}
      {data ? <Prices product={data} /> : <Skeleton className="h-[190px]" />}
      {data && (
        <div className="grid gap-4 lg:grid-cols-2">
          <About product={data} />
          <Details product={data} />
        </div>
      )}
      <History id={Number(id)} />
    </>
  );
}

function Prices({ product }: { product: Detail }) {
  const [now] = useState(() => Date.now() / 1000);
  const { data } = useApi("/api/v1/products/{id}/history", {
    path: { id: product.id },
    query: { sort: "-id", limit: MOST_POINTS },
  });
  const series = useMemo(() => (data ? buildPriceSeries([...data.items].reverse(), now) : null), [data, now]);
  return (
    <Panel
      title={
        <span className="flex flex-wrap items-center gap-2">
          {formatPrice(product.price, product.currency)}
          {product.reduced_by !== null && <Badge tone="ok">{formatDrop(product.reduced_by)}</Badge>}
        </span>
      }
      aside={data?.next ? `the last ${formatCount(MOST_POINTS)} changes` : "Price over time"}
    >
      <div className="px-2 pb-2">
        {series && (
          <Chart
            label={`Price over time, from ${formatPrice(product.lowest_price, product.currency)} to ${formatPrice(product.highest_price, product.currency)}`}
            times={series.times}
            span={series.span}
            lines={series.lines}
            format={(value) => value.toLocaleString(undefined, { maximumFractionDigits: 2 })}
            height={190}
          />
        )}
        {data && !series && <p className="px-2 pb-2 text-quiet">No page has named a price.</p>}
      </div>
    </Panel>
  );
}

function About({ product }: { product: Detail }) {
  const { currency } = product;
  return (
    <Panel title="Prices and stock">
      <Facts
        facts={[
          { label: "Price", value: formatPrice(product.price, currency) },
          product.list_price !== null && {
            label: "List price",
            value: formatPrice(product.list_price, currency),
          },
          product.previous_price !== null && {
            label: "Previous price",
            value: formatPrice(product.previous_price, currency),
          },
          product.price_changed_at !== null && {
            label: "Price changed",
            value: <Time at={product.price_changed_at} />,
          },
          priceAt("Lowest price", product.lowest_price, currency, product.lowest_at),
          priceAt("Highest price", product.highest_price, currency, product.highest_at),
          product.availability !== null && {
            label: "Availability",
            value: <StockBadge availability={product.availability} />,
          },
          product.rating !== null && {
            label: "Rating",
            value: `${product.rating.toLocaleString()} of 5${product.review_count === null ? "" : `, ${formatCount(product.review_count)} reviews`}`,
          },
          { label: "First seen", value: <Time at={product.created_at} /> },
          { label: "Changed", value: <Time at={product.updated_at} /> },
          product.gone_at !== null && { label: "Gone", value: <Time at={product.gone_at} /> },
        ]}
      />
    </Panel>
  );
}

function priceAt(
  label: string,
  price: number | null,
  currency: string | null,
  at: string | null,
): Fact | false {
  if (price === null || at === null) return false;
  const value = (
    <>
      {formatPrice(price, currency)}, <Time at={at} />
    </>
  );
  return { label, value };
}

function Details({ product }: { product: Detail }) {
  const images = listImages(product.data.images);
  const texts = (["brand", "category", "sku", "gtin"] as const).flatMap((name) => {
    const value = product[name];
    return value === null ? [] : [{ label: TITLES[name], value: <Untrusted text={value} /> }];
  });
  return (
    <Panel title="Details">
      <Facts
        facts={[
          ...texts,
          { label: "Domain", value: <DomainLink name={product.domain} /> },
          { label: "Source", value: product.source && <Untrusted text={product.source} /> },
          images.length > 0 && {
            label: "Images",
            value: (
              <ul>
                {images.map((url) => (
                  <li key={url}>
                    <OutLink url={url} />
                  </li>
                ))}
              </ul>
            ),
          },
        ]}
      />
      <p className="px-4 pb-4">
        <Link
          to="/items/$id"
          params={{ id: String(product.id) }}
          className="text-accent underline underline-offset-2"
        >
          All that was found
        </Link>
      </p>
    </Panel>
  );
}

const TITLES = { brand: "Brand", category: "Category", sku: "Article number", gtin: "GTIN" } as const;

/** Data comes from parsers of users: it may be anything. */
function listImages(value: unknown): string[] {
  const urls = Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];
  return [...new Set(urls)].slice(0, MOST_IMAGES);
}

const COLUMNS: readonly Column<Point>[] = [
  { key: "at", title: "Time", width: "6rem", cell: (row) => <Time at={row.at} /> },
  {
    key: "change",
    title: "Change",
    width: "6.5rem",
    from: "sm",
    cell: (row) => <State state={row.change} />,
  },
  {
    key: "price",
    title: "Price",
    width: "minmax(5.5rem,1fr)",
    isNumber: true,
    cell: (row) => formatPrice(row.price, row.currency),
  },
  {
    key: "list",
    title: "List price",
    width: "minmax(7rem,1fr)",
    isNumber: true,
    from: "md",
    cell: (row) => row.list_price !== null && formatPrice(row.list_price, row.currency),
  },
  {
    key: "stock",
    title: "Stock",
    width: "minmax(6.5rem,1fr)",
    cell: (row) => row.availability && <StockBadge availability={row.availability} />,
  },
];

function History({ id }: { id: number }) {
  const list = useList("/api/v1/products/{id}/history", { path: { id }, query: { sort: "-id" } });
  return (
    <Table
      noun="changes"
      label="Prices and stock over time"
      className="min-h-[16rem] flex-1"
      columns={COLUMNS}
      list={list}
      keyOf={(row, index) => `${row.at} ${index}`}
      empty={<Empty title="No changes" />}
    />
  );
}
