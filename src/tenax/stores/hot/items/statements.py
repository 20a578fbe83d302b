"""Statements about items that both databases share. `{is_one}` says that something is one of a list, which is
the first parameter, as the database takes a list.
"""

from typing import Final

from tenax.stores.hot.column_lists import join_names, join_replaced, leave_out
from tenax.stores.hot.items.changes import NEWEST_COLUMNS
from tenax.stores.hot.items.columns import INVALID_ITEMS, PARSED_URLS
from tenax.stores.hot.items.observations import (
    ITEM_COLUMNS,
    OBSERVATION_COLUMNS,
    SAVED_NAMES,
)

# The second parameter is the source: a url may also show items of another that had its domain before. The sum
# keeps its index out of it: SQLite would go through all items of the source for each batch.
LIST_OBSERVATIONS: Final = f"""
    SELECT {OBSERVATION_COLUMNS}
    FROM observations o
    JOIN items i ON i.id = o.item_id
    WHERE o.url_id {{is_one}} AND i.source_id + 0 = ?2
"""
LIST_ITEMS: Final = f"SELECT {ITEM_COLUMNS} FROM items WHERE id {{is_one}} ORDER BY id"
LIST_DATA: Final = "SELECT id, data FROM items WHERE id {is_one}"
FIND_NEWEST: Final = f"""
    SELECT {NEWEST_COLUMNS}
    FROM observations
    WHERE item_id = {{item_id}}
    ORDER BY at DESC, url_id DESC
    LIMIT 1
"""
OBSERVATION_NAMES: Final = join_names(SAVED_NAMES)
REPLACE_OBSERVATION: Final = join_replaced(leave_out(SAVED_NAMES, "url_id", "item_id"))

INVALID_NAMES: Final = leave_out(INVALID_ITEMS, "id")
PARSED_NAMES: Final = tuple(PARSED_URLS)
REPLACE_PARSED: Final = join_replaced(leave_out(PARSED_URLS, "url_id"))
# The last parameter is the source.
FORGET_PARSED: Final = "DELETE FROM parsed_urls WHERE url_id {is_one} AND source_id = ?2"

ADD_TO_GROUP: Final = """
    message = excluded.message,
    count = error_groups.count + excluded.count,
    last_at = excluded.last_at,
    last_error_id = excluded.last_error_id
"""
