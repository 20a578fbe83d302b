"""A PostgreSQL database as rows. See copy/base.py."""

import contextlib
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from typing import Any

import orjson

from tenax.clock import Clock, MachineClock
from tenax.records.products import from_millionths, to_millionths
from tenax.stores.copy.base import FIND_COPY, CopyNote, Key, Row, TableShape, read_copy, refuse_occupied
from tenax.stores.copy.rows import SHAPES, format_read, key_of
from tenax.stores.hot.parameters import to_postgres
from tenax.stores.hot.statements import CLEAR_CLOCK, COUNT_ROWS, FIND_ANY_ROW, SAVE_REACHED
from tenax.stores.place import Place
from tenax.stores.postgres.backend import open_database
from tenax.stores.postgres.connection.database import PostgresDatabase
from tenax.stores.postgres.connection.protocol import Connection
from tenax.stores.postgres.frontier.statements import without_nul
from tenax.stores.postgres.schema.partitions import Partitions

_SAVE_REACHED = to_postgres(SAVE_REACHED)


@contextlib.asynccontextmanager
async def open_rows(place: Place, clock: MachineClock) -> AsyncIterator["PostgresRows"]:
    async with open_database(place, clock) as database:
        yield PostgresRows(database, place)


_INSERT_COPY = """
    INSERT INTO copies (id, source, fingerprint, started_at, reached)
    VALUES (1, $1, $2, $3, '{}')
    ON CONFLICT (id) DO NOTHING
"""


class PostgresRows:
    def __init__(self, database: PostgresDatabase, place: Place) -> None:
        self._database = database
        self._partitions = Partitions(database)
        self.place = place
        self.clock: Clock = database.clock

    async def count(self, shape: TableShape) -> int:
        number: int = await self._database.read_snapshot(
            lambda connection: connection.fetchval(COUNT_ROWS.format(table=shape.name))
        )
        return number

    async def read(self, shape: TableShape, after: Key, limit: int) -> list[Row]:
        statement = format_read(shape, "$1", limit)
        rows = await self._database.read(lambda connection: connection.fetch(statement, after))
        return _convert(shape, map(tuple, rows), to_millionths)

    def fit(self, rows: Sequence[Row]) -> Sequence[Row]:
        return [tuple(without_nul(row)) for row in rows]

    async def find_copy(self) -> CopyNote | None:
        return await self._database.read(_find_copy)

    async def begin_copy(self, copy: CopyNote) -> CopyNote:
        return await self._database.write(lambda connection: self._begin(connection, copy))

    async def append(self, shape: TableShape, after: Key, rows: Sequence[Row]) -> Key:
        if shape.name == "visits":
            at = shape.columns.index("at")
            await self._partitions.make_for(row[at] for row in rows)
        return await self._database.write(lambda connection: _append(connection, shape, after, rows))

    async def end_copy(self, shapes: Sequence[TableShape]) -> None:
        await self._database.write(lambda connection: _end(connection, shapes), is_slow=True)

    async def _begin(self, connection: Connection, copy: CopyNote) -> CopyNote:
        # First: if two begin concurrently, the second waits here for the first.
        await connection.execute(_INSERT_COPY, copy.source, copy.fingerprint, copy.started_at)
        # Locked: the other process must not append between reading the note and reading the tables.
        found = await _find_copy(connection, "FOR UPDATE")
        assert found is not None
        if not found.reached:
            held = [await connection.fetchval(FIND_ANY_ROW.format(table=shape.name)) for shape in SHAPES]
            refuse_occupied(self.place, any(held))
        return found


async def _find_copy(connection: Connection, lock: str = "") -> CopyNote | None:
    row = await connection.fetchrow(f"{FIND_COPY} {lock}")
    return None if row is None else read_copy(tuple(row))


async def _append(connection: Connection, shape: TableShape, after: Key, rows: Sequence[Row]) -> Key:
    copy = await _find_copy(connection, "FOR UPDATE")
    assert copy is not None, "begin_copy comes first"
    reached = copy.reached.get(shape.name, shape.origin)
    if reached != after or copy.ended_at is not None:
        return reached
    records = _convert(shape, rows, from_millionths)
    await connection.copy_records_to_table(shape.name, records=records, columns=shape.columns)
    last = key_of(shape, rows[-1])
    noted = orjson.dumps({**copy.reached, shape.name: last}).decode()
    await connection.execute(_SAVE_REACHED, noted)
    return last


def _convert(shape: TableShape, rows: Iterable[Row], convert: Callable[[Any], Any]) -> list[Row]:
    """The rows with their prices in the other form."""
    if not shape.prices:
        return list(rows)
    return [
        tuple(convert(value) if place in shape.prices else value for place, value in enumerate(row))
        for row in rows
    ]


async def _end(connection: Connection, shapes: Sequence[TableShape]) -> None:
    for shape in shapes:
        sequence = await connection.fetchval("SELECT pg_get_serial_sequence($1, $2)", shape.name, shape.key)
        if sequence is not None:
            last = f"greatest(max({shape.key}), (SELECT last_value FROM {sequence}))"
            await connection.execute(f"SELECT setval('{sequence}', {last}) FROM {shape.name}")
        # Otherwise the planner would assume that the tables are as small as before.
        await connection.execute(f"ANALYZE {shape.name}")
    await connection.execute("UPDATE copies SET ended_at = tenax_now() WHERE ended_at IS NULL")
    # Copied rows were measured by another clock: the next process that opens the store starts it again.
    await connection.execute(CLEAR_CLOCK)
