"""The products among the items of a settled batch, in SQLite. See stores/hot/items/products.py."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import orjson

from tenax.records.products import from_millionths, to_millionths
from tenax.stores.hot.column_lists import join_marks, join_names
from tenax.stores.hot.items.products import (
    LIST_PRODUCTS,
    PRICE_NAMES,
    PRODUCT_COLUMNS,
    REPLACE_PRODUCT,
    ProductChangeColumns,
    ProductColumns,
    ProductNews,
    plan_products,
)
from tenax.stores.sqlite.connection.database import Connection
from tenax.stores.sqlite.frontier.items.loading import IS_ONE

_LIST_PRODUCTS: Final = LIST_PRODUCTS.format(is_one=IS_ONE)
_SAVE_PRODUCT: Final = f"""
    INSERT INTO products ({PRODUCT_COLUMNS})
    VALUES ({join_marks(ProductColumns._fields)})
    ON CONFLICT (item_id) DO UPDATE SET {REPLACE_PRODUCT}
"""
_ADD_CHANGE: Final = f"""
    INSERT INTO product_changes ({join_names(ProductChangeColumns._fields)}, id)
    VALUES (
        {join_marks(ProductChangeColumns._fields)},
        (SELECT max(id) FROM item_changes WHERE item_id = ?1)
    )
"""


def settle_products(connection: Connection, news: Sequence[ProductNews], source_id: int) -> None:
    """After the items and their changes."""
    if not news:
        return
    ids = orjson.dumps(sorted(each.item_id for each in news)).decode()
    rows = connection.execute(_LIST_PRODUCTS, (ids,))
    known = {row[0]: ProductColumns(*_convert(ProductColumns, row, from_millionths)) for row in rows}
    plan = plan_products(news, known, source_id)
    connection.executemany(_SAVE_PRODUCT, _to_rows(plan.saved))
    connection.executemany(_ADD_CHANGE, _to_rows(plan.changes))


def _to_rows(planned: Iterable[ProductColumns | ProductChangeColumns]) -> list[list[Any]]:
    return [_convert(type(row), row, to_millionths) for row in planned]


def _convert(
    columns: type[ProductColumns | ProductChangeColumns],
    row: Sequence[Any],
    convert: Callable[[Any], Any],
) -> list[Any]:
    """The row with its prices in the other form."""
    values = list(row)
    for place in _PRICES[columns]:
        values[place] = convert(values[place])
    return values


_PRICES: Final = {
    columns: [place for place, name in enumerate(columns._fields) if name in PRICE_NAMES]
    for columns in (ProductColumns, ProductChangeColumns)
}
