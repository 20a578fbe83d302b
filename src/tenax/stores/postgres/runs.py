"""Runs and workers in PostgreSQL. See base.RunStore."""

from collections.abc import Sequence

import orjson
import zstandard

from tenax.records import RefusalReason, RunState
from tenax.stores.base import LOST_AFTER_S, DeadWorker, Grant, LastRun, PageLinks, Run
from tenax.stores.postgres.database import Database
from tenax.stores.postgres.events import note_wakes
from tenax.stores.postgres.line import Connection
from tenax.stores.postgres.partitions import Partitions
from tenax.stores.postgres.shares import grant_pages, return_pages
from tenax.stores.rows import PARKED
from tenax.stores.run_states import GOES_ON, LAST_ID, UNDER_WAY, may_join

# Held by whoever opens a run: of two that find none under way only one starts it.
RUNS_LOCK = 0x7E4A_0003


class PostgresRuns:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def open_run(self, settings_json: str) -> Run:
        return await self._database.write(
            lambda connection: _open_run(connection, settings_json), is_slow=True
        )

    async def reserve_run(self) -> Run | None:
        return await self._database.write(_reserve_run, is_slow=True)

    async def find_state(self, run_id: int) -> RunState:
        return await self._database.read(lambda connection: _find_state(connection, run_id))

    async def end_run(self, run_id: int, state: RunState, worker_id: int) -> bool:
        return await self._database.write(lambda connection: _end_run(connection, run_id, state, worker_id))

    async def reopen_refused(self, reasons: Sequence[RefusalReason]) -> int:
        return await self._database.write(lambda connection: _reopen(connection, reasons), is_slow=True)

    async def stored_links(self, after_id: int, limit: int) -> list[PageLinks]:
        rows = await self._database.read(
            lambda connection: connection.fetch(
                "SELECT p.url_id, u.depth, p.links FROM pages p JOIN urls u ON u.id = p.url_id"
                " WHERE p.url_id > $1 ORDER BY p.url_id LIMIT $2",
                after_id,
                limit,
            )
        )
        return [PageLinks(url_id=row[0], depth=row[1], links=tuple(_link_urls(row[2]))) for row in rows]

    async def find_last(self) -> LastRun | None:
        return await self._database.read(_find_last)

    async def add_worker(
        self, run_id: int, uuid: str, host: str, pid: int, *, reopens: bool = True
    ) -> int | None:
        await Partitions(self._database).make_ahead()

        async def join(connection: Connection) -> int | None:
            if not await _may_join(connection, run_id, reopens):
                return None
            return await _add_worker(connection, run_id, uuid, host, pid)

        return await self._database.write(join)

    async def bury(self, dead: Sequence[DeadWorker]) -> int:
        return await self._database.write(lambda connection: _bury(connection, dead))

    async def grant(self, worker_id: int, run_id: int, wanted: int, limit: int) -> Grant:
        return await self._database.write(
            lambda connection: grant_pages(connection, worker_id, run_id, wanted, limit)
        )

    async def return_pages(self, worker_id: int, pages: int) -> None:
        await self._database.write(lambda connection: return_pages(connection, worker_id, pages))


async def _open_run(connection: Connection, settings_json: str) -> Run:
    await connection.execute("SELECT pg_advisory_xact_lock($1)", RUNS_LOCK)
    row = await connection.fetchrow(
        "UPDATE runs SET settings = $1, state = 'running', paused_at = NULL WHERE id = (SELECT id FROM runs"
        f"  WHERE {UNDER_WAY} ORDER BY id DESC LIMIT 1 FOR UPDATE) RETURNING id, started_at, pages",
        settings_json,
    )
    if row is not None:
        return Run(id=row[0], state=RunState.RUNNING, started_at=row[1], pages=row[2], is_resumed=True)
    return await _start_run(connection, RunState.RUNNING, settings_json)


async def _reserve_run(connection: Connection) -> Run | None:
    await connection.execute("SELECT pg_advisory_xact_lock($1)", RUNS_LOCK)
    if await connection.fetchval(f"SELECT EXISTS (SELECT 1 FROM runs WHERE {UNDER_WAY})"):
        return None
    last = await connection.fetchval("SELECT settings FROM runs ORDER BY id DESC LIMIT 1")
    run = await _start_run(connection, RunState.PAUSED, last or "{}")
    await connection.execute("UPDATE runs SET paused_at = started_at WHERE id = $1", run.id)
    return run


async def _start_run(connection: Connection, state: RunState, settings_json: str) -> Run:
    is_resumed = await connection.fetchval("SELECT EXISTS (SELECT 1 FROM runs)")
    row = await connection.fetchrow(
        "INSERT INTO runs (state, settings, started_at, first_visit_id, first_event_id)"
        f" VALUES ($1, $2, tenax_now(), {LAST_ID.format(table='visits')},"
        f" {LAST_ID.format(table='domain_events')}) RETURNING id, started_at",
        state,
        settings_json,
    )
    # A new run has new budgets: what the last one parked may go on.
    await _wake_parked(connection)
    return Run(id=row[0], state=state, started_at=row[1], pages=0, is_resumed=is_resumed)


async def _find_last(connection: Connection) -> LastRun | None:
    row = await connection.fetchrow(
        "WITH clock AS MATERIALIZED (SELECT tenax_now() AS now)"
        " SELECT id, state, started_at, pages, settings,"
        "  (SELECT count(*) FROM workers WHERE run_id = last.id AND ended_at IS NULL"
        "   AND heartbeat_at > clock.now - $1::float8),"
        "  EXISTS (SELECT 1 FROM domains WHERE avail_at <= clock.now"
        "   AND (claim_expires_at IS NULL OR claim_expires_at <= clock.now))"
        " FROM (SELECT * FROM runs ORDER BY id DESC LIMIT 1) last CROSS JOIN clock",
        LOST_AFTER_S,
    )
    if row is None:
        return None
    run = Run(id=row[0], state=RunState(row[1]), started_at=row[2], pages=row[3], is_resumed=True)
    return LastRun(run=run, settings_json=row[4], live_workers=row[5], can_claim=row[6])


async def _find_state(connection: Connection, run_id: int) -> RunState:
    return RunState(await connection.fetchval("SELECT state FROM runs WHERE id = $1", run_id))


async def _may_join(connection: Connection, run_id: int, reopens: bool) -> bool:
    # Held: nobody closes or pauses it before the worker has joined.
    state, cancelled_at = await connection.fetchrow(
        "SELECT state, cancelled_at FROM runs WHERE id = $1 FOR UPDATE", run_id
    )
    return may_join(RunState(state), cancelled_at, reopens=reopens)


async def _add_worker(connection: Connection, run_id: int, uuid: str, host: str, pid: int) -> int:
    # The last of the others may have closed the run since it was opened.
    await connection.execute(
        "UPDATE runs SET state = $2, ended_at = NULL WHERE id = $1", run_id, RunState.RUNNING
    )
    worker_id: int = await connection.fetchval(
        "INSERT INTO workers (uuid, run_id, host, pid, started_at, heartbeat_at)"
        " VALUES ($1, $2, $3, $4, tenax_now(), tenax_now())"
        " ON CONFLICT (uuid) DO UPDATE SET heartbeat_at = tenax_now() RETURNING id",
        uuid,
        run_id,
        host,
        pid,
    )
    return worker_id


async def _reopen(connection: Connection, reasons: Sequence[RefusalReason]) -> int:
    reopened: int = await connection.fetchval(
        "WITH reopened AS (UPDATE urls SET due_at = tenax_now(), fate = 'queued', reason = NULL,"
        "   detail = NULL WHERE fate = 'refused' AND reason = ANY($1::text[]) RETURNING domain_id),"
        " counts AS (SELECT domain_id, count(*) AS number FROM reopened GROUP BY domain_id),"
        " moved AS (UPDATE domains d SET queued = d.queued + counts.number FROM counts"
        "   WHERE d.id = counts.domain_id)"
        " SELECT coalesce(sum(number), 0)::bigint FROM counts",
        list(reasons),
    )
    await _wake_parked(connection)
    return reopened


async def _wake_parked(connection: Connection) -> None:
    """Those whose budget was used up; the longer they have waited the earlier, which keeps their order."""
    rows = await connection.fetch(
        f"SELECT id, tenax_now() FROM domains WHERE {PARKED} ORDER BY id FOR UPDATE"
    )
    if not rows:
        return
    ids, now = [row[0] for row in rows], rows[0][1]
    await note_wakes(connection, ids, now)
    await connection.execute(
        "UPDATE domains SET avail_at = greatest($1::float8 - ($1::float8 - coalesce(ready_at, 0)) / 1e9,"
        "   ready_at),"
        " status = CASE WHEN status = 'exhausted' THEN 'active' ELSE status END WHERE id = ANY($2::bigint[])",
        now,
        ids,
    )


def _link_urls(packed: bytes) -> list[str]:
    return [link[0] for link in orjson.loads(zstandard.decompress(packed))]


async def _end_run(connection: Connection, run_id: int, state: RunState, worker_id: int) -> bool:
    # Of two that end at once each would otherwise see the other still at work.
    await connection.execute("SELECT 1 FROM runs WHERE id = $1 FOR UPDATE", run_id)
    await connection.execute("UPDATE workers SET ended_at = tenax_now() WHERE id = $1", worker_id)
    has_others = await connection.fetchval(
        "SELECT EXISTS (SELECT 1 FROM workers WHERE run_id = $1 AND ended_at IS NULL"
        "   AND heartbeat_at > tenax_now() - $2::float8)",
        run_id,
        LOST_AFTER_S,
    )
    if not has_others and state is not RunState.PAUSED:
        await connection.execute(
            "UPDATE runs SET state = $2, ended_at = tenax_now() WHERE id = $1 AND state = 'running'",
            run_id,
            state,
        )
    return not has_others and await _find_state(connection, run_id) not in GOES_ON


async def _bury(connection: Connection, dead: Sequence[DeadWorker]) -> int:
    freed = 0
    for worker in sorted(dead, key=lambda each: each.uuid):
        worker_id = await connection.fetchval(
            "UPDATE workers SET ended_at = tenax_now(), is_buried = 1 WHERE uuid = $1 AND ended_at IS NULL"
            " RETURNING id",
            worker.uuid,
        )
        if worker_id is None:
            continue
        if worker.reading_url_id is not None:
            await connection.execute(
                "UPDATE urls SET crashes = crashes + 1 WHERE id = $1", worker.reading_url_id
            )
        # Its last request may never have been committed: the domain rests from its last sign of life.
        rows = await connection.fetch(
            "UPDATE domains SET claimed_by = NULL, claim_expires_at = NULL, version = version + 1,"
            " avail_at = tenax_now(), last_start_at = greatest(last_start_at, $2::float8),"
            " last_answer_at = greatest(last_answer_at, $2::float8)"
            " WHERE id = ANY(ARRAY(SELECT id FROM domains WHERE claimed_by = $1 ORDER BY id FOR UPDATE))"
            " RETURNING id",
            worker_id,
            worker.last_alive_at,
        )
        freed += len(rows)
    return freed
