"""What becomes of the rows about products when pages that show them are deleted. See purged_items.py."""

from collections.abc import Collection

from sqlalchemy import Connection, Row, delete, insert, select, update

from tenax.records.products import PRODUCT
from tenax.stores.hot.items.products import ProductColumns, ProductNews, plan_product
from tenax.stores.schema.items import product_changes, products


def delete_products(connection: Connection, item_ids: Collection[int]) -> None:
    """With their history."""
    for table in (product_changes, products):
        connection.execute(delete(table).where(table.c.item_id.in_(item_ids)))


def change_product(
    connection: Connection, kind: str, source_id: int, news: ProductNews, change_id: int | None
) -> None:
    """`kind`: of the item, whose row the caller has locked; `change_id`: None: it is as it was, but another
    url shows it."""
    if kind != PRODUCT:
        return
    row = connection.execute(select(products).where(products.c.item_id == news.item_id)).one_or_none()
    product, change = plan_product(_read(row), news, source_id)
    if product is not None:
        values = product._asdict()
        found = update(products).where(products.c.item_id == news.item_id).values(values)
        connection.execute(insert(products).values(values) if row is None else found)
    if change is not None and change_id is not None:
        connection.execute(insert(product_changes).values(id=change_id, **change._asdict()))


def _read(row: Row[*tuple[object, ...]] | None) -> ProductColumns | None:
    return None if row is None else ProductColumns(**row._mapping)
