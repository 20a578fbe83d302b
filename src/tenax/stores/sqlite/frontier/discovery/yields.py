"""How many urls were found in which way, in SQLite."""

from tenax.stores.hot.column_lists import join_marks
from tenax.stores.hot.discovery.yields import ADD_YIELDS, YIELD_COLUMNS, YIELD_NAMES, Yields, yield_rows
from tenax.stores.sqlite.connection.database import Connection

_ADD = f"""
    INSERT INTO yields ({YIELD_COLUMNS})
    VALUES ({join_marks(YIELD_NAMES)})
    ON CONFLICT (domain_id) DO UPDATE SET {ADD_YIELDS}
"""


def add_yields(connection: Connection, counts: Yields) -> None:
    if counts:
        connection.executemany(_ADD, yield_rows(counts))
