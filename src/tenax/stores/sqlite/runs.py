"""Runs and workers in SQLite. See base.RunStore."""

from collections.abc import Sequence

import orjson
import zstandard

from tenax.records import RefusalReason, RunState
from tenax.stores.base import LOST_AFTER_S, DeadWorker, Grant, LastRun, PageLinks, Run
from tenax.stores.rows import PARKED
from tenax.stores.run_states import GOES_ON, LAST_ID, UNDER_WAY, may_join
from tenax.stores.sqlite.database import Connection, Database
from tenax.stores.sqlite.events import note_wakes
from tenax.stores.sqlite.shares import grant_pages, return_pages


class SqliteRuns:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def open_run(self, settings_json: str) -> Run:
        return await self._database.write(lambda connection: _open_run(connection, settings_json))

    async def reserve_run(self) -> Run | None:
        return await self._database.write(_reserve_run)

    async def find_state(self, run_id: int) -> RunState:
        return await self._database.read(lambda connection: _find_state(connection, run_id))

    async def end_run(self, run_id: int, state: RunState, worker_id: int) -> bool:
        return await self._database.write(lambda connection: _end_run(connection, run_id, state, worker_id))

    async def reopen_refused(self, reasons: Sequence[RefusalReason]) -> int:
        return await self._database.write(lambda connection: _reopen(connection, reasons))

    async def stored_links(self, after_id: int, limit: int) -> list[PageLinks]:
        return await self._database.read(
            lambda connection: [
                PageLinks(url_id=row[0], depth=row[1], links=tuple(_link_urls(row[2])))
                for row in connection.execute(
                    "SELECT p.url_id, u.depth, p.links FROM pages p JOIN urls u ON u.id = p.url_id"
                    " WHERE p.url_id > ? ORDER BY p.url_id LIMIT ?",
                    (after_id, limit),
                )
            ]
        )

    async def find_last(self) -> LastRun | None:
        return await self._database.read(_find_last)

    async def add_worker(
        self, run_id: int, uuid: str, host: str, pid: int, *, reopens: bool = True
    ) -> int | None:
        return await self._database.write(
            lambda connection: (
                _add_worker(connection, run_id, uuid, host, pid)
                if _may_join(connection, run_id, reopens)
                else None
            )
        )

    async def bury(self, dead: Sequence[DeadWorker]) -> int:
        return await self._database.write(lambda connection: _bury(connection, dead))

    async def grant(self, worker_id: int, run_id: int, wanted: int, limit: int) -> Grant:
        return await self._database.write(
            lambda connection: grant_pages(connection, worker_id, run_id, wanted, limit)
        )

    async def return_pages(self, worker_id: int, pages: int) -> None:
        await self._database.write(lambda connection: return_pages(connection, worker_id, pages))


def _open_run(connection: Connection, settings_json: str) -> Run:
    row = connection.execute(
        "UPDATE runs SET settings = ?, state = 'running', paused_at = NULL WHERE id = (SELECT id FROM runs"
        f"  WHERE {UNDER_WAY} ORDER BY id DESC LIMIT 1) RETURNING id, started_at, pages",
        (settings_json,),
    ).fetchone()
    if row is not None:
        return Run(id=row[0], state=RunState.RUNNING, started_at=row[1], pages=row[2], is_resumed=True)
    return _start_run(connection, RunState.RUNNING, settings_json)


def _reserve_run(connection: Connection) -> Run | None:
    if connection.execute(f"SELECT 1 FROM runs WHERE {UNDER_WAY} LIMIT 1").fetchone() is not None:
        return None
    last = connection.execute("SELECT settings FROM runs ORDER BY id DESC LIMIT 1").fetchone()
    run = _start_run(connection, RunState.PAUSED, last[0] if last else "{}")
    connection.execute("UPDATE runs SET paused_at = started_at WHERE id = ?", (run.id,))
    return run


def _start_run(connection: Connection, state: RunState, settings_json: str) -> Run:
    is_resumed = connection.execute("SELECT 1 FROM runs LIMIT 1").fetchone() is not None
    row = connection.execute(
        "INSERT INTO runs (state, settings, started_at, first_visit_id, first_event_id)"
        f" VALUES (?, ?, now_s(), {LAST_ID.format(table='visits')}, {LAST_ID.format(table='domain_events')})"
        " RETURNING id, started_at",
        (state, settings_json),
    ).fetchone()
    # A new run has new budgets: what the last one parked may go on.
    _wake_parked(connection)
    return Run(id=row[0], state=state, started_at=row[1], pages=0, is_resumed=is_resumed)


def _find_last(connection: Connection) -> LastRun | None:
    row = connection.execute(
        "SELECT id, state, started_at, pages, settings,"
        " (SELECT count(*) FROM workers WHERE run_id = runs.id AND ended_at IS NULL"
        "   AND heartbeat_at > now_s() - ?),"
        " EXISTS (SELECT 1 FROM domains WHERE avail_at <= now_s()) FROM runs ORDER BY id DESC LIMIT 1",
        (LOST_AFTER_S,),
    ).fetchone()
    if row is None:
        return None
    run = Run(id=row[0], state=RunState(row[1]), started_at=row[2], pages=row[3], is_resumed=True)
    return LastRun(run=run, settings_json=row[4], live_workers=row[5], can_claim=bool(row[6]))


def _find_state(connection: Connection, run_id: int) -> RunState:
    return RunState(connection.execute("SELECT state FROM runs WHERE id = ?", (run_id,)).fetchone()[0])


def _may_join(connection: Connection, run_id: int, reopens: bool) -> bool:
    state, cancelled_at = connection.execute(
        "SELECT state, cancelled_at FROM runs WHERE id = ?", (run_id,)
    ).fetchone()
    return may_join(RunState(state), cancelled_at, reopens=reopens)


def _add_worker(connection: Connection, run_id: int, uuid: str, host: str, pid: int) -> int:
    # The last of the others may have closed the run since it was opened.
    connection.execute("UPDATE runs SET state = ?, ended_at = NULL WHERE id = ?", (RunState.RUNNING, run_id))
    row = connection.execute(
        "INSERT INTO workers (uuid, run_id, host, pid, started_at, heartbeat_at)"
        " VALUES (?, ?, ?, ?, now_s(), now_s())"
        " ON CONFLICT (uuid) DO UPDATE SET heartbeat_at = now_s() RETURNING id",
        (uuid, run_id, host, pid),
    ).fetchone()
    return int(row[0])


def _reopen(connection: Connection, reasons: Sequence[RefusalReason]) -> int:
    marks = ", ".join("?" for _ in reasons)
    reopened = connection.execute(
        "UPDATE urls SET due_at = now_s(), fate = 'queued', reason = NULL, detail = NULL"
        f" WHERE fate = 'refused' AND reason IN ({marks})",
        reasons,
    ).rowcount
    connection.execute(
        "UPDATE domains SET queued = (SELECT count(*) FROM urls"
        "   WHERE urls.domain_id = domains.id AND due_at IS NOT NULL)"
    )
    _wake_parked(connection)
    return reopened


def _wake_parked(connection: Connection) -> None:
    """Those whose budget was used up; the longer they have waited the earlier, which keeps their order."""
    now = connection.execute("SELECT now_s()").fetchone()[0]
    asleep = connection.execute(f"SELECT id FROM domains WHERE {PARKED} AND status = 'exhausted'").fetchall()
    note_wakes(connection, (row[0] for row in asleep), now)
    connection.execute(
        "UPDATE domains SET avail_at = max(?1 - (?1 - coalesce(ready_at, 0)) / 1e9, coalesce(ready_at, 0)),"
        f" status = CASE WHEN status = 'exhausted' THEN 'active' ELSE status END WHERE {PARKED}",
        (now,),
    )


def _link_urls(packed: bytes) -> list[str]:
    return [link[0] for link in orjson.loads(zstandard.decompress(packed))]


def _end_run(connection: Connection, run_id: int, state: RunState, worker_id: int) -> bool:
    # The worker leaves in the same transaction: of two that end at once, the later closes the run.
    connection.execute("UPDATE workers SET ended_at = now_s() WHERE id = ?", (worker_id,))
    others = connection.execute(
        "SELECT 1 FROM workers WHERE run_id = ? AND ended_at IS NULL AND heartbeat_at > now_s() - ? LIMIT 1",
        (run_id, LOST_AFTER_S),
    ).fetchone()
    if others is None and state is not RunState.PAUSED:
        connection.execute(
            "UPDATE runs SET state = ?, ended_at = now_s() WHERE id = ? AND state = 'running'",
            (state, run_id),
        )
    return others is None and _find_state(connection, run_id) not in GOES_ON


def _bury(connection: Connection, dead: Sequence[DeadWorker]) -> int:
    freed = 0
    for worker in dead:
        row = connection.execute(
            "SELECT id FROM workers WHERE uuid = ? AND ended_at IS NULL", (worker.uuid,)
        ).fetchone()
        if row is None:
            continue
        # Its last request may never have been committed: the domain rests from its last sign of life.
        freed += connection.execute(
            "UPDATE domains SET claimed_by = NULL, claim_expires_at = NULL, version = version + 1,"
            " avail_at = now_s(), last_start_at = max(coalesce(last_start_at, 0), ?2),"
            " last_answer_at = max(coalesce(last_answer_at, 0), ?2) WHERE claimed_by = ?1",
            (row[0], worker.last_alive_at),
        ).rowcount
        if worker.reading_url_id is not None:
            connection.execute("UPDATE urls SET crashes = crashes + 1 WHERE id = ?", (worker.reading_url_id,))
        connection.execute("UPDATE workers SET ended_at = now_s(), is_buried = 1 WHERE id = ?", (row[0],))
    return freed
