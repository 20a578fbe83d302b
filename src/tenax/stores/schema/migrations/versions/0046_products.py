"""Products: the items of the kind `product` in columns, how their prices and stock changed, and which drops
webhooks are told of.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import orjson
from alembic import op
from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Double,
    Integer,
    MetaData,
    Table,
    Text,
    insert,
    text,
)

from tenax.records.items import ItemChangeKind
from tenax.stores.hot.items.products import (
    ProductChangeColumns,
    ProductColumns,
    ProductNews,
    plan_product,
)
from tenax.stores.schema.columns import ExactPrice, Folded, Id

revision = "0046"
down_revision = "0045"

ITEMS_AT_ONCE: Final = 200
CHANGES_AT_ONCE: Final = 50  # each may have 512 kB

_metadata: Final = MetaData()
_products: Final = Table(
    "products",
    _metadata,
    Column("item_id", Id, primary_key=True, autoincrement=False),
    Column("source_id", Integer, nullable=False),
    Column("domain_id", Id, nullable=False),
    Column("url_id", BigInteger, nullable=False),
    Column("name", Text),
    Column("name_key", Folded, nullable=False),
    Column("price", ExactPrice),
    Column("currency", Text),
    Column("list_price", ExactPrice),
    Column("availability", Text),
    Column("rating", Double),
    Column("review_count", Integer),
    Column("brand", Text),
    Column("brand_key", Folded),
    Column("category", Text),
    Column("category_key", Folded),
    Column("sku", Text),
    Column("gtin", Text),
    Column("known_price", ExactPrice),
    Column("known_availability", Text),
    Column("price_changed_at", Double),
    Column("previous_price", ExactPrice),
    Column("reduced_by", Double),
    Column("lowest_price", ExactPrice),
    Column("lowest_at", Double),
    Column("highest_price", ExactPrice),
    Column("highest_at", Double),
    Column("created_at", Double, nullable=False),
    Column("updated_at", Double, nullable=False),
    Column("gone_at", Double),
)
_changes: Final = Table(
    "product_changes",
    _metadata,
    Column("id", Id, primary_key=True, autoincrement=False),
    Column("item_id", Id, nullable=False),
    Column("at", Double, nullable=False),
    Column("kind", Text, nullable=False),
    Column("price", ExactPrice),
    Column("currency", Text),
    Column("list_price", ExactPrice),
    Column("availability", Text),
    Column("old_price", ExactPrice),
    Column("old_currency", Text),
    Column("old_availability", Text),
    Column("lowest_price", ExactPrice),
)
_INDEXES: Final = {
    "products_domain": ["domain_id", "item_id"],
    "products_name": ["name_key", "item_id"],
    "products_price": ["currency", "price", "item_id"],
    "products_availability": ["availability", "item_id"],
    "products_brand": ["brand_key", "item_id"],
    "products_category": ["category_key", "item_id"],
    "products_created": ["created_at", "item_id"],
    "products_updated": ["updated_at", "item_id"],
}
_PARTIAL: Final = {
    "products_rating": ("rating", "rating"),
    "products_reduced": ("reduced_by", "reduced_by"),
    "products_gtin": ("gtin", "gtin"),
    "products_sku": ("sku", "sku"),
    "products_reduced_at": ("price_changed_at", "reduced_by"),
}


def upgrade() -> None:
    connection = op.get_bind()
    _metadata.create_all(connection)
    # Before the indexes, which are made faster of what is there.
    fill(connection)
    for name, columns in _INDEXES.items():
        op.create_index(name, "products", columns)
    for name, (column, given) in _PARTIAL.items():
        where = text(f"{given} IS NOT NULL")
        op.create_index(name, "products", [column, "item_id"], sqlite_where=where, postgresql_where=where)
    op.create_index("product_changes_item", "product_changes", ["item_id", "id"])
    op.add_column("webhooks", Column("min_drop", Double))


_LIST_ITEMS: Final = text(
    f"""
    SELECT id, source_id, domain_id, url_id
    FROM items
    WHERE kind = 'product' AND id > :after
    ORDER BY id
    LIMIT {ITEMS_AT_ONCE}
    """
)
_LIST_CHANGES: Final = text(
    f"""
    SELECT id, at, kind, fields
    FROM item_changes
    WHERE item_id = :item_id AND id > :after
    ORDER BY id
    LIMIT {CHANGES_AT_ONCE}
    """
)


def fill(connection: Connection) -> None:
    after = 0
    while items := connection.execute(_LIST_ITEMS, {"after": after}).all():
        products, changes = [], []
        for item in items:
            product, own = _replay(connection, item._mapping)
            products += [product] if product else []
            changes += own
        for table, rows in ((_products, products), (_changes, changes)):
            if rows:
                connection.execute(insert(table), rows)
        after = items[-1].id


def _replay(
    connection: Connection, item: Mapping[Any, Any]
) -> tuple[dict[str, Any] | None, list[dict[str, Any]]]:
    """What its history leads to, and the changes on the way."""
    product: ProductColumns | None = None
    changes: list[dict[str, Any]] = []
    data: dict[str, Any] = {}
    for row in _iter_changes(connection, item["id"]):
        told = orjson.loads(row.fields or "{}")
        data = {name: value for name, value in (data | {k: new for k, (_, new) in told.items()}).items()
                if value is not None}  # fmt: skip
        news = ProductNews(
            item_id=item["id"],
            kind=ItemChangeKind(row.kind),
            at=row.at,
            domain_id=item["domain_id"],
            url_id=item["url_id"],
            data=orjson.dumps(data).decode(),
        )
        product, change = plan_product(product, news, item["source_id"])
        if change is not None:
            changes.append(_pick(_changes, change) | {"id": row.id})
    return None if product is None else _pick(_products, product), changes


def _iter_changes(connection: Connection, item_id: int) -> Iterator[Any]:
    after = 0
    while rows := connection.execute(_LIST_CHANGES, {"item_id": item_id, "after": after}).all():
        yield from rows
        after = rows[-1].id


def _pick(table: Table, row: ProductColumns | ProductChangeColumns) -> dict[str, Any]:
    """The columns that this revision has: later ones may have more."""
    return {name: value for name, value in row._asdict().items() if name in table.c}
