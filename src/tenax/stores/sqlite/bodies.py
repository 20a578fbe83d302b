"""Segments and bodies in SQLite. See contracts/bodies.py."""

from collections.abc import Sequence

from tenax.records.bodies import KnownBody, Segment
from tenax.stores.contracts.batches import Batch, DomainWork
from tenax.stores.hot.bodies import (
    FORGET,
    KNOWN_COLUMNS,
    LIST_UNFINISHED,
    NOTE_FOUND,
    NOTE_LOST,
    OPEN_SEGMENT,
    SAVE_BODIES,
    SEAL,
    find_bodies,
    read_known,
    read_segments,
)
from tenax.stores.hot.column_lists import BODY_NAMES, VISIT_BODY_NAMES, join_marks, join_names
from tenax.stores.sqlite.connection.database import Connection, SqliteDatabase

_OPEN_SEGMENT = OPEN_SEGMENT.format(marks="?, ?, ?", now="wall_s()")
_SEAL = SEAL.format(mark="?", now="wall_s()")
_FORGET = FORGET.format(mark="?")
_NOTE_FILE = {True: NOTE_FOUND.format(mark="?"), False: NOTE_LOST.format(mark="?")}
_FIND = f"""
    SELECT {KNOWN_COLUMNS}
    FROM bodies b
    JOIN segments s ON s.id = b.segment_id
    WHERE b.hash = ? AND s.state IN ('open', 'sealed')
"""
_SAVE_BODIES = SAVE_BODIES.format(rows=f"VALUES ({join_marks(BODY_NAMES)})")
_FIND_STATE = "SELECT state FROM segments WHERE id = ?"
_GROW = "UPDATE segments SET bytes = max(bytes, ?), bodies = bodies + ? WHERE id = ?"
_SAVE_VISITS = f"""
    INSERT INTO visit_bodies ({join_names(VISIT_BODY_NAMES)})
    VALUES ({join_marks(VISIT_BODY_NAMES)})
"""


class SqliteBodies:
    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    async def open_segment(self, key: str, machine: str, worker_id: int) -> int:
        values = (key, machine, worker_id)
        row = await self._database.write(
            lambda connection: connection.execute(_OPEN_SEGMENT, values).fetchone()
        )
        return int(row[0])

    async def seal(self, segment_id: int) -> int:
        row = await self._database.write(
            lambda connection: connection.execute(_SEAL, (segment_id,)).fetchone()
        )
        return int(row[0]) if row else 0

    async def list_unfinished(self) -> list[Segment]:
        rows = await self._database.read(lambda connection: connection.execute(LIST_UNFINISHED).fetchall())
        return read_segments(rows)

    async def forget(self, segment_id: int) -> None:
        await self._database.write(lambda connection: connection.execute(_FORGET, (segment_id,)))

    async def note_file(self, segment_id: int, *, is_there: bool) -> None:
        await self._database.write(lambda connection: connection.execute(_NOTE_FILE[is_there], (segment_id,)))

    async def find(self, digests: Sequence[bytes]) -> dict[bytes, KnownBody]:
        return await self._database.read(lambda connection: _find(connection, digests))


def _find(connection: Connection, digests: Sequence[bytes]) -> dict[bytes, KnownBody]:
    return read_known(row for digest in digests for row in connection.execute(_FIND, (digest,)))


def save_bodies(connection: Connection, batch: Batch, works: Sequence[DomainWork]) -> None:
    """The caller is inside the transaction of a batch, and holds the domains."""
    found = find_bodies(batch, works)
    if found is None:
        return
    states = {
        segment_id: row[0]
        for segment_id in {*found.list_segments(is_new=True), *found.list_segments(is_new=False)}
        if (row := connection.execute(_FIND_STATE, (segment_id,)).fetchone()) is not None
    }
    kept = found.keep(states)
    ids = {}
    for values in kept.body_rows():
        body_id, digest, uses = connection.execute(_SAVE_BODIES, values).fetchone()
        ids[digest] = (body_id, uses)
    connection.executemany(_SAVE_VISITS, kept.visit_rows(batch, ids))
    for segment_id, (end, number) in kept.count_new(ids).items():
        connection.execute(_GROW, (end, number, segment_id))
