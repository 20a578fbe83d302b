"""Segments and bodies in PostgreSQL. See contracts/bodies.py."""

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
from tenax.stores.hot.column_lists import BODY_NAMES, VISIT_BODY_NAMES, join_arrays, join_names
from tenax.stores.hot.columns import BODIES, VISIT_BODIES
from tenax.stores.postgres.connection.database import PostgresDatabase
from tenax.stores.postgres.connection.protocol import Connection
from tenax.stores.postgres.frontier.statements import to_arrays

_OPEN_SEGMENT = OPEN_SEGMENT.format(marks="$1, $2, $3", now="tenax_now()")
_SEAL = SEAL.format(mark="$1", now="tenax_now()")
_FORGET = FORGET.format(mark="$1")
_NOTE_FILE = {True: NOTE_FOUND.format(mark="$1"), False: NOTE_LOST.format(mark="$1")}
_FIND = f"""
    SELECT {KNOWN_COLUMNS}
    FROM bodies b
    JOIN segments s ON s.id = b.segment_id
    WHERE b.hash = ANY($1::bytea[]) AND s.state IN ('open', 'sealed')
"""
# While bodies in them are named, segments cannot be dropped, nor those sealed that have new ones. Other
# workers may still add to theirs.
_LOCK_SEGMENTS = """
    SELECT id, state
    FROM segments
    WHERE id = ANY($1::bigint[])
    ORDER BY id
    FOR {strength}
"""
_LOCK_KNOWN = _LOCK_SEGMENTS.format(strength="KEY SHARE")
_LOCK_OWN = _LOCK_SEGMENTS.format(strength="NO KEY UPDATE")
_SAVE_BODIES = SAVE_BODIES.format(rows=f"SELECT * FROM unnest({join_arrays(BODY_NAMES, BODIES)})")
_GROW = "UPDATE segments SET bytes = greatest(bytes, $2), bodies = bodies + $3 WHERE id = $1"
_SAVE_VISITS = f"""
    INSERT INTO visit_bodies ({join_names(VISIT_BODY_NAMES)})
    SELECT * FROM unnest({join_arrays(VISIT_BODY_NAMES, VISIT_BODIES)})
"""


class PostgresBodies:
    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    async def open_segment(self, key: str, machine: str, worker_id: int) -> int:
        return int(
            await self._database.write(
                lambda connection: connection.fetchval(_OPEN_SEGMENT, key, machine, worker_id)
            )
        )

    async def seal(self, segment_id: int) -> int:
        found = await self._database.write(lambda connection: connection.fetchval(_SEAL, segment_id))
        return int(found or 0)

    async def list_unfinished(self) -> list[Segment]:
        rows = await self._database.read(lambda connection: connection.fetch(LIST_UNFINISHED))
        return read_segments(map(tuple, rows))

    async def forget(self, segment_id: int) -> None:
        await self._database.write(lambda connection: connection.execute(_FORGET, segment_id))

    async def note_file(self, segment_id: int, *, is_there: bool) -> None:
        await self._database.write(lambda connection: connection.execute(_NOTE_FILE[is_there], segment_id))

    async def find(self, digests: Sequence[bytes]) -> dict[bytes, KnownBody]:
        rows = await self._database.read(lambda connection: connection.fetch(_FIND, list(digests)))
        return read_known(map(tuple, rows))


async def save_bodies(connection: Connection, batch: Batch, works: Sequence[DomainWork]) -> None:
    """The caller is inside the transaction of a batch."""
    found = find_bodies(batch, works)
    if found is None:
        return
    known = await connection.fetch(_LOCK_KNOWN, found.list_segments(is_new=False))
    own = await connection.fetch(_LOCK_OWN, found.list_segments(is_new=True))
    kept = found.keep(dict(map(tuple, [*known, *own])))
    if not kept.visits:
        return
    saved = await connection.fetch(_SAVE_BODIES, *to_arrays(kept.body_rows()))
    ids = {bytes(digest): (body_id, uses) for body_id, digest, uses in saved}
    await connection.execute(_SAVE_VISITS, *to_arrays(kept.visit_rows(batch, ids)))
    for segment_id, (end, number) in kept.count_new(ids).items():
        await connection.execute(_GROW, segment_id, end, number)
