"""Classes of urls in SQLite. See stores/hot/merging.py."""

from collections import Counter
from collections.abc import Sequence

from tenax.clock import Instant
from tenax.records.jobs import NO_SOURCE
from tenax.stores.contracts.batches import DomainWork
from tenax.stores.contracts.merging import Classified, ClassName, MergeCandidate, Representative
from tenax.stores.hot.merging import LEAST_KEY, QUEUED_AGAIN, STANDS, iter_failed, list_visited, read_member
from tenax.stores.hot.statements import (
    CLEAR_CLASSES,
    LEAVE_TO_OTHERS,
    LIST_DOMAIN_MEMBERS,
    LIST_LEARNED,
    LIST_MEMBERS,
)
from tenax.stores.sqlite.connection.database import Connection, SqliteDatabase
from tenax.stores.sqlite.runs import wake_parked

_OF_SOURCE = "domain_id IN (SELECT id FROM domains WHERE source_id = ?)"
_FIND_STANDING = f"""
    SELECT id, key, url
    FROM urls
    WHERE domain_id = ?1
        AND key = ?2
        AND {STANDS}
    UNION ALL
    SELECT id, key, url
    FROM urls
    WHERE domain_id = ?1
        AND class_key = ?2
        AND {STANDS}
    ORDER BY id
    LIMIT 1
"""


class SqliteMerges:
    def __init__(self, database: SqliteDatabase, source_id: int = NO_SOURCE) -> None:
        self._database = database
        self._source_id = source_id

    async def find_standing(self, classes: Sequence[ClassName]) -> dict[ClassName, Representative]:
        return await self._database.read(lambda connection: _find_standing(connection, classes))

    async def forget_classes(self) -> int:
        return await self._database.write(lambda connection: _forget_classes(connection, self._source_id))

    async def list_members(self, after_id: int, limit: int) -> list[MergeCandidate]:
        return await self._database.read(
            lambda connection: _list_members(connection, self._source_id, after_id, limit)
        )

    async def list_domain_members(
        self, domain_id: int, after_key: int | None, limit: int
    ) -> list[MergeCandidate]:
        after = LEAST_KEY if after_key is None else after_key
        return await self._database.read(
            lambda connection: [
                read_member(row) for row in connection.execute(LIST_DOMAIN_MEMBERS, (domain_id, after, limit))
            ]
        )

    async def list_learned(self) -> list[tuple[str, str]]:
        return await self._database.read(
            lambda connection: connection.execute(LIST_LEARNED, (self._source_id,)).fetchall()
        )

    async def save_classes(self, classified: Sequence[Classified]) -> None:
        await self._database.write(lambda connection: _save_classes(connection, classified))


def settle_classes(connection: Connection, works: Sequence[DomainWork], now: Instant) -> Counter[int]:
    """Store the classes of a batch's urls, after their fates, and queue the next url of a class if none
    stands for it any more. Returns how many were queued, by domain."""
    revived: Counter[int] = Counter()
    if not any(work.has_classes for work in works):
        return revived
    connection.executemany("UPDATE urls SET class_key = ?, merged_key = ? WHERE id = ?", list_visited(works))
    for domain_id, class_key, wanted_key in iter_failed(works):
        if connection.execute(_FIND_STANDING, (domain_id, class_key)).fetchone() is None:
            revived[domain_id] += _revive(connection, domain_id, class_key, wanted_key, now)
    return revived


_FIND_NEXT_OF_CLASS = """
    SELECT id
    FROM urls
    WHERE domain_id = ?1
        AND key = ?3
        AND merged_key = ?2
        AND due_at IS NULL
    UNION ALL
    SELECT id
    FROM (
        SELECT id
        FROM urls
        WHERE domain_id = ?1
            AND merged_key = ?2
            AND due_at IS NULL
        ORDER BY id
        LIMIT 1
    )
    LIMIT 1
"""


def _revive(connection: Connection, domain_id: int, class_key: int, wanted_key: int, now: Instant) -> int:
    row = connection.execute(_FIND_NEXT_OF_CLASS, (domain_id, class_key, wanted_key)).fetchone()
    if row is None:
        return 0
    connection.execute(f"UPDATE urls SET due_at = ?, {QUEUED_AGAIN} WHERE id = ?", (now, row[0]))
    return 1


def _find_standing(connection: Connection, classes: Sequence[ClassName]) -> dict[ClassName, Representative]:
    found = {}
    for name in classes:
        row = connection.execute(_FIND_STANDING, name).fetchone()
        if row is not None:
            found[name] = Representative(key=row[1], url=row[2])
    return found


_COUNT_MERGED = f"""
    SELECT domain_id, count(*)
    FROM urls
    WHERE merged_key IS NOT NULL
        AND due_at IS NULL
        AND {_OF_SOURCE}
    GROUP BY domain_id
"""
_QUEUE_MERGED = f"""
    UPDATE urls
    SET due_at = coalesce(due_at, now_s()), {QUEUED_AGAIN}
    WHERE merged_key IS NOT NULL AND {_OF_SOURCE}
"""


def _forget_classes(connection: Connection, source_id: int) -> int:
    connection.execute(CLEAR_CLASSES, (source_id,))
    connection.execute(LEAVE_TO_OTHERS, (source_id,))
    rows = connection.execute(_COUNT_MERGED, (source_id,)).fetchall()
    connection.execute(_QUEUE_MERGED, (source_id,))
    connection.executemany(
        "UPDATE domains SET queued = queued + ? WHERE id = ?",
        [(number, domain_id) for domain_id, number in rows],
    )
    wake_parked(connection, source_id)
    return sum(number for _, number in rows)


def _list_members(connection: Connection, source_id: int, after_id: int, limit: int) -> list[MergeCandidate]:
    rows = connection.execute(LIST_MEMBERS, (after_id, source_id, limit))
    return [read_member(row) for row in rows]


_SAVE_CLASSES = """
    UPDATE urls
    SET class_key = ?, reason = CASE WHEN ? THEN 'merged' ELSE reason END
    WHERE id = ?
"""


def _save_classes(connection: Connection, classified: Sequence[Classified]) -> None:
    connection.executemany(
        _SAVE_CLASSES, [(each.class_key, int(each.is_led_back), each.id) for each in classified]
    )
