import { Link } from "@tanstack/react-router";
import type { Schemas } from "../../api/client";
import { reveal, words } from "../../format/text";
import { Badge, type Tone } from "../../ui/basics";

type Availability = NonNullable<Schemas["Product"]["availability"]>;

const TONES: Record<Availability, Tone> = {
  in_stock: "ok",
  limited: "warn",
  out_of_stock: "bad",
  preorder: "accent",
  backorder: "warn",
  discontinued: "rest",
  in_store_only: "quiet",
  online_only: "ok",
};
export const DAY_MS = 86_400_000;
export const AVAILABILITIES = Object.keys(TONES) as Availability[];

export function StockBadge({ availability }: { availability: Availability }) {
  return <Badge tone={TONES[availability]}>{words(availability)}</Badge>;
}

/** Whether it can be bought; that it is gone says more than what its page said last. */
export function Stock({ product }: { product: Pick<Schemas["Product"], "availability" | "gone_at"> }) {
  if (product.gone_at !== null) return <Badge tone="rest">gone</Badge>;
  return product.availability && <StockBadge availability={product.availability} />;
}

export function ProductLink({ id, name }: { id: number; name: string | null }) {
  return (
    <Link to="/products/$id" params={{ id: String(id) }} className="font-medium hover:underline">
      <bdi>{reveal(name ?? `Product ${id}`)}</bdi>
    </Link>
  );
}
