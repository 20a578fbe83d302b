"""The frontier in SQLite: claim, head, settle, renew, release. See base.FrontierStore."""

from array import array
from collections.abc import Collection, Sequence
from itertools import chain

from tenax.clock import Instant
from tenax.job_records import NO_SOURCE
from tenax.policy.scoring import order_tiers
from tenax.records import DomainRules, Lease, NewUrl, Target
from tenax.stores.contracts.batches import Batch, LoadedDomain, QueueHead, Release, Settled
from tenax.stores.contracts.frontier import HUNGRY_BELOW
from tenax.stores.contracts.overview import Overview, RemainingWork, Summary
from tenax.stores.contracts.vitals import Vitals
from tenax.stores.hot.outcomes import plan_release
from tenax.stores.hot.rows import (
    LEASE_COLUMNS,
    ROBOTS_COLUMNS,
    TARGET_COLUMNS,
    read_lease,
    read_robots,
    read_rules,
    read_target,
    state_values,
)
from tenax.stores.hot.statements import LIST_RULES
from tenax.stores.hot.takeover import IS_OPEN
from tenax.stores.sqlite.connection.database import Connection, SqliteDatabase
from tenax.stores.sqlite.frontier.domain_events import save_transitions
from tenax.stores.sqlite.frontier.outlook import find_horizon, has_untried, summarise, take_overview
from tenax.stores.sqlite.frontier.renewal import renew_leases
from tenax.stores.sqlite.frontier.settle import settle_batch
from tenax.stores.sqlite.frontier.shares import note_hunger, plan_claim
from tenax.stores.sqlite.frontier.site_claims import pick_apart
from tenax.stores.sqlite.frontier.statements import STATE_ASSIGNMENTS
from tenax.stores.sqlite.frontier.urls import insert_urls, requeue

PRIORITIES = (3, 2, 1)


class SqliteFrontier:
    def __init__(self, database: SqliteDatabase, source_id: int = NO_SOURCE) -> None:
        self._database = database
        self._source_id = source_id

    async def add_urls(self, urls: Sequence[NewUrl], now: Instant) -> int:
        return await self._database.write(
            lambda connection: insert_urls(connection, urls, now, source_id=self._source_id)
        )

    async def requeue(self, urls: Sequence[str]) -> int:
        return await self._database.write(
            lambda connection: requeue(
                connection, urls, connection.execute("SELECT now_s()").fetchone()[0], self._source_id
            )
        )

    async def claim(
        self, worker_id: int, run_id: int, limit: int, lease_s: float, site_gap_s: float | None = None
    ) -> list[Lease]:
        return await self._database.write(
            lambda connection: _claim(
                connection, self._source_id, worker_id, run_id, limit, lease_s, site_gap_s
            )
        )

    async def load(self, leases: Sequence[Lease], head_limit: int, known_limit: int) -> list[LoadedDomain]:
        return await self._database.read(
            lambda connection: _load(connection, leases, head_limit, known_limit)
        )

    async def heads(self, wanted: Sequence[tuple[int, int]]) -> list[QueueHead]:
        return await self._database.read(
            lambda connection: [_head(connection, domain_id, limit) for domain_id, limit in wanted]
        )

    async def settle(self, batch: Batch) -> Settled:
        return await self._database.write(lambda connection: settle_batch(connection, batch, self._source_id))

    async def renew(
        self, worker_id: int, run_id: int, leases: Sequence[Lease], lease_s: float, vitals: Vitals = Vitals()
    ) -> Settled:
        return await self._database.write(
            lambda connection: renew_leases(
                connection, self._source_id, worker_id, run_id, leases, lease_s, vitals
            )
        )

    async def release(self, releases: Sequence[Release]) -> None:
        await self._database.write(lambda connection: _release(connection, releases))

    async def list_rules(self, worker_id: int) -> list[tuple[int, int, DomainRules]]:
        return await self._database.read(lambda connection: _list_rules(connection, worker_id))

    async def horizon(self, worker_id: int) -> RemainingWork:
        return await self._database.read(
            lambda connection: find_horizon(connection, self._source_id, worker_id)
        )

    async def has_untried(self, before: Instant) -> bool:
        return await self._database.read(lambda connection: has_untried(connection, self._source_id, before))

    async def summarise(self, domains: Collection[str] = ()) -> Summary:
        return await self._database.read(lambda connection: summarise(connection, self._source_id, domains))

    async def overview(self, delay_s: float, pages_per_domain: int) -> Overview:
        return await self._database.read(
            lambda connection: take_overview(connection, self._source_id, delay_s, pages_per_domain)
        )


_CLAIM = f"""
    UPDATE domains
    SET
        claimed_by = ?1,
        claim_expires_at = ?2,
        avail_at = ?2,
        version = version + 1,
        last_start_at = CASE WHEN claimed_by IS NULL THEN max(last_start_at, since_s()) ELSE ?3 END,
        last_answer_at = CASE WHEN claimed_by IS NULL THEN max(last_answer_at, since_s()) ELSE ?3 END
    WHERE id IN (SELECT value FROM json_each(?4))
    RETURNING {LEASE_COLUMNS}
"""


def _claim(
    connection: Connection,
    source_id: int,
    worker_id: int,
    run_id: int,
    limit: int,
    lease_s: float,
    site_gap_s: float | None,
) -> list[Lease]:
    now = connection.execute("SELECT now_s()").fetchone()[0]
    room, share, held = plan_claim(
        connection,
        source_id=source_id,
        worker_id=worker_id,
        run_id=run_id,
        limit=limit,
        lease_s=lease_s,
        now=now,
    )
    if site_gap_s is None:
        ids = _pick(connection, source_id, room, now)
    else:
        ids = pick_apart(connection, source_id, room, now, site_gap_s)
    # An owner that did not give its domain back asked it last at an unknown time: as if it were now. How long
    # a request lies back is not known for sure either if it was made before the clock began to be steady.
    rows = connection.execute(_CLAIM, (worker_id, now + lease_s, now, str(ids))).fetchall()
    note_hunger(connection, worker_id, not rows and held < HUNGRY_BELOW * share)
    return [read_lease(row, expires_at=now + lease_s, run_id=run_id) for row in rows]


_LIST_CLAIMABLE = """
    SELECT id
    FROM domains
    WHERE source_id = ?
        AND tier = ?
        AND avail_at <= ?
    ORDER BY avail_at
    LIMIT ?
"""


def _pick(connection: Connection, source_id: int, limit: int, now: Instant) -> list[int]:
    """The domains to be claimed: the best tier first, in it those that have waited longest."""
    ids: list[int] = []
    for tier in order_tiers(now):
        if len(ids) >= limit:
            break
        rows = connection.execute(_LIST_CLAIMABLE, (source_id, tier, now, limit - len(ids)))
        ids += [row[0] for row in rows]
    return ids


def _list_rules(connection: Connection, worker_id: int) -> list[tuple[int, int, DomainRules]]:
    rows = connection.execute(LIST_RULES, (worker_id,))
    return [(row[0], row[1], read_rules(row[2:])) for row in rows]


def _load(
    connection: Connection, leases: Sequence[Lease], head_limit: int, known_limit: int
) -> list[LoadedDomain]:
    loaded = []
    for lease in leases:
        known = None
        if lease.known_urls <= known_limit:
            known_limit -= lease.known_urls
            # Who finds a url that is set aside for others wants it as well.
            new = f" AND NOT ({IS_OPEN})" if lease.is_mixed else ""
            rows = connection.execute(
                f"SELECT key FROM urls WHERE domain_id = ?{new} ORDER BY key", (lease.domain_id,)
            )
            known = array("q", chain.from_iterable(rows))
        robots = connection.execute(
            f"SELECT {ROBOTS_COLUMNS} FROM robots WHERE domain_id = ?", (lease.domain_id,)
        )
        loaded.append(
            LoadedDomain(
                lease=lease,
                head=_head(connection, lease.domain_id, head_limit),
                robots=[read_robots(row) for row in robots],
                known=known,
            )
        )
    return loaded


_LIST_HEAD = f"""
    SELECT {TARGET_COLUMNS}
    FROM urls
    WHERE domain_id = ?
        AND priority = ?
        AND due_at <= ?
    ORDER BY due_at, id
    LIMIT ?
"""


def _head(connection: Connection, domain_id: int, limit: int) -> QueueHead:
    now = connection.execute("SELECT now_s()").fetchone()[0]
    targets: list[Target] = []
    for priority in PRIORITIES:
        # One probe per priority: urls due later would stand in the way of a single scan.
        rows = connection.execute(_LIST_HEAD, (domain_id, priority, now, limit - len(targets)))
        targets += [read_target(row) for row in rows]
        if len(targets) >= limit:
            break
    return QueueHead(targets=tuple(targets), next_due_at=_next_due(connection, domain_id, now))


def _next_due(connection: Connection, domain_id: int, after: Instant) -> Instant | None:
    """The earliest due instant later than `after`."""
    instants = [
        connection.execute(
            "SELECT min(due_at) FROM urls WHERE domain_id = ? AND priority = ? AND due_at > ?",
            (domain_id, priority, after),
        ).fetchone()[0]
        for priority in PRIORITIES
    ]
    return min((instant for instant in instants if instant is not None), default=None)


_RELEASE = f"""
    UPDATE domains
    SET
        claimed_by = NULL,
        claim_expires_at = NULL,
        version = version + 1,
        ready_at = ?,
        avail_at = CASE WHEN is_active = 1 THEN ? END,
        {STATE_ASSIGNMENTS}
    WHERE id = ? AND version = ?
"""


def _release(connection: Connection, releases: Sequence[Release]) -> None:
    now = connection.execute("SELECT now_s()").fetchone()[0]
    for release in releases:
        lease = release.lease
        avail_at, state = plan_release(release, _next_due(connection, lease.domain_id, 0.0), now)
        save_transitions(connection, [(lease, state)])
        # The fence rises, so that a renewal or a batch that comes late can not revive the lease.
        connection.execute(
            _RELEASE, (release.ready_at, avail_at, *state_values(state), lease.domain_id, lease.version)
        )
