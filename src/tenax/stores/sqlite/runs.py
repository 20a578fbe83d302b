"""Runs in SQLite. See contracts/runs.py."""

from collections.abc import Collection, Sequence

from tenax.records.jobs import NO_SOURCE
from tenax.records.requests import FailureKind
from tenax.records.runs import RunState
from tenax.records.urls import Fate, RefusalReason
from tenax.stores.contracts.runs import Grant, KnownPage, LastRun, PageLinks, Reservation, ResumeResult, Run
from tenax.stores.contracts.takeover import DomainSharing, TakeoverResult
from tenax.stores.contracts.workers import DeadWorker
from tenax.stores.hot.packing import list_targets
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
from tenax.stores.sqlite.connection.database import Connection, SqliteDatabase
from tenax.stores.sqlite.frontier.discovery.intake import release_postponed
from tenax.stores.sqlite.frontier.domain_events import add_wakes
from tenax.stores.sqlite.frontier.shares import grant_pages, return_pages
from tenax.stores.sqlite.frontier.takeover import find_sharing, take_domains
from tenax.stores.sqlite.run_ends import end_run, find_state
from tenax.stores.sqlite.workers import add_worker, can_join, remove_dead

# A run as seen by a worker that may join it; see run_states.read_last_run.
_LAST_RUN = f"""
    {RUN_COLUMNS},
    settings,
    (
        SELECT count(*)
        FROM workers
        WHERE run_id = runs.id AND {IS_LIVE.format(now="now_s()")}
    ),
    EXISTS (
        SELECT 1
        FROM domains d
        WHERE d.source_id = runs.source_id AND d.avail_at <= now_s()
    ),
    {IS_SOURCES}
"""


class SqliteRuns:
    def __init__(self, database: SqliteDatabase, source_id: int = NO_SOURCE) -> None:
        self._database = database
        self._source_id = source_id

    async def open_run(self, settings_json: str, domains: Collection[str] = ()) -> Run:
        return await self._database.write(
            lambda connection: _open_run(connection, self._source_id, settings_json, domains)
        )

    async def resume(self, run_id: int) -> ResumeResult:
        return await self._database.write(lambda connection: _resume(connection, run_id))

    async def reserve_run(self, execution_id: int | None = None) -> Reservation | None:
        return await self._database.write(
            lambda connection: _reserve_run(connection, self._source_id, execution_id)
        )

    async def withdraw(self, run_id: int) -> None:
        await self._database.write(lambda connection: connection.execute(WITHDRAW_RUN, (run_id,)))

    async def take(self, domains: Collection[str] = ()) -> TakeoverResult:
        return await self._database.write(
            lambda connection: take_domains(connection, self._source_id, domains)
        )

    async def find_sharing(self) -> DomainSharing:
        return await self._database.read(lambda connection: find_sharing(connection, self._source_id))

    async def find_pages(self, urls: Sequence[tuple[str, int]]) -> list[KnownPage]:
        return await self._database.read(lambda connection: _find_pages(connection, urls))

    async def list_open(self) -> list[LastRun]:
        return await self._database.read(_list_open)

    async def find_state(self, run_id: int) -> RunState:
        return await self._database.read(lambda connection: find_state(connection, run_id))

    async def end_run(self, run_id: int, state: RunState, worker_id: int) -> bool:
        return await self._database.write(
            lambda connection: end_run(connection, self._source_id, run_id, state, worker_id)
        )

    async def reopen_refused(self, reasons: Sequence[RefusalReason]) -> int:
        return await self._database.write(
            lambda connection: _reopen(connection, self._source_id, Fate.REFUSED, reasons)
        )

    async def reopen_skipped(self, content_types: Sequence[str]) -> int:
        return await self._database.write(
            lambda connection: _reopen(connection, self._source_id, Fate.SKIPPED, content_types, "detail")
        )

    async def reopen_dead(self, kinds: Sequence[FailureKind]) -> int:
        return await self._database.write(
            lambda connection: _reopen(connection, self._source_id, Fate.DEAD, kinds)
        )

    async def stored_links(self, after_id: int, limit: int) -> list[PageLinks]:
        return await self._database.read(
            lambda connection: [
                PageLinks(url_id=row[0], depth=row[1], links=list_targets(None, row[2]))
                for row in connection.execute(LIST_STORED_LINKS, (after_id, self._source_id, limit))
            ]
        )

    async def find_last(self) -> LastRun | None:
        return await self._database.read(lambda connection: _find_last(connection, self._source_id))

    async def add_worker(
        self, run_id: int, uuid: str, host: str, pid: int, lease_s: float, *, reopens: bool = True
    ) -> int | None:
        return await self._database.write(
            lambda connection: (
                add_worker(connection, run_id, uuid, host, pid, lease_s)
                if can_join(connection, run_id, reopens)
                else None
            )
        )

    async def end_dead_workers(self, dead: Sequence[DeadWorker]) -> int:
        return await self._database.write(lambda connection: remove_dead(connection, dead))

    async def grant(self, worker_id: int, run_id: int, wanted: int, limit: int) -> Grant:
        return await self._database.write(
            lambda connection: grant_pages(connection, worker_id, run_id, wanted, limit)
        )

    async def return_pages(self, worker_id: int, pages: int) -> None:
        await self._database.write(lambda connection: return_pages(connection, worker_id, pages))


_REOPEN_RUN = f"""
    UPDATE runs
    SET
        settings = ?,
        state = 'running',
        paused_at = NULL
    WHERE id = (
        SELECT id
        FROM runs
        WHERE source_id = ? AND {UNDER_WAY}
        ORDER BY id DESC
        LIMIT 1
    )
    RETURNING {RUN_COLUMNS}
"""


def _open_run(connection: Connection, source_id: int, settings_json: str, domains: Collection[str]) -> Run:
    # In one transaction: if two want the same domain, the first that is running gets it.
    take_domains(connection, source_id, domains)
    row = connection.execute(_REOPEN_RUN, (settings_json, source_id)).fetchone()
    if row is not None:
        return read_run(row)
    return _start_run(connection, source_id, RunState.RUNNING, settings_json)


def _resume(connection: Connection, run_id: int) -> ResumeResult:
    row = connection.execute("SELECT state, source_id FROM runs WHERE id = ?", (run_id,)).fetchone()
    state = RunState(row[0]) if row else None
    if state is not RunState.PAUSED:
        return ResumeResult(is_carried_out=False, state=state)
    taking = take_domains(connection, row[1], ())
    connection.execute(RESUME_RUN, (run_id,))
    return ResumeResult(is_carried_out=True, state=RunState.RUNNING, taking=taking)


def _reserve_run(connection: Connection, source_id: int, execution_id: int | None) -> Reservation | None:
    row = connection.execute(FIND_RESERVED, (execution_id,)).fetchone()
    if row is not None:
        return Reservation(run=read_run(row), is_opened=bool(row[-1]))
    under_way = connection.execute(
        f"SELECT 1 FROM runs WHERE source_id = ? AND {UNDER_WAY} LIMIT 1", (source_id,)
    ).fetchone()
    if under_way is not None:
        return None
    last = connection.execute(FIND_LAST_SETTINGS, (source_id,)).fetchone()
    run = _start_run(connection, source_id, RunState.PAUSED, last[0] if last else "{}")
    connection.execute(RESERVE_RUN, (execution_id, run.id))
    return Reservation(run=run, is_opened=False)


_INSERT_RUN = f"""
    INSERT INTO runs (source_id, state, settings, started_at, first_visit_id, first_event_id)
    VALUES (?, ?, ?, wall_s(), {LAST_ID.format(table="visits")}, {LAST_ID.format(table="domain_events")})
    RETURNING id, started_at
"""


def _start_run(connection: Connection, source_id: int, state: RunState, settings_json: str) -> Run:
    is_resumed = (
        connection.execute("SELECT 1 FROM runs WHERE source_id = ? LIMIT 1", (source_id,)).fetchone()
        is not None
    )
    release_postponed(connection, source_id, connection.execute("SELECT now_s()").fetchone()[0])
    row = connection.execute(_INSERT_RUN, (source_id, state, settings_json)).fetchone()
    # A new run has new budgets: domains that the last one parked may continue.
    wake_parked(connection, source_id)
    return Run(id=row[0], state=state, started_at=row[1], pages=0, is_resumed=is_resumed, source_id=source_id)


_FIND_PAGES = f"""
    SELECT u.id, CASE u.fate WHEN 'redirected' THEN u.to_url END, {PACKED_LINKS}
    FROM domains d
    JOIN urls u ON u.domain_id = d.id AND u.key = ?2
    LEFT JOIN pages p ON p.url_id = u.id
    WHERE d.name = ?1
"""


def _find_pages(connection: Connection, urls: Sequence[tuple[str, int]]) -> list[KnownPage]:
    pages = []
    for domain, key in urls:
        row = connection.execute(_FIND_PAGES, (domain, key)).fetchone()
        if row is not None and (leads_to := list_targets(row[1], row[2])):
            pages.append(
                KnownPage(
                    url_id=row[0], domain=domain, key=key, leads_to=leads_to, is_redirect=row[1] is not None
                )
            )
    return pages


def _find_last(connection: Connection, source_id: int) -> LastRun | None:
    row = connection.execute(
        f"SELECT {_LAST_RUN} FROM runs WHERE source_id = ? ORDER BY id DESC LIMIT 1", (source_id,)
    ).fetchone()
    return None if row is None else read_last_run(row)


def _list_open(connection: Connection) -> list[LastRun]:
    rows = connection.execute(f"SELECT {_LAST_RUN} FROM runs WHERE {UNDER_WAY} ORDER BY id")
    return [read_last_run(row) for row in rows]


_COUNT_QUEUED = """
    UPDATE domains
    SET
        queued = (
            SELECT count(*)
            FROM urls
            WHERE urls.domain_id = domains.id AND due_at IS NOT NULL
        )
    WHERE source_id = ?
"""


_REOPEN_URLS = """
    UPDATE urls
    SET
        due_at = now_s(),
        fate = 'queued',
        attempts = 0,
        reason = NULL,
        detail = NULL
    WHERE fate = ?
        AND {column} IN ({marks})
        AND domain_id IN (SELECT id FROM domains WHERE source_id = ?)
"""


def _reopen(
    connection: Connection, source_id: int, fate: Fate, reasons: Sequence[str], column: str = "reason"
) -> int:
    marks = ", ".join("?" for _ in reasons)
    statement = _REOPEN_URLS.format(marks=marks, column=column)
    reopened = connection.execute(statement, (fate, *reasons, source_id)).rowcount
    if reopened:
        connection.execute(_COUNT_QUEUED, (source_id,))
    wake_parked(connection, source_id)
    return reopened


_WAKE_PARKED = f"""
    UPDATE domains
    SET
        avail_at = max(?1 - (?1 - coalesce(ready_at, 0)) / 1e9, coalesce(ready_at, 0)),
        status = CASE WHEN status = 'exhausted' THEN 'active' ELSE status END
    WHERE {PARKED} AND source_id = ?2
"""


def wake_parked(connection: Connection, source_id: int) -> None:
    """Make domains available whose budget was used up; the longer they have waited the earlier, which keeps
    their order."""
    now = connection.execute("SELECT now_s()").fetchone()[0]
    asleep = connection.execute(
        f"SELECT id FROM domains WHERE {PARKED} AND status = 'exhausted' AND source_id = ?", (source_id,)
    ).fetchall()
    add_wakes(connection, (row[0] for row in asleep), now)
    connection.execute(_WAKE_PARKED, (now, source_id))
