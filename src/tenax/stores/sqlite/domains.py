"""Maintenance of domains in SQLite. See contracts/domains.py."""

from collections.abc import Callable
from functools import partial

from tenax.clock import Instant
from tenax.policy.domain_states import check_transition
from tenax.policy.scoring import rate
from tenax.records.domains import Cause, DomainStatus
from tenax.stores.contracts.domains import CounterCheck, CounterDifference
from tenax.stores.hot.discovery.yields import CHECK_YIELDS, compare_yields
from tenax.stores.hot.domains import CHECKED_COLUMNS, FACT_COLUMNS, compare, read_facts
from tenax.stores.hot.learned.traps import FORGET_TRAPS
from tenax.stores.hot.rows import FRESH_START
from tenax.stores.hot.statements import CORRECT_COUNTER, EXPIRE_ROBOTS, QUEUE_ALL_URLS, RESET_DOMAIN
from tenax.stores.sqlite.connection.database import Connection, SqliteDatabase
from tenax.stores.sqlite.frontier.discovery.yields import add_yields
from tenax.stores.sqlite.frontier.domain_events import add_status_change

RATED_AT_ONCE = 10_000
CHECKED_AT_ONCE = 100

# ?1 is now. A worker that held the domain made its last request at an unknown time, taken as now, and may
# make more until its lease ends.
_UNLEASED = """
    claimed_by = NULL,
    claim_expires_at = NULL,
    version = version + 1,
    last_start_at = CASE WHEN claimed_by IS NULL THEN last_start_at ELSE ?1 END,
    last_answer_at = CASE
        WHEN claimed_by IS NULL THEN last_answer_at
        ELSE max(?1, coalesce(claim_expires_at, 0))
    END
"""
# While a feed of the domain is requested, it counts as answered at the deadline of that request.
_FREE_AT = "max(?1, coalesce(claim_expires_at, 0), coalesce(last_answer_at, 0))"

Apply = Callable[[Connection, int, Instant], None]


_BLOCK = f"""
    UPDATE domains
    SET
        status = 'blocked',
        block_code = 'manual',
        block_reason = ?3,
        first_blocked_at = coalesce(first_blocked_at, wall_s()),
        next_crawl_after = NULL,
        avail_at = NULL,
        {_UNLEASED}
    WHERE id = ?2
"""


class SqliteDomains:
    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    async def block(self, name: str, reason: str) -> DomainStatus | None:
        def apply(connection: Connection, domain_id: int, now: Instant) -> None:
            connection.execute(_BLOCK, (now, domain_id, reason))

        return await self._change_status(name, DomainStatus.BLOCKED, Cause.MANUAL, reason, apply)

    async def unblock(self, name: str, reason: str) -> DomainStatus | None:
        return await self._change_status(name, DomainStatus.PENDING, Cause.UNBLOCKED, reason, _start_again)

    async def reset(self, name: str, reason: str) -> DomainStatus | None:
        return await self._change_status(name, DomainStatus.PENDING, Cause.RESET, reason, _reset)

    async def recalculate(self, run_id: int | None = None) -> int:
        done = last_id = 0
        while True:
            work = partial(_rate_some, run_id=run_id, after_id=last_id)
            rated, last_id = await self._database.write(work)
            done += rated
            if not rated:
                return done

    async def check(self, after_id: int, *, is_dry: bool) -> CounterCheck:
        return await self._database.write(lambda connection: _check_some(connection, after_id, is_dry))

    async def _change_status(
        self, name: str, to_status: DomainStatus, cause: Cause, detail: str, apply: Apply
    ) -> DomainStatus | None:
        def work(connection: Connection) -> DomainStatus | None:
            row = connection.execute(
                "SELECT id, status, now_s() FROM domains WHERE name = ?", (name,)
            ).fetchone()
            if row is None:
                return None
            domain_id, status, now = row[0], DomainStatus(row[1]), row[2]
            check_transition(status, to_status, cause)
            add_status_change(connection, domain_id, (status, to_status), cause, detail, now)
            apply(connection, domain_id, now)
            return status

        return await self._database.write(work)


_START_AGAIN = f"""
    UPDATE domains
    SET
        {FRESH_START},
        {_UNLEASED},
        ready_at = {_FREE_AT},
        avail_at = CASE WHEN queued > 0 AND is_active = 1 THEN {_FREE_AT} END
    WHERE id = ?2
"""


def _start_again(connection: Connection, domain_id: int, now: Instant) -> None:
    connection.execute(_START_AGAIN, (now, domain_id))
    # The robots.txt may have changed.
    connection.execute(EXPIRE_ROBOTS, (now, domain_id))


def _reset(connection: Connection, domain_id: int, now: Instant) -> None:
    # Urls with a page keep their fate, as the page is still there. Urls that crashed their reader stay away.
    connection.execute(QUEUE_ALL_URLS, (now, domain_id))
    connection.execute(RESET_DOMAIN, (domain_id,))
    connection.execute(FORGET_TRAPS, (domain_id,))
    _start_again(connection, domain_id, now)


_LIST_FACTS = f"""
    SELECT wall_s(), id, {FACT_COLUMNS}
    FROM domains
    WHERE id > ?1 AND (?2 IS NULL OR last_run_id = ?2)
    ORDER BY id
    LIMIT ?3
"""
_SAVE_SCORES = """
    UPDATE domains
    SET
        image_yield_rate = ?,
        avg_images_per_page = ?,
        error_rate = ?,
        priority_score = ?,
        tier = ?,
        priority_computed_at = ?
    WHERE id = ?
"""


def _rate_some(connection: Connection, run_id: int | None, after_id: int) -> tuple[int, int]:
    """How many domains were rated, and the last of their ids."""
    rows = connection.execute(_LIST_FACTS, (after_id, run_id, RATED_AT_ONCE)).fetchall()
    scores = [(row[0], row[1], rate(read_facts(row[2:]), row[0])) for row in rows]
    connection.executemany(
        _SAVE_SCORES,
        [
            (
                each.image_yield_rate,
                each.avg_images_per_page,
                each.error_rate,
                each.priority_score,
                each.tier,
                now,
                domain_id,
            )
            for now, domain_id, each in scores
        ],
    )
    return len(rows), rows[-1][1] if rows else after_id


_LIST_COUNTERS = f"""
    SELECT d.id, d.name, {CHECKED_COLUMNS}
    FROM domains d
    WHERE d.id > ?
    ORDER BY d.id
    LIMIT ?
"""


_CHECK_YIELDS = CHECK_YIELDS.format(ids="(SELECT value FROM json_each(?1))")


def _check_some(connection: Connection, after_id: int, is_dry: bool) -> CounterCheck:
    rows = connection.execute(_LIST_COUNTERS, (after_id, CHECKED_AT_ONCE)).fetchall()
    differences = []
    for domain_id, name, *values in rows:
        wrong = compare(name, tuple(values))
        differences += wrong
        for each in () if is_dry else wrong:
            connection.execute(CORRECT_COUNTER.format(counter=each.counter), (each.counted, domain_id))
    differences += _check_yields(connection, {row[0]: row[1] for row in rows}, is_dry)
    last_id = rows[-1][0] if rows else after_id
    return CounterCheck(domains=len(rows), last_id=last_id, differences=tuple(differences))


def _check_yields(connection: Connection, names: dict[int, str], is_dry: bool) -> list[CounterDifference]:
    rows = connection.execute(_CHECK_YIELDS, (str(list(names)),)).fetchall()
    differences, missing = compare_yields(names, rows)
    if not is_dry:
        add_yields(connection, missing)
    return differences
