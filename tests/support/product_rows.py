"""Products with a history, as rows: for tests of lists, whatever made them."""

import importlib
import itertools
from typing import Any

import orjson
from sqlalchemy import Connection, insert, select, update

from tenax.records.items import ItemChangeKind
from tenax.stores.hot.items.products import ProductColumns, ProductNews, plan_product
from tenax.stores.schema.items import items, product_changes, products
from tests.support.item_rows import ItemRows

LAMP = {
    "name": "Desk Lamp Ångström",
    "price": 20,
    "currency": "EUR",
    "list_price": 25.5,
    "availability": "in_stock",
    "rating": 4.5,
    "review_count": 12,
    "brand": "Lumen",
    "category": "Home > Lamps",
    "sku": "L-1",
    "gtin": "4006381333931",
    "images": ["https://shop.example/lamp.jpg", "https://shop.example/lamp-2.jpg"],
}
DAY_S = 86_400.0
FREE_ID = 10_000  # of changes that no item has


class ProductRows:
    """Inserts items that are products, with what follows from them."""

    def __init__(self, rows: ItemRows) -> None:
        self.rows = rows

    def add(self, url: str, key: str, *steps: tuple[float, dict[str, Any] | None]) -> int:
        """`steps`: when it became what; None: gone."""
        (at, first), *later = steps
        assert first is not None
        item_id = self.rows.add_item(url, key, first, at=at)
        self.rows.show(url, item_id, at=at)
        self._tell(url, item_id, ItemChangeKind.NEW, at, {}, first)
        data = first
        for then, new in later:
            data = self.change(url, item_id, then, data, new)
        return item_id

    def change(
        self, url: str, item_id: int, at: float, old: dict[str, Any], new: dict[str, Any] | None
    ) -> dict[str, Any]:
        """Returns what it is now."""
        start = self.rows.start
        values: dict[str, Any] = {"changed_at": start + at, "changes": items.c.changes + 1}
        if new is None:
            values["gone_at"] = start + at
        else:
            values |= {"data": orjson.dumps(new).decode(), "gone_at": None, "last_seen_at": start + at}
        self.rows.connection.execute(update(items).where(items.c.id == item_id).values(values))
        kind = ItemChangeKind.GONE if new is None else ItemChangeKind.CHANGED
        self._tell(url, item_id, kind, at, old, new)
        return old if new is None else new

    def _tell(
        self,
        url: str,
        item_id: int,
        kind: ItemChangeKind,
        at: float,
        old: dict[str, Any],
        new: dict[str, Any] | None,
    ) -> None:
        fields = None
        if new is not None:
            names = {name for name in {*old, *new} if old.get(name) != new.get(name)}
            fields = {name: [old.get(name), new.get(name)] for name in names}
        change_id = self.rows.change(url, item_id, kind, fields, at=at)
        known = self.rows.connection.execute(select(products).where(products.c.item_id == item_id))
        row = known.one_or_none()
        before = None if row is None else ProductColumns(**row._mapping)
        news = ProductNews(
            item_id=item_id,
            kind=kind,
            at=self.rows.start + at,
            **self.rows.find(url),
            data=orjson.dumps(new or {}).decode(),
        )
        product, change = plan_product(before, news, self.rows.of_run["source_id"])
        assert product is not None
        saved = insert(products) if before is None else update(products).where(products.c.item_id == item_id)
        self.rows.connection.execute(saved.values(product._asdict()))
        if change is not None:
            added = insert(product_changes).values(id=change_id, **change._asdict())
            self.rows.connection.execute(added)


def fill_products(connection: Connection) -> None:
    """The rows of all items that are products, as the migration makes them of their history."""
    importlib.import_module("tenax.stores.schema.migrations.versions.0046_products").fill(connection)


def add_stock_changes(connection: Connection, item_id: int, at: float) -> None:
    """It sold out and came back."""
    stocks = itertools.pairwise(("in_stock", "out_of_stock", "in_stock"))
    for number, (old, new) in enumerate(stocks):
        change = {"kind": ItemChangeKind.CHANGED, "availability": new, "old_availability": old}
        row = {"id": FREE_ID + number, "item_id": item_id, "at": at + number, **change}
        connection.execute(insert(product_changes).values(row))


def add_offers(rows: ItemRows, lamp_url: str, other_url: str) -> tuple[int, int, int, int]:
    """A lamp that became cheaper twice; a dear lamp in dollars; a chair that rose; a sofa that is gone. Their
    ids."""
    own = ProductRows(rows)
    lamp = own.add(
        lamp_url,
        "lamp",
        (1000.0, LAMP),
        (2000.0, LAMP | {"price": 16}),
        (3000.0, LAMP | {"price": 16, "availability": "out_of_stock"}),
        (4000.0, LAMP | {"price": 12.8, "availability": "in_stock"}),
    )
    dear = {"name": "floor lamp", "price": 2879.2, "currency": "USD", "category": "Home > Lamps > Floor"}
    floor = own.add(other_url, "floor", (1000.0, dear | {"brand": "LUMEN", "rating": 3}))
    chair = {"name": "Chair", "price": 49.9, "currency": "EUR", "category": "Home > Lampshades"}
    chair_id = own.add(other_url, "chair", (1000.0, chair), (1500.0, chair | {"price": 59.9}))
    sofa = {"name": "Sofa", "price": 900, "currency": "EUR", "availability": "limited"}
    sofa_id = own.add(other_url, "sofa", (1000.0, sofa), (1500.0, sofa | {"price": 800}), (1600.0, None))
    return lamp, floor, chair_id, sofa_id
