"""Links out of scope in PostgreSQL. The caller is inside a transaction."""

from collections.abc import Sequence
from typing import Any

from tenax.stores.postgres.connection.connection import Connection
from tenax.stores.postgres.frontier.statements import to_arrays

_SAVE_DISCOVERED = """
    INSERT INTO discovered_links AS d (
        domain, url, discovered_from, links, pages, first_seen_at, last_seen_at
    )
    SELECT v.domain, v.url, v.discovered_from, v.links, v.pages, v.first_seen_at, v.last_seen_at
    FROM unnest(
        $1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::float8[], $7::float8[]
    ) WITH ORDINALITY AS v(
        domain, url, discovered_from, links, pages, first_seen_at, last_seen_at, place
    )
    ORDER BY v.place
    ON CONFLICT (domain) DO UPDATE SET
        links = d.links + excluded.links,
        pages = d.pages + excluded.pages,
        last_seen_at = excluded.last_seen_at
"""


async def save_discovered(connection: Connection, rows: Sequence[tuple[Any, ...]]) -> None:
    """`rows` are in the order of their domains: of two transactions that count the same ones, one waits for
    the other. Everybody counts the most popular ones, so little is left to do then."""
    if not rows:
        return
    await connection.execute(_SAVE_DISCOVERED, *to_arrays(rows))
