"""Maintenance of domains in PostgreSQL. See contracts/domains.py."""

from collections.abc import Awaitable, Callable
from functools import partial

from tenax.clock import Instant
from tenax.policy.domain_states import check_transition
from tenax.policy.scoring import rate
from tenax.records.domains import Cause, DomainStatus
from tenax.stores.contracts.domains import CounterCheck, CounterDifference
from tenax.stores.hot.discovery.yields import CHECK_YIELDS, compare_yields
from tenax.stores.hot.domains import CHECKED_COLUMNS, FACT_COLUMNS, compare, read_facts
from tenax.stores.hot.learned.traps import FORGET_TRAPS
from tenax.stores.hot.parameters import to_postgres
from tenax.stores.hot.rows import FRESH_START
from tenax.stores.hot.statements import (
    CORRECT_COUNTER,
    EXPIRE_ROBOTS,
    FIND_STATUS,
    QUEUE_ALL_URLS,
    RESET_DOMAIN,
)
from tenax.stores.postgres.connection.database import PostgresDatabase
from tenax.stores.postgres.connection.protocol import Connection
from tenax.stores.postgres.frontier.discovery.yields import add_yields
from tenax.stores.postgres.frontier.domain_events import add_status_changes
from tenax.stores.postgres.frontier.statements import to_arrays
from tenax.stores.postgres.frontier.url_domains import lock_domains

_CORRECT_COUNTER = to_postgres(CORRECT_COUNTER)
_EXPIRE_ROBOTS = to_postgres(EXPIRE_ROBOTS)
_FIND_STATUS = to_postgres(FIND_STATUS)
_QUEUE_ALL_URLS = to_postgres(QUEUE_ALL_URLS)
_RESET_DOMAIN = to_postgres(RESET_DOMAIN)
_FORGET_TRAPS = to_postgres(FORGET_TRAPS)

# Two checks at once would both add what is missing in a row that is not there yet.
CHECK_LOCK = 0x7E4A_0005
RATED_AT_ONCE = 10_000
CHECKED_AT_ONCE = 100

# $1 is now. A worker that held the domain made its last request at an unknown time, taken as now, and may
# make more until its lease ends.
_UNLEASED = """
    claimed_by = NULL,
    claim_expires_at = NULL,
    version = version + 1,
    last_start_at = CASE WHEN claimed_by IS NULL THEN last_start_at ELSE $1::float8 END,
    last_answer_at = CASE
        WHEN claimed_by IS NULL THEN last_answer_at
        ELSE greatest($1::float8, claim_expires_at)
    END
"""
# While a feed of the domain is requested, it counts as answered at the deadline of that request.
_FREE_AT = "greatest($1::float8, claim_expires_at, last_answer_at)"

Apply = Callable[[Connection, int, Instant], Awaitable[None]]


_BLOCK = f"""
    UPDATE domains
    SET
        status = 'blocked',
        block_code = 'manual',
        block_reason = $3,
        first_blocked_at = coalesce(first_blocked_at, tenax_now()),
        next_crawl_after = NULL,
        avail_at = NULL,
        {_UNLEASED}
    WHERE id = $2
"""


class PostgresDomains:
    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    async def block(self, name: str, reason: str) -> DomainStatus | None:
        async def apply(connection: Connection, domain_id: int, now: Instant) -> None:
            await connection.execute(_BLOCK, now, domain_id, reason)

        return await self._change_status(name, DomainStatus.BLOCKED, Cause.MANUAL, reason, apply)

    async def unblock(self, name: str, reason: str) -> DomainStatus | None:
        return await self._change_status(name, DomainStatus.PENDING, Cause.UNBLOCKED, reason, _start_again)

    async def reset(self, name: str, reason: str) -> DomainStatus | None:
        return await self._change_status(name, DomainStatus.PENDING, Cause.RESET, reason, _reset, _want_urls)

    async def recalculate(self, run_id: int | None = None) -> int:
        done = last_id = 0
        while True:
            work = partial(_rate_some, run_id=run_id, after_id=last_id)
            rated, last_id = await self._database.write(work, is_slow=True)
            done += rated
            if not rated:
                return done

    async def check(self, after_id: int, *, is_dry: bool) -> CounterCheck:
        return await self._database.write(
            lambda connection: _check_some(connection, after_id, is_dry), is_slow=True
        )

    async def _change_status(
        self,
        name: str,
        to_status: DomainStatus,
        cause: Cause,
        detail: str,
        apply: Apply,
        prepare: Apply | None = None,
    ) -> DomainStatus | None:
        """`prepare` writes rows below the domain: before its row is locked, as its holder does."""

        async def work(connection: Connection) -> DomainStatus | None:
            domain_id = await connection.fetchval("SELECT id FROM domains WHERE name = $1", name)
            if domain_id is None:
                return None
            now = self._database.clock.now()
            if prepare is not None:
                await prepare(connection, domain_id, now)
            await lock_domains(connection, [domain_id])
            status = DomainStatus(await connection.fetchval(_FIND_STATUS, domain_id))
            check_transition(status, to_status, cause)
            await add_status_changes(connection, [domain_id], to_status, cause, detail)
            await apply(connection, domain_id, now)
            return status

        return await self._database.write(work, is_slow=True)


async def _want_urls(connection: Connection, domain_id: int, now: Instant) -> None:
    # Urls with a page keep their fate, as the page is still there. Urls that crashed their reader stay away.
    await connection.execute(_QUEUE_ALL_URLS, now, domain_id)


async def _reset(connection: Connection, domain_id: int, now: Instant) -> None:
    await connection.execute(_RESET_DOMAIN, domain_id)
    await connection.execute(_FORGET_TRAPS, domain_id)
    await _start_again(connection, domain_id, now)


_START_AGAIN = f"""
    UPDATE domains
    SET
        {FRESH_START},
        {_UNLEASED},
        ready_at = {_FREE_AT},
        avail_at = CASE WHEN queued > 0 AND is_active = 1 THEN {_FREE_AT} END
    WHERE id = $2
"""


async def _start_again(connection: Connection, domain_id: int, now: Instant) -> None:
    await connection.execute(_START_AGAIN, now, domain_id)
    # The robots.txt may have changed.
    await connection.execute(_EXPIRE_ROBOTS, now, domain_id)


_LIST_FACTS = f"""
    SELECT tenax_now(), id, {FACT_COLUMNS}
    FROM domains
    WHERE id > $1 AND ($2::int IS NULL OR last_run_id = $2::int)
    ORDER BY id
    LIMIT {RATED_AT_ONCE}
    FOR NO KEY UPDATE
"""
_SAVE_SCORES = """
    UPDATE domains d
    SET
        image_yield_rate = v.image_yield_rate,
        avg_images_per_page = v.avg_images_per_page,
        error_rate = v.error_rate,
        priority_score = v.priority_score,
        tier = v.tier,
        priority_computed_at = $1::float8
    FROM unnest(
        $2::bigint[], $3::float8[], $4::float8[], $5::float8[], $6::int[], $7::int[]
    ) AS v(id, image_yield_rate, avg_images_per_page, error_rate, priority_score, tier)
    WHERE d.id = v.id
"""


async def _rate_some(connection: Connection, run_id: int | None, after_id: int) -> tuple[int, int]:
    """How many domains were rated, and the last of their ids."""
    rows = await connection.fetch(_LIST_FACTS, after_id, run_id)
    if not rows:
        return 0, after_id
    now = rows[0][0]
    scores = [(row[1], rate(read_facts(tuple(row[2:])), now)) for row in map(tuple, rows)]
    await connection.execute(
        _SAVE_SCORES,
        now,
        *to_arrays(
            (
                domain_id,
                each.image_yield_rate,
                each.avg_images_per_page,
                each.error_rate,
                each.priority_score,
                each.tier,
            )
            for domain_id, each in scores
        ),
    )
    return len(rows), rows[-1][1]


_LIST_COUNTERS = f"""
    SELECT d.id, d.name, {CHECKED_COLUMNS}
    FROM domains d
    WHERE d.id = ANY($1::bigint[])
    ORDER BY d.id
"""


_CHECK_YIELDS = CHECK_YIELDS.format(ids="(SELECT unnest($1::bigint[]))")


async def _check_some(connection: Connection, after_id: int, is_dry: bool) -> CounterCheck:
    await connection.execute("SELECT pg_advisory_xact_lock($1)", CHECK_LOCK)
    found = await connection.fetch(
        "SELECT id, name FROM domains WHERE id > $1 ORDER BY id LIMIT $2", after_id, CHECKED_AT_ONCE
    )
    names: dict[int, str] = dict(map(tuple, found))
    # Before the rows of domains are locked, as workers do.
    differences = await _check_yields(connection, names, is_dry)
    await lock_domains(connection, list(names))
    # A separate statement: it sees what others had added before they released the rows.
    rows = await connection.fetch(_LIST_COUNTERS, list(names))
    for domain_id, name, *values in map(tuple, rows):
        wrong = compare(name, tuple(values))
        differences += wrong
        for each in () if is_dry else wrong:
            await connection.execute(_CORRECT_COUNTER.format(counter=each.counter), each.counted, domain_id)
    return CounterCheck(
        domains=len(rows), last_id=max(names, default=after_id), differences=tuple(differences)
    )


async def _check_yields(
    connection: Connection, names: dict[int, str], is_dry: bool
) -> list[CounterDifference]:
    rows = await connection.fetch(_CHECK_YIELDS, list(names))
    differences, missing = compare_yields(names, map(tuple, rows))
    if not is_dry:
        await add_yields(connection, missing)
    return differences
