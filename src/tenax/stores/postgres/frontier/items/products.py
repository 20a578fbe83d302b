"""The products among the items of a settled batch, in PostgreSQL. See stores/hot/items/products.py.

The caller has locked the items, so that nobody else writes their rows.
"""

from collections.abc import Sequence
from typing import Final

from tenax.stores.hot.column_lists import join_arrays, join_names
from tenax.stores.hot.items.columns import PRODUCT_CHANGES, PRODUCTS
from tenax.stores.hot.items.products import (
    LIST_PRODUCTS,
    PRODUCT_COLUMNS,
    REPLACE_PRODUCT,
    ProductChangeColumns,
    ProductColumns,
    ProductNews,
    plan_products,
)
from tenax.stores.hot.parameters import to_postgres
from tenax.stores.postgres.connection.protocol import Connection
from tenax.stores.postgres.frontier.items.loading import IS_ONE
from tenax.stores.postgres.frontier.statements import to_arrays

_LIST_PRODUCTS: Final = to_postgres(LIST_PRODUCTS.format(is_one=IS_ONE))
_SAVE_PRODUCTS: Final = f"""
    INSERT INTO products ({PRODUCT_COLUMNS})
    SELECT * FROM unnest({join_arrays(ProductColumns._fields, PRODUCTS)})
    ON CONFLICT (item_id) DO UPDATE SET {REPLACE_PRODUCT}
"""
_CHANGE_NAMES: Final = ProductChangeColumns._fields
_ADD_CHANGES: Final = f"""
    INSERT INTO product_changes (id, {join_names(_CHANGE_NAMES)})
    SELECT (SELECT max(c.id) FROM item_changes c WHERE c.item_id = v.item_id), v.*
    FROM unnest({join_arrays(_CHANGE_NAMES, PRODUCT_CHANGES)}) AS v({join_names(_CHANGE_NAMES)})
"""


async def settle_products(connection: Connection, news: Sequence[ProductNews], source_id: int) -> None:
    """After the items and their changes."""
    if not news:
        return
    ids = sorted(each.item_id for each in news)
    rows = await connection.fetch(_LIST_PRODUCTS, ids)
    known = {row[0]: ProductColumns._make(row) for row in rows}
    plan = plan_products(news, known, source_id)
    if plan.saved:
        await connection.execute(_SAVE_PRODUCTS, *to_arrays(plan.saved))
    if plan.changes:
        await connection.execute(_ADD_CHANGES, *to_arrays(plan.changes))
