"""The benchmark's own PostgreSQL server, as durable as in production, and its resource usage."""

import asyncio
import contextlib
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg
import psutil  # type: ignore[import-untyped]

from tenax.stores.place import Place
from tenax.stores.postgres.backend import migrate
from tests.support.servers import PostgresServer

# fsync and synchronous_commit are on, as by default. docs/scale-out.md lists the same options.
OPTIONS = ("shared_buffers=512MB", "max_wal_size=4GB", "wal_compression=on", "max_connections=100")


@dataclass(frozen=True, slots=True, kw_only=True)
class Expense:
    """The usage between two measurements of the server."""

    cpu_s: float
    wal_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TableState:
    rows: int
    bytes: int  # with its indexes and TOAST data
    index_bytes: int
    updates: int
    hot_updates: int  # those that touched no index
    dead: int  # row versions that wait for a vacuum


class Server:
    def __init__(self, server: PostgresServer) -> None:
        self._server = server
        self.version = query(server.url, "SHOW server_version")[0][0].split()[0]

    @contextlib.contextmanager
    def make_database(self) -> Iterator[str]:
        """Create a database with the schema and yield its address; drop it afterwards."""
        name = f"bench_{uuid.uuid4().hex[:8]}"
        execute(self._server.url, f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'")
        url = f"{self._server.url.rpartition('/')[0]}/{name}"
        try:
            migrate(Place(folder=Path("/nowhere"), url=url))
            execute(url, "CHECKPOINT")
            yield url
        finally:
            execute(self._server.url, f"DROP DATABASE {name} WITH (FORCE)")

    def look(self) -> Expense:
        """Measure all its processes since its start, including those of sessions that have ended."""
        (position,) = query(self._server.url, "SELECT pg_current_wal_lsn() - '0/0'")[0]
        while True:
            # A session that ends meanwhile is counted among those that have ended.
            with contextlib.suppress(psutil.NoSuchProcess):
                return Expense(cpu_s=_sum_cpu(psutil.Process(self._server.pid)), wal_bytes=int(position))


def _sum_cpu(process: psutil.Process) -> float:
    times = [each.cpu_times() for each in (process, *process.children())]
    ended_s = times[0].children_user + times[0].children_system
    return float(ended_s + sum(each.user + each.system for each in times))


@contextlib.contextmanager
def start_server() -> Iterator[Server]:
    server = PostgresServer(*OPTIONS)
    try:
        server.start()
        yield Server(server)
    finally:
        server.close()


def tidy(url: str) -> None:
    """What the server would do later on because of what was written: it belongs to the costs."""
    execute(url, "VACUUM (ANALYZE)")
    execute(url, "CHECKPOINT")


def subtract(after: Expense, before: Expense) -> Expense:
    return Expense(cpu_s=after.cpu_s - before.cpu_s, wal_bytes=after.wal_bytes - before.wal_bytes)


def look_at_table(url: str, name: str) -> TableState:
    """`name`: of a table; the parts of a partitioned one are added up."""
    rows = query(
        url,
        "SELECT sum(pg_total_relation_size(relid)), sum(pg_indexes_size(relid)), sum(n_tup_upd),"
        " sum(n_tup_hot_upd), sum(n_dead_tup) FROM pg_stat_user_tables"
        " WHERE relname = $1 OR relname LIKE $1 || '\\_%'",
        name,
    )
    total, indexes, updates, hot_updates, dead = map(int, rows[0])
    return TableState(
        rows=query(url, f"SELECT count(*) FROM {name}")[0][0],
        bytes=total,
        index_bytes=indexes,
        updates=updates,
        hot_updates=hot_updates,
        dead=dead,
    )


def query(url: str, sql: str, *arguments: Any) -> list[Any]:
    async def ask() -> list[Any]:
        connection = await asyncpg.connect(url)
        try:
            return list(await connection.fetch(sql, *arguments))
        finally:
            await connection.close()

    return asyncio.run(ask())


def execute(url: str, sql: str) -> None:
    query(url, sql)
