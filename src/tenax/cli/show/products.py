"""How products, their prices and their stock are shown."""

from collections.abc import Iterator
from dataclasses import asdict
from decimal import Decimal
from typing import Any

from tenax.cli.show.render import NOTHING, as_json, format_moment, show, show_facts, tidy
from tenax.clock import format_instant
from tenax.stores.queries.products import Product, ProductPoint
from tenax.stores.queries.stock_changes import StockChange
from tenax.visible import clean
from tenax.wording import count_of

NAME_CHARS = 70
PRICE_FIELDS = ("price", "list_price", "previous_price", "lowest_price", "highest_price")
Shown = Product | ProductPoint | StockChange


def format_line(each: Shown) -> str:
    match each:
        case Product():
            return format_product(each)
        case ProductPoint():
            return format_point(each)
        case StockChange():
            return format_stock_change(each)


def format_product(product: Product) -> str:
    gone = "" if product.gone_at is None else "  (gone)"
    facts = [format_price(product.price, product.currency), *_list_drop(product)]
    facts += [_format_stock(product.availability)] if product.availability else []
    head = f"{product.id}  {tidy(product.name or NOTHING, NAME_CHARS)}{gone}"
    return f"{head}\n    {', '.join(facts)}  {clean(product.url)}"


def _list_drop(product: Product) -> Iterator[str]:
    if product.reduced_by is not None and product.previous_price is not None:
        old, since = format_price(product.previous_price, None), format_moment(product.price_changed_at)
        yield f"was {old}, {format_share(product.reduced_by)} less since {since}"


def format_point(point: ProductPoint) -> str:
    if point.kind == "gone":
        return f"{format_moment(point.at)}  gone"
    stock = _format_stock(point.availability)
    return f"{format_moment(point.at)}  {format_price(point.price, point.currency):>16}  {stock}".rstrip()


def format_stock_change(change: StockChange) -> str:
    gone = "" if change.gone_at is None else "  (gone)"
    head = f"{change.product_id}  {tidy(change.name or NOTHING, NAME_CHARS)}{gone}"
    old, new = (_format_stock(each) for each in (change.old_availability, change.availability))
    price = "" if change.price is None else f", {format_price(change.price, change.currency)}"
    return f"{head}\n    {old} → {new} at {format_moment(change.at)}{price}  {clean(change.url)}"


def _format_stock(availability: str | None) -> str:
    return (availability or "").replace("_", " ")


def format_price(price: Decimal | None, currency: str | None) -> str:
    """With two decimals, or as many as it has."""
    if price is None:
        return "no price"
    shown = price.normalize()
    places = max(2, -int(shown.as_tuple().exponent))
    return f"{shown:,.{places}f}{'' if currency is None else f' {currency}'}"


def format_share(share: float) -> str:
    return f"{100 * share:.1f} %" if share < 0.1 else f"{100 * share:.0f} %"


def show_product(product: Product) -> None:
    show(clean(product.name or NOTHING), is_bold=True)
    show_facts(_list_facts(product), indent="  ")


def _list_facts(product: Product) -> Iterator[tuple[str, str]]:
    currency = product.currency
    yield "number", str(product.id)
    yield "url", clean(product.url)
    yield "source", clean(product.source or NOTHING)
    yield "price", ", ".join([format_price(product.price, currency), *_list_drop(product)])
    if product.list_price is not None:
        yield "list price", format_price(product.list_price, currency)
    for name in ("availability", "brand", "category", "sku", "gtin"):
        if (value := getattr(product, name)) is not None:
            yield name, clean(value)
    if product.rating is not None:
        yield "rating", f"{product.rating:g} of 5 ({count_of(product.review_count or 0, 'review')})"
    if product.lowest_price is not None:
        yield (
            "lowest price",
            f"{format_price(product.lowest_price, currency)}, {format_moment(product.lowest_at)}",
        )
    if product.highest_price is not None:
        high = format_price(product.highest_price, currency)
        yield "highest price", f"{high}, {format_moment(product.highest_at)}"
    yield "first seen", format_moment(product.created_at)
    yield "changed", format_moment(product.updated_at)
    if product.gone_at is not None:
        yield "gone", format_moment(product.gone_at)


def build_json(each: Shown) -> Any:
    """With prices as numbers."""
    fields = asdict(each)
    for name in PRICE_FIELDS:
        if fields.get(name) is not None:
            fields[name] = float(fields[name])
    at = {} if isinstance(each, Product) else {"at": format_instant(each.at)}
    return as_json(fields | at)
