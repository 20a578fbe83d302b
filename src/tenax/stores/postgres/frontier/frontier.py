"""The frontier in PostgreSQL: claim, head, settle, renew, release. See base.FrontierStore."""

import time
from array import array
from collections.abc import Collection, Sequence
from functools import partial

from tenax.clock import Instant
from tenax.job_records import NO_SOURCE
from tenax.policy.scoring import order_tiers
from tenax.records import DomainRules, Lease, NewUrl, RobotsRecord, Target
from tenax.stores.clock import StoreClock
from tenax.stores.contracts.batches import Batch, LoadedDomain, QueueHead, Release, Settled
from tenax.stores.contracts.frontier import HUNGRY_BELOW
from tenax.stores.contracts.overview import Overview, RemainingWork, Summary
from tenax.stores.contracts.vitals import Vitals
from tenax.stores.hot.outcomes import plan_release
from tenax.stores.hot.parameters import to_postgres
from tenax.stores.hot.rows import (
    LEASE_COLUMNS,
    ROBOTS_COLUMNS,
    STATE_COLUMNS,
    TARGET_COLUMNS,
    read_lease,
    read_robots,
    read_rules,
    read_target,
    state_values,
)
from tenax.stores.hot.statements import LIST_RULES
from tenax.stores.hot.takeover import IS_OPEN
from tenax.stores.postgres.connection.database import PostgresDatabase
from tenax.stores.postgres.connection.protocol import Connection
from tenax.stores.postgres.connection.stuck_sessions import end_stuck_sessions
from tenax.stores.postgres.frontier.domain_events import save_transitions
from tenax.stores.postgres.frontier.outlook import find_horizon, has_untried, summarise, take_overview
from tenax.stores.postgres.frontier.renewal import renew_leases
from tenax.stores.postgres.frontier.settle import settle_batch
from tenax.stores.postgres.frontier.shares import note_hunger, plan_claim
from tenax.stores.postgres.frontier.site_claims import pick_apart
from tenax.stores.postgres.frontier.statements import STATE_ASSIGNMENTS, state_arrays, to_arrays
from tenax.stores.postgres.frontier.urls import add_urls, lock_domains, requeue
from tenax.stores.postgres.schema.partitions import Partitions

_LIST_RULES = to_postgres(LIST_RULES)

OVERVIEW_SHARE = 20

# A NULL stays.
_COUNTED_FROM = """
    CASE
        WHEN claimed_by IS NOT NULL THEN clock.now
        WHEN {0} < $5::float8 THEN $5::float8
        ELSE {0}
    END
"""
# The limit is a literal, and the ids an array: the planner then takes the index on avail_at and stops.
# The best tier comes first, and in it those that have waited longest.
# A row that anybody else holds, for whatever reason, is passed over.
_NEXT = """
    ARRAY(
        SELECT free.id
        FROM unnest($3::int[]) AS tiers(tier)
        CROSS JOIN LATERAL (
            SELECT id
            FROM domains
            WHERE source_id = $6
                AND tier = tiers.tier
                AND avail_at <= (SELECT now FROM clock)
                AND (claim_expires_at IS NULL OR claim_expires_at <= (SELECT now FROM clock))
            ORDER BY avail_at
            LIMIT {limit}
            FOR UPDATE SKIP LOCKED
        ) free
        LIMIT {limit}
    )
"""
# One probe per priority: urls due later would stand in the way of a single scan.
_HEAD = f"""
    (
        SELECT {TARGET_COLUMNS}
        FROM urls
        WHERE domain_id = w.domain_id AND priority = 3 AND due_at <= clock.now
        ORDER BY due_at
        LIMIT w.number
    )
    UNION ALL
    (
        SELECT {TARGET_COLUMNS}
        FROM urls
        WHERE domain_id = w.domain_id AND priority = 2 AND due_at <= clock.now
        ORDER BY due_at
        LIMIT w.number
    )
    UNION ALL
    (
        SELECT {TARGET_COLUMNS}
        FROM urls
        WHERE domain_id = w.domain_id AND priority = 1 AND due_at <= clock.now
        ORDER BY due_at
        LIMIT w.number
    )
"""
_NEXT_DUE = """
    least(
        (SELECT min(due_at) FROM urls WHERE domain_id = {domain_id} AND priority = 3 AND due_at > {after}),
        (SELECT min(due_at) FROM urls WHERE domain_id = {domain_id} AND priority = 2 AND due_at > {after}),
        (SELECT min(due_at) FROM urls WHERE domain_id = {domain_id} AND priority = 1 AND due_at > {after})
    )
"""


class PostgresFrontier:
    def __init__(self, database: PostgresDatabase, source_id: int = NO_SOURCE) -> None:
        self._database = database
        self._source_id = source_id
        self._partitions = Partitions(database)
        self._overview: Overview | None = None
        self._overview_until = 0.0

    async def add_urls(self, urls: Sequence[NewUrl], now: Instant) -> int:
        return await self._database.write(
            lambda connection: add_urls(connection, urls, now, self._database.clock, self._source_id),
            is_slow=True,
        )

    async def requeue(self, urls: Sequence[str]) -> int:
        return await self._database.write(
            lambda connection: requeue(connection, urls, self._database.clock, self._source_id), is_slow=True
        )

    async def claim(
        self, worker_id: int, run_id: int, limit: int, lease_s: float, site_gap_s: float | None = None
    ) -> list[Lease]:
        if self._database.clock.is_in_doubt:
            return []
        return await self._database.write(
            lambda connection: _claim(
                connection,
                self._database.clock,
                self._source_id,
                worker_id,
                run_id,
                limit,
                lease_s,
                site_gap_s,
            )
        )

    async def load(self, leases: Sequence[Lease], head_limit: int, known_limit: int) -> list[LoadedDomain]:
        return await self._database.read(
            lambda connection: _load(connection, leases, head_limit, known_limit, self._database.clock.now())
        )

    async def heads(self, wanted: Sequence[tuple[int, int]]) -> list[QueueHead]:
        return await self._database.read(
            lambda connection: _heads(connection, wanted, self._database.clock.now())
        )

    async def settle(self, batch: Batch) -> Settled:
        return await self._database.write(
            lambda connection: settle_batch(connection, batch, self._source_id, self._database.clock)
        )

    async def renew(
        self, worker_id: int, run_id: int, leases: Sequence[Lease], lease_s: float, vitals: Vitals = Vitals()
    ) -> Settled:
        await self._database.read(end_stuck_sessions)
        settled = await self._database.write(
            lambda connection: renew_leases(
                connection,
                self._source_id,
                worker_id,
                run_id,
                leases,
                lease_s,
                vitals,
                self._database.clock.now(),
            )
        )
        await self._partitions.make_ahead()
        return settled

    async def release(self, releases: Sequence[Release]) -> None:
        await self._database.write(lambda connection: _release(connection, releases, self._database.clock))

    async def list_rules(self, worker_id: int) -> list[tuple[int, int, DomainRules]]:
        return await self._database.read(lambda connection: _list_rules(connection, worker_id))

    async def horizon(self, worker_id: int) -> RemainingWork:
        return await self._database.read(
            lambda connection: find_horizon(
                connection, self._source_id, worker_id, self._database.clock.now()
            )
        )

    async def has_untried(self, before: Instant) -> bool:
        return await self._database.read(lambda connection: has_untried(connection, self._source_id, before))

    async def summarise(self, domains: Collection[str] = ()) -> Summary:
        now = self._database.clock.now()
        return await self._database.read_snapshot(
            lambda connection: summarise(connection, self._source_id, domains, now)
        )

    async def overview(self, delay_s: float, pages_per_domain: int) -> Overview:
        """Looks at every domain: remembered for a while, so that many workers take a twentieth of a reader's
        time at most."""
        started_at = time.monotonic()
        if self._overview is None or started_at >= self._overview_until:
            self._overview = await self._database.read(
                partial(
                    take_overview,
                    source_id=self._source_id,
                    delay_s=delay_s,
                    pages_per_domain=pages_per_domain,
                    now=self._database.clock.now(),
                )
            )
            self._overview_until = started_at + OVERVIEW_SHARE * (time.monotonic() - started_at)
        return self._overview


_CLAIM = f"""
    WITH clock AS MATERIALIZED (SELECT $4::float8 AS now)
    UPDATE domains
    SET
        claimed_by = $1,
        claim_expires_at = clock.now + $2::float8,
        avail_at = clock.now + $2::float8,
        version = version + 1,
        last_start_at = {_COUNTED_FROM.format("last_start_at")},
        last_answer_at = {_COUNTED_FROM.format("last_answer_at")}
    FROM clock
    WHERE id = ANY({{ids}})
    RETURNING {LEASE_COLUMNS}, claim_expires_at
"""


async def _claim(
    connection: Connection,
    clock: StoreClock,
    source_id: int,
    worker_id: int,
    run_id: int,
    limit: int,
    lease_s: float,
    site_gap_s: float | None,
) -> list[Lease]:
    now = clock.now()
    room, share, held = await plan_claim(
        connection,
        source_id=source_id,
        worker_id=worker_id,
        run_id=run_id,
        limit=limit,
        lease_s=lease_s,
        now=now,
    )
    limit = max(int(room), 0)
    apart = None
    if site_gap_s is not None:
        apart = await pick_apart(connection, clock, source_id, limit, now, site_gap_s)
    # An owner that did not give its domain back asked it last at an unknown time: as if it were now. How long
    # a request lies back is not known for sure either if it was made before the clock began to be steady.
    ids = _NEXT.format(limit=limit) if apart is None else "$3::bigint[]"
    rows = await connection.fetch(
        _CLAIM.format(ids=ids),
        worker_id,
        lease_s,
        order_tiers(now) if apart is None else apart,
        now,
        clock.since,
        *([source_id] if apart is None else []),
    )
    await note_hunger(connection, worker_id, not rows and held < HUNGRY_BELOW * share)
    return [read_lease(row[:-1], expires_at=row[-1], run_id=run_id) for row in map(tuple, rows)]


async def _list_rules(connection: Connection, worker_id: int) -> list[tuple[int, int, DomainRules]]:
    rows = await connection.fetch(_LIST_RULES, worker_id)
    return [(row[0], row[1], read_rules(row[2:])) for row in map(tuple, rows)]


async def _load(
    connection: Connection, leases: Sequence[Lease], head_limit: int, known_limit: int, now: Instant
) -> list[LoadedDomain]:
    small = []
    for lease in leases:
        if lease.known_urls <= known_limit:
            known_limit -= lease.known_urls
            small.append(lease)
    known = await _load_known(connection, small)
    robots = await _load_robots(connection, [lease.domain_id for lease in leases])
    heads = await _heads(connection, [(lease.domain_id, head_limit) for lease in leases], now)
    return [
        LoadedDomain(
            lease=lease, head=head, robots=robots.get(lease.domain_id, []), known=known.get(lease.domain_id)
        )
        for lease, head in zip(leases, heads, strict=True)
    ]


async def _load_known(connection: Connection, leases: Sequence[Lease]) -> "dict[int, array[int]]":
    known = await _load_keys(connection, [lease.domain_id for lease in leases if not lease.is_mixed])
    # Who finds a url that is set aside for others wants it as well.
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
        SELECT {_NEXT_DUE.format(domain_id="w.domain_id", after="clock.now")} AS next_at
        OFFSET 0
    ) due
    LEFT JOIN LATERAL ({_HEAD} LIMIT w.number) head ON true
"""


async def _heads(connection: Connection, wanted: Sequence[tuple[int, int]], now: Instant) -> list[QueueHead]:
    # OFFSET 0 keeps the next instant a row of its own: it would be looked up again for every url otherwise.
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


_LIST_NEXT_DUE = f"""
    SELECT w.id, {_NEXT_DUE.format(domain_id="w.id", after="0")}
    FROM unnest($1::bigint[]) AS w(id)
"""
_RELEASE = f"""
    UPDATE domains d
    SET
        claimed_by = NULL,
        claim_expires_at = NULL,
        version = d.version + 1,
        ready_at = v.ready_at,
        avail_at = CASE WHEN d.is_active = 1 THEN v.avail_at END,
        {STATE_ASSIGNMENTS}
    FROM unnest($1::bigint[], $2::int[], $3::float8[], $4::float8[], {state_arrays(5)}) AS v(
        id, version, ready_at, avail_at, {STATE_COLUMNS}
    )
    WHERE d.id = v.id AND d.version = v.version
"""


async def _release(connection: Connection, releases: Sequence[Release], clock: StoreClock) -> None:
    if not releases:
        return
    ids = [release.lease.domain_id for release in releases]
    # Held first, in a statement of its own: the next one then sees every url that others have added.
    await lock_domains(connection, ids)
    rows = await connection.fetch(_LIST_NEXT_DUE, ids)
    next_due: dict[int, Instant | None] = {row[0]: row[1] for row in rows}
    now = clock.now()
    planned = [(each, *plan_release(each, next_due[each.lease.domain_id], now)) for each in releases]
    await save_transitions(connection, ((each.lease, state) for each, _, state in planned), clock.drift_s)
    # The fence rises, so that a renewal or a batch that comes late can not revive the lease.
    await connection.execute(
        _RELEASE,
        *to_arrays(
            (each.lease.domain_id, each.lease.version, each.ready_at, avail_at, *state_values(state))
            for each, avail_at, state in planned
        ),
    )
