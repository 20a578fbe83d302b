"""A SQLite file as rows. See copy/base.py."""

import contextlib
from collections.abc import AsyncIterator, Sequence

import orjson

from tenax.clock import Clock, MachineClock
from tenax.stores.copy.base import FIND_COPY, CopyNote, Key, Row, TableShape, read_copy, refuse_occupied
from tenax.stores.copy.rows import SHAPES, format_read, key_of
from tenax.stores.hot.statements import COUNT_ROWS, FIND_ANY_ROW, SAVE_REACHED
from tenax.stores.layout import STORE_NAME
from tenax.stores.place import Place
from tenax.stores.sqlite.connection.clock import forget_time
from tenax.stores.sqlite.connection.database import Connection, SqliteDatabase


@contextlib.asynccontextmanager
async def open_rows(place: Place, clock: MachineClock) -> AsyncIterator["SqliteRows"]:
    async with SqliteDatabase(place.folder / STORE_NAME, clock) as database:
        yield SqliteRows(database, place)


_INSERT_COPY = """
    INSERT INTO copies (id, source, fingerprint, started_at, reached)
    VALUES (1, ?, ?, ?, '{}')
"""


class SqliteRows:
    def __init__(self, database: SqliteDatabase, place: Place) -> None:
        self._database = database
        self.place = place
        self.clock: Clock = database.clock

    async def count(self, shape: TableShape) -> int:
        row = await self._database.read(
            lambda connection: connection.execute(COUNT_ROWS.format(table=shape.name)).fetchone()
        )
        return int(row[0])

    async def read(self, shape: TableShape, after: Key, limit: int) -> list[Row]:
        statement = format_read(shape, "?1", limit)
        return await self._database.read(
            lambda connection: connection.execute(statement, (after,)).fetchall()
        )

    def fit(self, rows: Sequence[Row]) -> Sequence[Row]:
        return rows

    async def find_copy(self) -> CopyNote | None:
        return await self._database.read(_find_copy)

    async def begin_copy(self, copy: CopyNote) -> CopyNote:
        return await self._database.write(lambda connection: self._begin(connection, copy))

    async def append(self, shape: TableShape, after: Key, rows: Sequence[Row]) -> Key:
        return await self._database.write(lambda connection: _append(connection, shape, after, rows))

    async def end_copy(self, shapes: Sequence[TableShape]) -> None:
        await self._database.write(_end)

    def _begin(self, connection: Connection, copy: CopyNote) -> CopyNote:
        found = _find_copy(connection)
        if found is not None:
            return found
        held = (connection.execute(FIND_ANY_ROW.format(table=shape.name)).fetchone() for shape in SHAPES)
        refuse_occupied(self.place, any(held))
        connection.execute(_INSERT_COPY, (copy.source, copy.fingerprint, copy.started_at))
        return copy


def _find_copy(connection: Connection) -> CopyNote | None:
    row = connection.execute(FIND_COPY).fetchone()
    return None if row is None else read_copy(row)


def _end(connection: Connection) -> None:
    # Ids continue after the highest one by themselves.
    connection.execute("UPDATE copies SET ended_at = wall_s() WHERE ended_at IS NULL")
    forget_time(connection)


def _append(connection: Connection, shape: TableShape, after: Key, rows: Sequence[Row]) -> Key:
    copy = _find_copy(connection)
    assert copy is not None, "begin_copy comes first"
    reached = copy.reached.get(shape.name, shape.origin)
    if reached != after or copy.ended_at is not None:
        return reached
    columns = ", ".join(f'"{name}"' for name in shape.columns)
    marks = ", ".join("?" * len(shape.columns))
    connection.executemany(f"INSERT INTO {shape.name} ({columns}) VALUES ({marks})", rows)
    last = key_of(shape, rows[-1])
    noted = orjson.dumps({**copy.reached, shape.name: last}).decode()
    connection.execute(SAVE_REACHED, (noted,))
    return last
