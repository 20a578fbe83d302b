"""Links out of scope in SQLite. The caller is inside a transaction."""

from collections.abc import Sequence
from typing import Any

from tenax.stores.hot.column_lists import DISCOVERED_COLUMNS, DISCOVERED_NAMES, join_marks
from tenax.stores.sqlite.connection.database import Connection

_SAVE_DISCOVERED = f"""
    INSERT INTO discovered_links ({DISCOVERED_COLUMNS})
    VALUES ({join_marks(DISCOVERED_NAMES)})
    ON CONFLICT (domain) DO UPDATE SET
        links = links + excluded.links,
        pages = pages + excluded.pages,
        last_seen_at = excluded.last_seen_at
"""


def save_discovered(connection: Connection, rows: Sequence[tuple[Any, ...]]) -> None:
    connection.executemany(_SAVE_DISCOVERED, rows)
