"""Links out of scope in SQLite. The caller is inside a transaction."""

from collections.abc import Sequence
from typing import Any

from tenax.stores.sqlite.connection.database import Connection

_SAVE_DISCOVERED = """
    INSERT INTO discovered_links (
        domain, url, discovered_from, links, pages, first_seen_at, last_seen_at
    )
    VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (domain) DO UPDATE SET
        links = links + excluded.links,
        pages = pages + excluded.pages,
        last_seen_at = excluded.last_seen_at
"""


def save_discovered(connection: Connection, rows: Sequence[tuple[Any, ...]]) -> None:
    connection.executemany(_SAVE_DISCOVERED, rows)
