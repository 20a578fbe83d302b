"""Links out of scope in PostgreSQL. The caller is inside a transaction."""

from collections.abc import Sequence
from typing import Any

from tenax.stores.hot.column_lists import DISCOVERED_COLUMNS, DISCOVERED_NAMES, join_arrays, join_names
from tenax.stores.hot.columns import DISCOVERED_LINKS
from tenax.stores.postgres.connection.protocol import Connection
from tenax.stores.postgres.frontier.statements import to_arrays

_SAVE_DISCOVERED = f"""
    INSERT INTO discovered_links AS d ({DISCOVERED_COLUMNS})
    SELECT {join_names(DISCOVERED_NAMES, "v.")}
    FROM unnest({join_arrays(DISCOVERED_NAMES, DISCOVERED_LINKS)})
        WITH ORDINALITY AS v({DISCOVERED_COLUMNS}, place)
    ORDER BY v.place
    ON CONFLICT (domain) DO UPDATE SET
        links = d.links + excluded.links,
        pages = d.pages + excluded.pages,
        last_seen_at = excluded.last_seen_at
"""


async def save_discovered(connection: Connection, rows: Sequence[tuple[Any, ...]]) -> None:
    """`rows` are ordered by domain: if two transactions count the same domains, one waits for the other. All
    of them count the most popular domains, so little work is left to do at that point."""
    if not rows:
        return
    await connection.execute(_SAVE_DISCOVERED, *to_arrays(rows))
