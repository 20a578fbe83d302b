"""What becomes of items when the pages that show them are deleted. An item that another page shows is what
that page says; all others are deleted with their history, as if they had never been found.
"""

from collections.abc import Collection
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from tenax.clock import Instant
from tenax.records.items import ItemChangeKind
from tenax.stores.change_log import LogTopic, add_to_log
from tenax.stores.commands.purged_products import change_product, delete_products
from tenax.stores.hot.items.changes import compare_fields
from tenax.stores.hot.items.products import ProductNews
from tenax.stores.schema.items import invalid_items, item_changes, items, observations, parsed_urls


def purge_items(connection: Connection, url_ids: Collection[int], now: Instant) -> None:
    """The caller has locked the urls."""
    affected = connection.execute(
        select(items).where(items.c.url_id.in_(url_ids)).order_by(items.c.id).with_for_update()
    ).all()
    for table in (observations, invalid_items, parsed_urls):
        connection.execute(delete(table).where(table.c.url_id.in_(url_ids)))
    newest = {row.id: _find_newest(connection, row.id) for row in affected}
    lost = [item_id for item_id, seen in newest.items() if seen is None]
    delete_products(connection, lost)
    connection.execute(delete(item_changes).where(item_changes.c.item_id.in_(lost)))
    connection.execute(delete(items).where(items.c.id.in_(lost)))
    for row in affected:
        if (seen := newest[row.id]) is not None:
            _take_over(connection, row, seen, now)


def _find_newest(connection: Connection, item_id: int) -> Row[*tuple[Any, ...]] | None:
    """The newest observation that is left."""
    seen = observations.c
    of_item = select(observations).where(seen.item_id == item_id)
    return connection.execute(of_item.order_by(seen.at.desc(), seen.url_id.desc()).limit(1)).one_or_none()


def _take_over(
    connection: Connection, item: Row[*tuple[Any, ...]], seen: Row[*tuple[Any, ...]], now: Instant
) -> None:
    values = {
        "url_id": seen.url_id,
        "domain_id": seen.domain_id,
        "parser": seen.parser,
        "parser_version": seen.parser_version,
        "confidence": seen.confidence,
        "field_confidence": None,
    }
    data, change_id = item.data, None
    if seen.content_hash != item.content_hash:
        data = item.data if seen.data is None else seen.data
        values |= {"data": data, "content_hash": seen.content_hash, "changed_at": now}
        values["changes"] = item.changes + 1
        _keep_data(connection, item, seen.content_hash)
        change_id = _add_change(connection, item, seen, compare_fields(item.data, data), now)
    connection.execute(update(items).where(items.c.id == item.id).values(values))
    news = ProductNews(
        item_id=item.id,
        kind=None if change_id is None else ItemChangeKind.CHANGED,
        at=now,
        domain_id=seen.domain_id,
        url_id=seen.url_id,
        data=data,
    )
    change_product(connection, item.kind, item.source_id, news, change_id)


def _keep_data(connection: Connection, item: Row[*tuple[Any, ...]], content_hash: int) -> None:
    """Observations that were as the item keep what they were."""
    seen = observations.c
    is_other = (seen.item_id == item.id, seen.data.is_(None), seen.content_hash != content_hash)
    connection.execute(update(observations).where(*is_other).values(data=item.data))


def _add_change(
    connection: Connection,
    item: Row[*tuple[Any, ...]],
    seen: Row[*tuple[Any, ...]],
    fields: str,
    now: Instant,
) -> int:
    change = {
        "item_id": item.id,
        "at": now,
        "run_id": item.run_id,
        "url_id": seen.url_id,
        "kind": ItemChangeKind.CHANGED,
        "fields": fields,
        "parser": seen.parser,
        "parser_version": seen.parser_version,
    }
    change_id: int | None = connection.scalar(
        insert(item_changes).values(change).returning(item_changes.c.id)
    )
    assert change_id is not None
    add_to_log(connection, LogTopic.ITEM, item.source_id, change_id, now)
    return change_id
