"""The domains that urls belong to, in PostgreSQL. The caller is inside a transaction."""

from collections.abc import Collection, Iterable

from tenax.clock import Instant
from tenax.record import record
from tenax.records.jobs import NO_SOURCE
from tenax.stores.postgres.connection.errors import ConcurrentUpdate
from tenax.stores.postgres.connection.protocol import Connection
from tenax.web.urls import registrable_domain


@record
class UrlDomain:
    """A domain that urls belong to, as it was before its row was locked."""

    id: int
    source_id: int
    mixed: int


_INSERT_DOMAINS = """
    INSERT INTO domains (name, site, source_id, status, first_seen_at)
    SELECT v.name, v.site, $3, 'pending', $2::float8
    FROM unnest($1::text[], $4::text[]) AS v(name, site)
    ON CONFLICT (name) DO NOTHING
"""


async def ensure_domains(
    connection: Connection, names: Collection[str], wall: Instant, source_id: int = NO_SOURCE
) -> dict[str, UrlDomain]:
    """The domains, created if unknown; a domain that another source owns stays with it."""
    homes = await find_domains(connection, names)
    if missing := sorted(name for name in names if name not in homes):
        await connection.execute(
            _INSERT_DOMAINS, missing, wall, source_id, [registrable_domain(name) for name in missing]
        )
        # Queried again, not returned by the INSERT: another worker may have added some meanwhile.
        homes |= await find_domains(connection, missing)
    return homes


async def find_domains(connection: Connection, names: Collection[str]) -> dict[str, UrlDomain]:
    if not names:
        return {}
    rows = await connection.fetch(
        "SELECT name, id, source_id, mixed FROM domains WHERE name = ANY($1::text[])", list(names)
    )
    return {
        row["name"]: UrlDomain(id=row["id"], source_id=row["source_id"], mixed=row["mixed"]) for row in rows
    }


async def lock_homes(connection: Connection, homes: Collection[UrlDomain], ids: Collection[int]) -> None:
    """Lock the rows with these ids until the end of the transaction. Raises ConcurrentUpdate if a domain has
    moved to another source, or others have found urls there, since it was read."""
    await lock_domains(connection, ids)
    rows = await connection.fetch(
        "SELECT id, source_id, mixed FROM domains WHERE id = ANY($1::bigint[])", [home.id for home in homes]
    )
    found = {row[0]: (row[1], row[2]) for row in rows}
    if any(found.get(home.id) != (home.source_id, home.mixed) for home in homes):
        raise ConcurrentUpdate


_LOCK_DOMAINS = """
    SELECT id, version
    FROM domains
    WHERE id = ANY($1::bigint[])
    ORDER BY id
    FOR UPDATE
"""


async def lock_domains(connection: Connection, ids: Iterable[int]) -> dict[int, int]:
    """Lock these rows until the end of the transaction; returns their versions."""
    rows = await connection.fetch(_LOCK_DOMAINS, sorted(ids))
    return {row[0]: row[1] for row in rows}
