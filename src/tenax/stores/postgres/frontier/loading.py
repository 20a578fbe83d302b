"""What leased domains hold, in PostgreSQL."""

from array import array
from collections.abc import Sequence

from tenax.clock import Instant
from tenax.records.domains import Lease, RobotsRecord
from tenax.records.urls import Priority, Target
from tenax.stores.contracts.batches import LoadedDomain, QueueHead
from tenax.stores.contracts.frontier import MOST_KNOWN
from tenax.stores.hot.rows import (
    ROBOTS_COLUMNS,
    TARGET_COLUMNS,
    read_robots,
    read_target,
)
from tenax.stores.hot.takeover import IS_OPEN
from tenax.stores.postgres.connection.protocol import Connection
from tenax.stores.postgres.frontier.learned.traps import load_traps

# One query per priority: urls that are due later would be in the way of a single scan.
_PRIORITIES = tuple(int(each) for each in sorted(Priority, reverse=True))
_HEAD = "UNION ALL".join(
    f"""
    (
        SELECT {TARGET_COLUMNS}
        FROM urls
        WHERE domain_id = w.domain_id AND priority = {priority} AND due_at <= clock.now
        ORDER BY due_at
        LIMIT w.number
    )
    """
    for priority in _PRIORITIES
)
_NEXT_OF_EACH = ",".join(
    f"""
        (
            SELECT min(due_at)
            FROM urls
            WHERE domain_id = {{domain_id}} AND priority = {priority} AND due_at > {{after}}
        )"""
    for priority in _PRIORITIES
)
NEXT_DUE = f"least({_NEXT_OF_EACH})"


async def load_domains(
    connection: Connection, leases: Sequence[Lease], head_limit: int, known_limit: int, now: Instant
) -> list[LoadedDomain]:
    small = []
    for lease in leases:
        if lease.known_urls <= min(known_limit, MOST_KNOWN):
            known_limit -= lease.known_urls
            small.append(lease)
    known = await _load_known(connection, small)
    robots = await _load_robots(connection, [lease.domain_id for lease in leases])
    traps = await load_traps(connection, [lease.domain_id for lease in leases])
    heads = await load_heads(connection, [(lease.domain_id, head_limit) for lease in leases], now)
    return [
        LoadedDomain(
            lease=lease,
            head=head,
            robots=robots.get(lease.domain_id, []),
            known=known.get(lease.domain_id),
            traps=traps.get(lease.domain_id, []),
        )
        for lease, head in zip(leases, heads, strict=True)
    ]


async def _load_known(connection: Connection, leases: Sequence[Lease]) -> "dict[int, array[int]]":
    known = await _load_keys(connection, [lease.domain_id for lease in leases if not lease.is_mixed])
    # A url that is set aside for others is wanted as well if it is found.
    if mixed := [lease.domain_id for lease in leases if lease.is_mixed]:
        known |= await _load_keys(connection, mixed, f" AND NOT ({IS_OPEN})")
    return known


_LIST_KEYS = """
    SELECT
        w.domain_id,
        ARRAY(
            SELECT key
            FROM urls
            WHERE urls.domain_id = w.domain_id{condition}
            ORDER BY key
        )
    FROM unnest($1::bigint[]) AS w(domain_id)
"""


async def _load_keys(
    connection: Connection, domain_ids: Sequence[int], condition: str = ""
) -> "dict[int, array[int]]":
    # An array per domain: a record per key would cost ten times as much to read.
    rows = await connection.fetch(_LIST_KEYS.format(condition=condition), domain_ids)
    return {row[0]: array("q", row[1]) for row in rows}


_LOAD_ROBOTS = f"""
    SELECT domain_id, {ROBOTS_COLUMNS}
    FROM robots
    WHERE domain_id = ANY($1::bigint[])
"""


async def _load_robots(connection: Connection, domain_ids: Sequence[int]) -> dict[int, list[RobotsRecord]]:
    rows = await connection.fetch(_LOAD_ROBOTS, domain_ids)
    robots: dict[int, list[RobotsRecord]] = {}
    for domain_id, *values in rows:
        robots.setdefault(domain_id, []).append(read_robots(tuple(values)))
    return robots


_LIST_HEADS = f"""
    WITH clock AS MATERIALIZED (SELECT $3::float8 AS now)
    SELECT w.place, due.next_at, head.*
    FROM clock
    CROSS JOIN unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS w(domain_id, number, place)
    CROSS JOIN LATERAL (
        SELECT {NEXT_DUE.format(domain_id="w.domain_id", after="clock.now")} AS next_at
        OFFSET 0
    ) due
    LEFT JOIN LATERAL ({_HEAD} LIMIT w.number) head ON true
"""


async def load_heads(
    connection: Connection, wanted: Sequence[tuple[int, int]], now: Instant
) -> list[QueueHead]:
    # OFFSET 0 keeps the next instant in a row of its own: otherwise it would be looked up again for every
    # url.
    rows = await connection.fetch(
        _LIST_HEADS, [domain_id for domain_id, _ in wanted], [number for _, number in wanted], now
    )
    targets: list[list[Target]] = [[] for _ in wanted]
    next_due_at: list[Instant | None] = [None] * len(wanted)
    for place, next_at, *target in rows:
        next_due_at[place - 1] = next_at
        if target[0] is not None:
            targets[place - 1].append(read_target(tuple(target)))
    return [
        QueueHead(targets=tuple(found), next_due_at=next_at)
        for found, next_at in zip(targets, next_due_at, strict=True)
    ]
