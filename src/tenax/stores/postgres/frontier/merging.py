"""Classes of urls in PostgreSQL. See stores/hot/merging.py."""

from collections import Counter
from collections.abc import Sequence

from tenax.clock import Instant
from tenax.records.jobs import NO_SOURCE
from tenax.stores.contracts.batches import DomainWork
from tenax.stores.contracts.merging import Classified, ClassName, MergeCandidate, Representative
from tenax.stores.hot.merging import LEAST_KEY, QUEUED_AGAIN, STANDS, iter_failed, list_visited, read_member
from tenax.stores.hot.parameters import to_postgres
from tenax.stores.hot.statements import (
    CLEAR_CLASSES,
    LEAVE_TO_OTHERS,
    LIST_DOMAIN_MEMBERS,
    LIST_LEARNED,
    LIST_MEMBERS,
)
from tenax.stores.postgres.connection.database import PostgresDatabase
from tenax.stores.postgres.connection.protocol import Connection
from tenax.stores.postgres.frontier.statements import to_arrays
from tenax.stores.postgres.frontier.url_domains import lock_domains
from tenax.stores.postgres.runs import wake_parked

_CLEAR_CLASSES = to_postgres(CLEAR_CLASSES)
_LEAVE_TO_OTHERS = to_postgres(LEAVE_TO_OTHERS)
_LIST_MEMBERS = to_postgres(LIST_MEMBERS)
_LIST_DOMAIN_MEMBERS = to_postgres(LIST_DOMAIN_MEMBERS)
_LIST_LEARNED = to_postgres(LIST_LEARNED)

_OF_SOURCE = "domain_id IN (SELECT id FROM domains WHERE source_id = $1)"
_STANDING = f"""
    (
        SELECT id, key, url
        FROM urls
        WHERE domain_id = v.domain_id
            AND key = v.class_key
            AND {STANDS}
        UNION ALL
        SELECT id, key, url
        FROM urls
        WHERE domain_id = v.domain_id
            AND class_key = v.class_key
            AND {STANDS}
        ORDER BY id
        LIMIT 1
    )
"""


class PostgresMerges:
    def __init__(self, database: PostgresDatabase, source_id: int = NO_SOURCE) -> None:
        self._database = database
        self._source_id = source_id

    async def find_standing(self, classes: Sequence[ClassName]) -> dict[ClassName, Representative]:
        if not classes:
            return {}
        return await self._database.read(lambda connection: _find_standing(connection, classes))

    async def forget_classes(self) -> int:
        now = self._database.clock.now()
        return await self._database.write(
            lambda connection: _forget_classes(connection, self._source_id, now), is_slow=True
        )

    async def list_members(self, after_id: int, limit: int) -> list[MergeCandidate]:
        return await self._database.read(
            lambda connection: _list_members(connection, self._source_id, after_id, limit)
        )

    async def list_domain_members(
        self, domain_id: int, after_key: int | None, limit: int
    ) -> list[MergeCandidate]:
        after = LEAST_KEY if after_key is None else after_key
        rows = await self._database.read(
            lambda connection: connection.fetch(_LIST_DOMAIN_MEMBERS, domain_id, after, limit)
        )
        return [read_member(row) for row in rows]

    async def list_learned(self) -> list[tuple[str, str]]:
        rows = await self._database.read(lambda connection: connection.fetch(_LIST_LEARNED, self._source_id))
        return [(row[0], row[1]) for row in rows]

    async def save_classes(self, classified: Sequence[Classified]) -> None:
        if classified:
            await self._database.write(lambda connection: _save_classes(connection, classified))


_SAVE_VISITED = """
    UPDATE urls u
    SET class_key = v.class_key, merged_key = v.merged_key
    FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS v(class_key, merged_key, id)
    WHERE u.id = v.id
"""


async def settle_classes(connection: Connection, works: Sequence[DomainWork], now: Instant) -> Counter[int]:
    """Store the classes of a batch's urls, after their fates, and queue the next url of a class if none
    stands for it any more. Returns how many were queued, by domain."""
    revived: Counter[int] = Counter()
    visited = {row[2]: row for row in list_visited(works)}
    if not visited:
        return revived
    await connection.execute(_SAVE_VISITED, *to_arrays(visited.values()))
    # If several failed, the last one decides which is visited next.
    failed = {(domain_id, class_key): wanted for domain_id, class_key, wanted in iter_failed(works)}
    if failed:
        rows = await _revive(connection, [(*name, wanted) for name, wanted in failed.items()], now)
        revived.update(row[0] for row in rows)
    return revived


_REVIVE = f"""
    UPDATE urls
    SET due_at = $1::float8, {QUEUED_AGAIN}
    WHERE id IN (
        SELECT next.id
        FROM unnest($2::bigint[], $3::bigint[], $4::bigint[]) AS v(domain_id, class_key, wanted_key)
        CROSS JOIN LATERAL (
            (
                SELECT id
                FROM urls
                WHERE domain_id = v.domain_id
                    AND key = v.wanted_key
                    AND merged_key = v.class_key
                    AND due_at IS NULL
            ) UNION ALL (
                SELECT id
                FROM urls
                WHERE domain_id = v.domain_id
                    AND merged_key = v.class_key
                    AND due_at IS NULL
                ORDER BY id
                LIMIT 1
            ) LIMIT 1
        ) next
        WHERE NOT EXISTS {_STANDING}
    )
    RETURNING domain_id
"""


async def _revive(
    connection: Connection, failed: Sequence[tuple[int, int, int]], now: Instant
) -> Sequence[tuple[int]]:
    rows: Sequence[tuple[int]] = await connection.fetch(_REVIVE, now, *to_arrays(failed))
    return rows


_FIND_STANDING = f"""
    SELECT v.domain_id, v.class_key, standing.key, standing.url
    FROM unnest($1::bigint[], $2::bigint[]) AS v(domain_id, class_key)
    CROSS JOIN LATERAL {_STANDING} standing
"""


async def _find_standing(
    connection: Connection, classes: Sequence[ClassName]
) -> dict[ClassName, Representative]:
    rows = await connection.fetch(_FIND_STANDING, *to_arrays(classes))
    return {
        (row["domain_id"], row["class_key"]): Representative(key=row["key"], url=row["url"]) for row in rows
    }


_CLEAR_WAITING = f"""
    UPDATE urls
    SET {QUEUED_AGAIN}
    WHERE merged_key IS NOT NULL
        AND due_at IS NOT NULL
        AND {_OF_SOURCE}
"""
_QUEUE_MERGED = f"""
    WITH again AS (
        UPDATE urls
        SET due_at = $2::float8, {QUEUED_AGAIN}
        WHERE merged_key IS NOT NULL AND {_OF_SOURCE}
        RETURNING domain_id
    )
    SELECT domain_id, count(*)
    FROM again
    GROUP BY domain_id
"""
_COUNT_QUEUED = """
    UPDATE domains d
    SET queued = d.queued + v.number
    FROM unnest($1::bigint[], $2::int[]) AS v(id, number)
    WHERE d.id = v.id
"""


async def _forget_classes(connection: Connection, source_id: int, now: Instant) -> int:
    await connection.execute(_CLEAR_CLASSES, source_id)
    await connection.execute(_LEAVE_TO_OTHERS, source_id)
    # Urls that wait already are counted already.
    await connection.execute(_CLEAR_WAITING, source_id)
    rows = await connection.fetch(_QUEUE_MERGED, source_id, now)
    queued: dict[int, int] = {row[0]: row[1] for row in rows}
    await lock_domains(connection, queued)
    await connection.execute(_COUNT_QUEUED, list(queued), list(queued.values()))
    await wake_parked(connection, source_id, now)
    return sum(queued.values())


async def _list_members(
    connection: Connection, source_id: int, after_id: int, limit: int
) -> list[MergeCandidate]:
    rows = await connection.fetch(_LIST_MEMBERS, after_id, source_id, limit)
    return [read_member(row) for row in rows]


_SAVE_CLASSES = """
    UPDATE urls u
    SET
        class_key = v.class_key,
        reason = CASE WHEN v.is_led_back THEN 'merged' ELSE u.reason END
    FROM unnest($1::bigint[], $2::boolean[], $3::bigint[]) AS v(class_key, is_led_back, id)
    WHERE u.id = v.id
"""


async def _save_classes(connection: Connection, classified: Sequence[Classified]) -> None:
    await connection.execute(
        _SAVE_CLASSES, *to_arrays((each.class_key, each.is_led_back, each.id) for each in classified)
    )
