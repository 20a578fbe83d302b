"""Changes of products that webhooks may be told of: prices, drops, new lows, stock."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final

from sqlalchemy import Connection, Row, select

from tenax.clock import Instant, format_instant
from tenax.record import record
from tenax.records.products import find_drop
from tenax.stores.change_log import LogEntry, LogPosition
from tenax.stores.schema.items import item_changes, items, product_changes, products
from tenax.stores.schema.jobs import sources
from tenax.stores.schema.urls import urls
from tenax.stores.webhooks.webhooks import WebhookEvent

_PRICES: Final = ("price", "old_price", "list_price", "lowest_price")


@record
class ProductAlert:
    """A change with its place in the change log, and the product as it is now."""

    position: LogPosition
    at: Instant
    source_id: int
    values: dict[str, Any]  # as they are told
    events: frozenset[WebhookEvent]
    drop: float | None  # the share by which the price fell; None: it did not


def list_alerts(connection: Connection, entries: Sequence[LogEntry]) -> list[ProductAlert]:
    """What is worth telling of the entries, in their order; without what has been deleted since."""
    statement = (
        select(
            product_changes,
            items.c.key,
            items.c.source_id,
            sources.c.name.label("source"),
            products.c.name,
            urls.c.url,
        )
        .join(products, products.c.item_id == product_changes.c.item_id)
        .join(items, items.c.id == product_changes.c.item_id)
        .join(item_changes, item_changes.c.id == product_changes.c.id)
        .outerjoin(urls, urls.c.id == item_changes.c.url_id)
        .outerjoin(sources, sources.c.id == items.c.source_id)
        .where(product_changes.c.id.in_([entry.subject_id for entry in entries]))
    )
    rows = {row.id: row for row in connection.execute(statement)} if entries else {}
    found = (_read(entry, rows[entry.subject_id]) for entry in entries if entry.subject_id in rows)
    return [alert for alert in found if alert.events]


def _read(entry: LogEntry, row: Row[*tuple[Any, ...]]) -> ProductAlert:
    drop = _find_drop(row)
    return ProductAlert(
        position=entry.position,
        at=row.at,
        source_id=row.source_id,
        values=_describe(row, drop),
        events=find_events(row),
        drop=drop,
    )


def find_events(row: Any) -> frozenset[WebhookEvent]:
    """`row`: of `product_changes`. A price or availability that a page does not name is no change."""
    found = set()
    if _is_priced(row) and (row.price != row.old_price or not _is_same_currency(row)):
        found.add(WebhookEvent.PRODUCT_PRICE_CHANGED)
    if _find_drop(row) is not None:
        found.add(WebhookEvent.PRODUCT_PRICE_DROPPED)
    if row.price is not None and row.lowest_price is not None and row.price < row.lowest_price:
        found.add(WebhookEvent.PRODUCT_NEW_LOW)
    if row.availability and row.old_availability and row.availability != row.old_availability:
        found.add(WebhookEvent.PRODUCT_AVAILABILITY_CHANGED)
    return frozenset(found)


def _is_priced(row: Any) -> bool:
    return row.price is not None and row.old_price is not None


def _is_same_currency(row: Any) -> bool:
    return row.old_currency in (None, row.currency)


def _find_drop(row: Any) -> float | None:
    return find_drop(row.old_price, row.price) if _is_priced(row) and _is_same_currency(row) else None


def _describe(row: Row[*tuple[Any, ...]], drop: float | None) -> dict[str, Any]:
    prices = {name: _to_number(getattr(row, name)) for name in _PRICES}
    return {
        "item_id": row.item_id,
        "key": row.key,
        "name": row.name,
        "url": row.url,
        "at": format_instant(row.at),
        "price": prices["price"],
        "old_price": prices["old_price"],
        "drop": drop,
        "lowest_before": prices["lowest_price"],
        "currency": row.currency,
        "old_currency": row.old_currency,
        "list_price": prices["list_price"],
        "availability": row.availability,
        "old_availability": row.old_availability,
        "source_id": row.source_id or None,
        "source": row.source,
    }


def _to_number(price: Decimal | None) -> float | None:
    return None if price is None else float(price)
