"""Runs in PostgreSQL. See contracts/runs.py."""

from collections.abc import Collection, Sequence

from tenax.clock import Instant
from tenax.records.jobs import NO_SOURCE
from tenax.records.requests import FailureKind
from tenax.records.runs import RunState
from tenax.records.urls import Fate, RefusalReason
from tenax.stores.contracts.runs import Grant, KnownPage, LastRun, PageLinks, Reservation, ResumeResult, Run
from tenax.stores.contracts.takeover import DomainSharing, TakeoverResult
from tenax.stores.contracts.workers import DeadWorker
from tenax.stores.hot.packing import list_targets
from tenax.stores.hot.parameters import to_postgres
from tenax.stores.hot.rows import PARKED
from tenax.stores.hot.run_states import (
    IS_LIVE,
    IS_SOURCES,
    LAST_ID,
    RUN_COLUMNS,
    UNDER_WAY,
    read_last_run,
    read_run,
)
from tenax.stores.hot.statements import (
    FIND_LAST_SETTINGS,
    FIND_RESERVED,
    LIST_STORED_LINKS,
    PACKED_LINKS,
    RESERVE_RUN,
    RESUME_RUN,
    WITHDRAW_RUN,
)
from tenax.stores.postgres.connection.database import PostgresDatabase
from tenax.stores.postgres.connection.protocol import Connection
from tenax.stores.postgres.frontier.discovery.intake import release_postponed
from tenax.stores.postgres.frontier.domain_events import add_wakes
from tenax.stores.postgres.frontier.shares import grant_pages, return_pages
from tenax.stores.postgres.frontier.takeover import RUNS_LOCK, find_sharing, take_domains
from tenax.stores.postgres.run_ends import end_run, find_state
from tenax.stores.postgres.schema.partitions import Partitions
from tenax.stores.postgres.workers import add_worker, can_join, remove_dead

_FIND_LAST_SETTINGS = to_postgres(FIND_LAST_SETTINGS)
_FIND_RESERVED = to_postgres(FIND_RESERVED)
_LIST_STORED_LINKS = to_postgres(LIST_STORED_LINKS)
_RESERVE_RUN = to_postgres(RESERVE_RUN)
_RESUME_RUN = to_postgres(RESUME_RUN)
_WITHDRAW_RUN = to_postgres(WITHDRAW_RUN)

# A run as seen by a worker that may join it; see run_states.read_last_run.
_LAST_RUN = f"""
    WITH clock AS MATERIALIZED (SELECT $1::float8 AS now)
    SELECT
        {RUN_COLUMNS},
        settings,
        (
            SELECT count(*)
            FROM workers
            WHERE run_id = runs.id AND {IS_LIVE.format(now="clock.now")}
        ),
        EXISTS (
            SELECT 1
            FROM domains d
            WHERE d.source_id = runs.source_id
                AND d.avail_at <= clock.now
                AND (d.claim_expires_at IS NULL OR d.claim_expires_at <= clock.now)
        ),
        {IS_SOURCES}
    FROM runs
    CROSS JOIN clock
"""


class PostgresRuns:
    def __init__(self, database: PostgresDatabase, source_id: int = NO_SOURCE) -> None:
        self._database = database
        self._source_id = source_id

    async def open_run(self, settings_json: str, domains: Collection[str] = ()) -> Run:
        return await self._database.write(
            lambda connection: _open_run(connection, self._source_id, settings_json, domains, self._now()),
            is_slow=True,
        )

    async def resume(self, run_id: int) -> ResumeResult:
        return await self._database.write(
            lambda connection: _resume(connection, run_id, self._now()), is_slow=True
        )

    async def reserve_run(self, execution_id: int | None = None) -> Reservation | None:
        return await self._database.write(
            lambda connection: _reserve_run(connection, self._source_id, execution_id, self._now()),
            is_slow=True,
        )

    async def withdraw(self, run_id: int) -> None:
        await self._database.write(lambda connection: connection.execute(_WITHDRAW_RUN, run_id))

    async def take(self, domains: Collection[str] = ()) -> TakeoverResult:
        return await self._database.write(
            lambda connection: take_domains(connection, self._source_id, domains, self._now()), is_slow=True
        )

    async def find_sharing(self) -> DomainSharing:
        return await self._database.read(lambda connection: find_sharing(connection, self._source_id))

    async def find_pages(self, urls: Sequence[tuple[str, int]]) -> list[KnownPage]:
        return await self._database.read(lambda connection: _find_pages(connection, urls))

    async def list_open(self) -> list[LastRun]:
        return await self._database.read(lambda connection: _list_open(connection, self._now()))

    async def find_state(self, run_id: int) -> RunState:
        return await self._database.read(lambda connection: find_state(connection, run_id))

    async def end_run(self, run_id: int, state: RunState, worker_id: int) -> bool:
        return await self._database.write(
            lambda connection: end_run(connection, self._source_id, run_id, state, worker_id, self._now())
        )

    async def reopen_refused(self, reasons: Sequence[RefusalReason]) -> int:
        return await self._database.write(
            lambda connection: _reopen(connection, self._source_id, Fate.REFUSED, reasons, self._now()),
            is_slow=True,
        )

    async def reopen_skipped(self, content_types: Sequence[str]) -> int:
        return await self._database.write(
            lambda connection: _reopen(
                connection, self._source_id, Fate.SKIPPED, content_types, self._now(), "detail"
            ),
            is_slow=True,
        )

    async def reopen_dead(self, kinds: Sequence[FailureKind]) -> int:
        return await self._database.write(
            lambda connection: _reopen(connection, self._source_id, Fate.DEAD, kinds, self._now()),
            is_slow=True,
        )

    async def stored_links(self, after_id: int, limit: int) -> list[PageLinks]:
        rows = await self._database.read(
            lambda connection: connection.fetch(_LIST_STORED_LINKS, after_id, self._source_id, limit)
        )
        return [PageLinks(url_id=row[0], depth=row[1], links=list_targets(None, row[2])) for row in rows]

    async def find_last(self) -> LastRun | None:
        return await self._database.read(
            lambda connection: _find_last(connection, self._source_id, self._now())
        )

    async def add_worker(
        self, run_id: int, uuid: str, host: str, pid: int, lease_s: float, *, reopens: bool = True
    ) -> int | None:
        await Partitions(self._database).make_ahead()

        async def join(connection: Connection) -> int | None:
            if not await can_join(connection, run_id, reopens):
                return None
            return await add_worker(connection, run_id, uuid, host, pid, lease_s, self._now())

        return await self._database.write(join)

    async def end_dead_workers(self, dead: Sequence[DeadWorker]) -> int:
        return await self._database.write(lambda connection: remove_dead(connection, dead, self._now()))

    async def grant(self, worker_id: int, run_id: int, wanted: int, limit: int) -> Grant:
        return await self._database.write(
            lambda connection: grant_pages(connection, worker_id, run_id, wanted, limit, self._now())
        )

    async def return_pages(self, worker_id: int, pages: int) -> None:
        await self._database.write(lambda connection: return_pages(connection, worker_id, pages))

    def _now(self) -> Instant:
        return self._database.clock.now()


_REOPEN_RUN = f"""
    UPDATE runs
    SET
        settings = $1,
        state = 'running',
        paused_at = NULL
    WHERE id = (
        SELECT id
        FROM runs
        WHERE source_id = $2 AND {UNDER_WAY}
        ORDER BY id DESC
        LIMIT 1
        FOR UPDATE
    )
    RETURNING {RUN_COLUMNS}
"""


async def _open_run(
    connection: Connection, source_id: int, settings_json: str, domains: Collection[str], now: Instant
) -> Run:
    # In one transaction: if two want the same domain, the first that is running gets it.
    await take_domains(connection, source_id, domains, now)
    row = await connection.fetchrow(_REOPEN_RUN, settings_json, source_id)
    if row is not None:
        return read_run(tuple(row))
    return await _start_run(connection, source_id, RunState.RUNNING, settings_json, now)


async def _resume(connection: Connection, run_id: int, now: Instant) -> ResumeResult:
    await connection.execute("SELECT pg_advisory_xact_lock($1)", RUNS_LOCK)
    row = await connection.fetchrow("SELECT state, source_id FROM runs WHERE id = $1 FOR UPDATE", run_id)
    state = RunState(row[0]) if row else None
    if state is not RunState.PAUSED:
        return ResumeResult(is_carried_out=False, state=state)
    taking = await take_domains(connection, row[1], (), now)
    await connection.execute(_RESUME_RUN, run_id)
    return ResumeResult(is_carried_out=True, state=RunState.RUNNING, taking=taking)


async def _reserve_run(
    connection: Connection, source_id: int, execution_id: int | None, now: Instant
) -> Reservation | None:
    await connection.execute("SELECT pg_advisory_xact_lock($1)", RUNS_LOCK)
    row = await connection.fetchrow(_FIND_RESERVED, execution_id)
    if row is not None:
        return Reservation(run=read_run(tuple(row)), is_opened=row[-1])
    if await connection.fetchval(
        f"SELECT EXISTS (SELECT 1 FROM runs WHERE source_id = $1 AND {UNDER_WAY})", source_id
    ):
        return None
    last = await connection.fetchval(_FIND_LAST_SETTINGS, source_id)
    run = await _start_run(connection, source_id, RunState.PAUSED, last or "{}", now)
    await connection.execute(_RESERVE_RUN, execution_id, run.id)
    return Reservation(run=run, is_opened=False)


_INSERT_RUN = f"""
    INSERT INTO runs (state, settings, source_id, started_at, first_visit_id, first_event_id)
    VALUES (
        $1,
        $2,
        $3,
        tenax_now(),
        {LAST_ID.format(table="visits")},
        {LAST_ID.format(table="domain_events")}
    )
    RETURNING id, started_at
"""


async def _start_run(
    connection: Connection, source_id: int, state: RunState, settings_json: str, now: Instant
) -> Run:
    is_resumed = await connection.fetchval(
        "SELECT EXISTS (SELECT 1 FROM runs WHERE source_id = $1)", source_id
    )
    await release_postponed(connection, source_id, now)
    row = await connection.fetchrow(_INSERT_RUN, state, settings_json, source_id)
    # A new run has new budgets: domains that the last one parked may continue.
    await wake_parked(connection, source_id, now)
    return Run(id=row[0], state=state, started_at=row[1], pages=0, is_resumed=is_resumed, source_id=source_id)


_FIND_PAGES = f"""
    SELECT
        u.id,
        v.domain,
        v.key,
        CASE u.fate WHEN 'redirected' THEN u.to_url END AS redirect_to,
        {PACKED_LINKS} AS links
    FROM unnest($1::text[], $2::bigint[]) AS v(domain, key)
    JOIN domains d ON d.name = v.domain
    JOIN urls u ON u.domain_id = d.id AND u.key = v.key
    LEFT JOIN pages p ON p.url_id = u.id
"""


async def _find_pages(connection: Connection, urls: Sequence[tuple[str, int]]) -> list[KnownPage]:
    rows = await connection.fetch(_FIND_PAGES, [domain for domain, _ in urls], [key for _, key in urls])
    return [
        KnownPage(
            url_id=row["id"],
            domain=row["domain"],
            key=row["key"],
            leads_to=leads_to,
            is_redirect=row["redirect_to"] is not None,
        )
        for row in rows
        if (leads_to := list_targets(row["redirect_to"], row["links"]))
    ]


async def _find_last(connection: Connection, source_id: int, now: Instant) -> LastRun | None:
    row = await connection.fetchrow(
        f"{_LAST_RUN} WHERE source_id = $2 ORDER BY id DESC LIMIT 1", now, source_id
    )
    return None if row is None else read_last_run(tuple(row))


async def _list_open(connection: Connection, now: Instant) -> list[LastRun]:
    rows = await connection.fetch(f"{_LAST_RUN} WHERE {UNDER_WAY} ORDER BY id", now)
    return [read_last_run(tuple(row)) for row in rows]


_REOPEN = """
    WITH reopened AS (
        UPDATE urls
        SET
            due_at = $3::float8,
            fate = 'queued',
            attempts = 0,
            reason = NULL,
            detail = NULL
        WHERE fate = $4
            AND {column} = ANY($1::text[])
            AND domain_id IN (SELECT id FROM domains WHERE source_id = $2)
        RETURNING domain_id
    ),
    counts AS (
        SELECT domain_id, count(*) AS number
        FROM reopened
        GROUP BY domain_id
    ),
    moved AS (
        UPDATE domains d
        SET queued = d.queued + counts.number
        FROM counts
        WHERE d.id = counts.domain_id
    )
    SELECT coalesce(sum(number), 0)::bigint
    FROM counts
"""


async def _reopen(
    connection: Connection,
    source_id: int,
    fate: Fate,
    reasons: Sequence[str],
    now: Instant,
    column: str = "reason",
) -> int:
    statement = _REOPEN.format(column=column)
    reopened: int = await connection.fetchval(statement, list(reasons), source_id, now, fate)
    await wake_parked(connection, source_id, now)
    return reopened


_WAKE_PARKED = """
    UPDATE domains
    SET
        avail_at = greatest($1::float8 - ($1::float8 - coalesce(ready_at, 0)) / 1e9, ready_at),
        status = CASE WHEN status = 'exhausted' THEN 'active' ELSE status END
    WHERE id = ANY($2::bigint[])
"""


async def wake_parked(connection: Connection, source_id: int, now: Instant) -> None:
    """Make domains available whose budget was used up; the longer they have waited the earlier, which keeps
    their order."""
    rows = await connection.fetch(
        f"SELECT id FROM domains WHERE {PARKED} AND source_id = $1 ORDER BY id FOR UPDATE", source_id
    )
    if not rows:
        return
    ids = [row[0] for row in rows]
    await add_wakes(connection, ids)
    await connection.execute(_WAKE_PARKED, now, ids)
