"""What becomes of the rows about products when their items change: the same for every database. Pure."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, Final, NamedTuple

import orjson

from tenax.clock import Instant
from tenax.record import record
from tenax.records.items import ItemChangeKind
from tenax.records.products import find_drop
from tenax.stores.hot.column_lists import join_names, join_replaced, leave_out
from tenax.stores.hot.items.product_facts import ProductFacts, read_facts


class ProductColumns(NamedTuple):
    """A row of `products`."""

    item_id: int
    source_id: int
    domain_id: int
    url_id: int
    name: str | None
    name_key: str
    price: Decimal | None
    currency: str | None
    list_price: Decimal | None
    availability: str | None
    rating: float | None
    review_count: int | None
    brand: str | None
    brand_key: str | None
    category: str | None
    category_key: str | None
    sku: str | None
    gtin: str | None
    known_price: Decimal | None
    known_availability: str | None
    price_changed_at: Instant | None
    previous_price: Decimal | None
    reduced_by: float | None
    lowest_price: Decimal | None
    lowest_at: Instant | None
    highest_price: Decimal | None
    highest_at: Instant | None
    created_at: Instant
    updated_at: Instant
    gone_at: Instant | None


class ProductChangeColumns(NamedTuple):
    """A row of `product_changes`; its id is that of the newest change of the item."""

    item_id: int
    at: Instant
    kind: str
    price: Decimal | None
    currency: str | None
    list_price: Decimal | None
    availability: str | None
    old_price: Decimal | None
    old_currency: str | None
    old_availability: str | None
    lowest_price: Decimal | None


PRODUCT_COLUMNS: Final = join_names(ProductColumns._fields)
REPLACE_PRODUCT: Final = join_replaced(leave_out(ProductColumns._fields, "item_id", "source_id"))
LIST_PRODUCTS: Final = f"SELECT {PRODUCT_COLUMNS} FROM products WHERE item_id {{is_one}}"
PRICE_NAMES: Final = frozenset(
    ("price", "list_price", "known_price", "previous_price", "lowest_price", "highest_price", "old_price")
)


@record
class ProductNews:
    """What a batch says of an item that is a product."""

    item_id: int
    kind: ItemChangeKind | None  # None: another url shows it, as it was
    at: Instant
    domain_id: int | None = None  # None: as before
    url_id: int | None = None
    data: str = "{}"


@record
class ProductPlan:
    saved: list[ProductColumns]
    changes: list[ProductChangeColumns]


class _Prices(NamedTuple):
    """The columns of `products` that say how the price changed."""

    currency: str | None
    known_price: Decimal | None
    price_changed_at: Instant | None
    previous_price: Decimal | None
    reduced_by: float | None
    lowest_price: Decimal | None
    lowest_at: Instant | None
    highest_price: Decimal | None
    highest_at: Instant | None


_NO_PRICES: Final = _Prices(*(None,) * len(_Prices._fields))


def plan_products(
    news: Iterable[ProductNews], known: Mapping[int, ProductColumns], source_id: int
) -> ProductPlan:
    """`known`: the rows that there are, by item."""
    plan = ProductPlan(saved=[], changes=[])
    for each in sorted(news, key=lambda each: each.item_id):
        product, change = plan_product(known.get(each.item_id), each, source_id)
        if product is not None:
            plan.saved.append(product)
        if change is not None:
            plan.changes.append(change)
    return plan


def plan_product(
    before: ProductColumns | None, news: ProductNews, source_id: int
) -> tuple[ProductColumns | None, ProductChangeColumns | None]:
    """What its row becomes, and how price or stock change; None: not at all."""
    if before is None and news.url_id is None:
        return None, None  # it was purged
    if before is not None and news.kind is None:
        return _move(before, news), None
    if before is not None and news.kind is ItemChangeKind.GONE:
        gone = before._replace(gone_at=news.at, updated_at=news.at)
        return gone, _change_row(before, None, news)
    product = _build(before, read_facts(orjson.loads(news.data)), news, source_id)
    is_told = before is None or news.kind is not ItemChangeKind.CHANGED or _differ(before, product)
    return product, _change_row(before, product, news) if is_told else None


def _move(product: ProductColumns, news: ProductNews) -> ProductColumns:
    if news.url_id is None or news.domain_id is None:
        return product
    return product._replace(domain_id=news.domain_id, url_id=news.url_id)


def _build(
    before: ProductColumns | None, facts: ProductFacts, news: ProductNews, source_id: int
) -> ProductColumns:
    assert news.domain_id is not None
    assert news.url_id is not None
    prices = _plan_prices(before, facts, news.at)
    stock = facts.availability or (None if before is None else before.known_availability)
    return ProductColumns(
        item_id=news.item_id,
        source_id=source_id if before is None else before.source_id,
        domain_id=news.domain_id,
        url_id=news.url_id,
        **facts._replace(currency=prices.currency)._asdict(),
        **{name: value for name, value in prices._asdict().items() if name != "currency"},
        known_availability=stock,
        created_at=news.at if before is None else before.created_at,
        updated_at=news.at,
        gone_at=None,
    )


def _plan_prices(before: ProductColumns | None, facts: ProductFacts, at: Instant) -> _Prices:
    old = _NO_PRICES if before is None else _Prices(*(getattr(before, name) for name in _Prices._fields))
    price = facts.price
    # A page that names no currency has that of the page before.
    currency = facts.currency or old.currency
    if price is None:
        return old if old.known_price is not None else old._replace(currency=currency)
    if old.known_price is None:
        return _begin(price, currency, at)
    if old.currency is not None and currency != old.currency:
        return _begin(price, currency, at)._replace(price_changed_at=at)
    if price == old.known_price:
        return old._replace(currency=currency)
    return _follow(old._replace(currency=currency), old.known_price, price, at)


def _begin(price: Decimal, currency: str | None, at: Instant) -> _Prices:
    return _NO_PRICES._replace(
        currency=currency,
        known_price=price,
        lowest_price=price,
        lowest_at=at,
        highest_price=price,
        highest_at=at,
    )


def _follow(prices: _Prices, old: Decimal, price: Decimal, at: Instant) -> _Prices:
    """As prices are after a change from `old`."""
    if prices.lowest_price is None or price < prices.lowest_price:
        prices = prices._replace(lowest_price=price, lowest_at=at)
    if prices.highest_price is None or price > prices.highest_price:
        prices = prices._replace(highest_price=price, highest_at=at)
    return prices._replace(
        known_price=price, previous_price=old, price_changed_at=at, reduced_by=find_drop(old, price)
    )


def _shown(product: ProductColumns) -> tuple[Any, ...]:
    return product.price, product.currency, product.list_price, product.availability


def _differ(before: ProductColumns, product: ProductColumns) -> bool:
    return _shown(before) != _shown(product)


def _change_row(
    before: ProductColumns | None, product: ProductColumns | None, news: ProductNews
) -> ProductChangeColumns:
    """`product`: None: it is gone."""
    price, currency, list_price, availability = (None,) * 4 if product is None else _shown(product)
    is_same_currency = before is not None and before.currency in (None, currency)
    return ProductChangeColumns(
        item_id=news.item_id,
        at=news.at,
        kind=(news.kind or ItemChangeKind.CHANGED).value,
        price=price,
        currency=currency,
        list_price=list_price,
        availability=availability,
        old_price=None if before is None else before.known_price,
        old_currency=None if before is None else before.currency,
        old_availability=None if before is None else before.known_availability,
        lowest_price=before.lowest_price if before is not None and is_same_currency else None,
    )
