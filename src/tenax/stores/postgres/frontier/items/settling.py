"""The items of a settled batch in PostgreSQL: observations, items, how they changed. See stores/hot/items/.

Pages of different domains show the same items, so that two workers may change the same rows: new items are
added in the order of their names, and known ones locked in the order of their ids, before anything about them
is written.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from tenax.stores.contracts.batches import Batch, DomainWork
from tenax.stores.hot.column_lists import join_arrays, join_names
from tenax.stores.hot.items.changes import (
    CHANGE_NAMES,
    CHANGED_NAMES,
    NEW_ITEM_NAMES,
    SEEN_NAMES,
    ItemPlan,
    NewestColumns,
    add_new,
    list_altered,
    list_by_id,
    new_item_row,
    plan_items,
)
from tenax.stores.hot.items.columns import (
    INVALID_ITEMS,
    ITEM_CHANGES,
    ITEMS,
    OBSERVATIONS,
    PARSED_URLS,
)
from tenax.stores.hot.items.found import FoundItems, ItemName, Sighting, find_items, invalid_rows
from tenax.stores.hot.items.observations import (
    SAVED_NAMES,
    ItemColumns,
    ObservationColumns,
    ObservationPlan,
    find_newest,
    plan_observations,
)
from tenax.stores.hot.items.statements import (
    FIND_NEWEST,
    FORGET_PARSED,
    INVALID_NAMES,
    LIST_DATA,
    LIST_ITEMS,
    LIST_OBSERVATIONS,
    OBSERVATION_NAMES,
    PARSED_NAMES,
    REPLACE_OBSERVATION,
    REPLACE_PARSED,
)
from tenax.stores.hot.parameters import to_postgres
from tenax.stores.postgres.connection.errors import ConcurrentUpdate
from tenax.stores.postgres.connection.protocol import Connection
from tenax.stores.postgres.frontier.items.loading import IS_ONE
from tenax.stores.postgres.frontier.items.products import settle_products
from tenax.stores.postgres.frontier.statements import to_arrays

# Of rows with data, in one statement: PostgreSQL takes 1 GB at once, and an item may have 256 kB twice.
ROWS_AT_ONCE: Final = 1_000

_LIST_OBSERVATIONS = to_postgres(LIST_OBSERVATIONS.format(is_one=IS_ONE))
_LOCK_ITEMS = to_postgres(LIST_ITEMS.format(is_one=IS_ONE)) + " FOR NO KEY UPDATE"
_LIST_DATA = to_postgres(LIST_DATA.format(is_one=IS_ONE))
_LIST_NEWEST = f"""
    SELECT newest.*
    FROM unnest($1::bigint[]) AS v(id)
    CROSS JOIN LATERAL ({FIND_NEWEST.format(item_id="v.id")}) newest
"""
_FORGET_PARSED = to_postgres(FORGET_PARSED.format(is_one=IS_ONE))


async def settle_items(
    connection: Connection, batch: Batch, works: Sequence[DomainWork], source_id: int
) -> None:
    found = find_items(works)
    await _save_parsed(connection, found, source_id)
    await _save_invalid(connection, found, source_id, batch.run_id)
    before = await _list_observations(connection, found.url_ids, source_id)
    if not (before or found.sightings):
        return
    ids = await _find_ids(connection, found.names, source_id)
    created = await _create_items(connection, found, ids, source_id, batch.run_id)
    items = await _lock_items(connection, ids, before, created)
    plan = plan_observations(found, before, items, ids)
    await _save_observations(connection, plan)
    planned = await _plan_items(connection, batch.run_id, plan, items)
    add_new(planned, batch.run_id, created)
    await _save_items(connection, planned)
    await _save_changes(connection, planned, source_id)
    await settle_products(connection, planned.products, source_id)


_SAVE_PARSED = f"""
    INSERT INTO parsed_urls ({join_names(PARSED_NAMES)})
    SELECT * FROM unnest({join_arrays(PARSED_NAMES, PARSED_URLS)})
    ON CONFLICT (url_id) DO UPDATE SET {REPLACE_PARSED}
"""


async def _save_parsed(connection: Connection, found: FoundItems, source_id: int) -> None:
    if found.parsed:
        rows = [(url_id, source_id, *others) for url_id, *others in found.parsed]
        await connection.execute(_SAVE_PARSED, *to_arrays(rows))
    if found.unparsed:
        await connection.execute(_FORGET_PARSED, found.unparsed, source_id)


_FORGET_INVALID = """
    DELETE FROM invalid_items
    USING unnest($2::bigint[], $3::text[]) AS v(url_id, parser)
    WHERE invalid_items.url_id = v.url_id
        AND invalid_items.source_id = $1
        AND (v.parser IS NULL OR invalid_items.parser = v.parser)
"""
_ADD_INVALID = f"""
    INSERT INTO invalid_items ({join_names(INVALID_NAMES)})
    SELECT * FROM unnest({join_arrays(INVALID_NAMES, INVALID_ITEMS)})
"""


async def _save_invalid(connection: Connection, found: FoundItems, source_id: int, run_id: int) -> None:
    replaced = [*found.replaced, *((url_id, None) for url_id in found.withdrawn)]
    if replaced:
        await connection.execute(_FORGET_INVALID, source_id, *to_arrays(replaced))
    for rows in _split(invalid_rows(found, source_id, run_id)):
        await connection.execute(_ADD_INVALID, *to_arrays(rows))


async def _list_observations(
    connection: Connection, url_ids: Sequence[int], source_id: int
) -> list[ObservationColumns]:
    rows = await connection.fetch(_LIST_OBSERVATIONS, url_ids, source_id)
    return [ObservationColumns._make(row) for row in rows]


_FIND_IDS = """
    SELECT i.kind, i.key, i.id
    FROM unnest($2::text[], $3::text[]) AS v(kind, key)
    JOIN items i ON i.source_id = $1 AND i.kind = v.kind AND i.key = v.key
"""


async def _find_ids(connection: Connection, names: Sequence[ItemName], source_id: int) -> dict[ItemName, int]:
    if not names:
        return {}
    rows = await connection.fetch(_FIND_IDS, source_id, *to_arrays(names))
    return {ItemName(row[0], row[1]): row[2] for row in rows}


_ADD_ITEMS = f"""
    INSERT INTO items ({join_names(NEW_ITEM_NAMES)})
    SELECT {join_names(NEW_ITEM_NAMES, "v.")}
    FROM unnest({join_arrays(NEW_ITEM_NAMES, ITEMS)})
        WITH ORDINALITY AS v({join_names(NEW_ITEM_NAMES)}, place)
    ORDER BY v.place
    ON CONFLICT (source_id, kind, key) DO NOTHING
    RETURNING kind, key, id
"""


async def _create_items(
    connection: Connection, found: FoundItems, ids: dict[ItemName, int], source_id: int, run_id: int
) -> dict[int, Sighting]:
    """Add those that are new, and to `ids` also those that another transaction has just added."""
    new: defaultdict[ItemName, list[Sighting]] = defaultdict(list)
    for sighting in found.sightings.values():
        if sighting.name not in ids:
            new[sighting.name].append(sighting)
    if not new:
        return {}
    newest = {name: find_newest(new[name]) for name in sorted(new)}
    own: dict[ItemName, int] = {}
    for rows in _split([new_item_row(sighting, source_id, run_id) for sighting in newest.values()]):
        added = await connection.fetch(_ADD_ITEMS, *to_arrays(rows))
        own |= {ItemName(row[0], row[1]): row[2] for row in added}
    ids |= own
    ids |= await _find_ids(connection, [name for name in newest if name not in own], source_id)
    return {own[name]: newest[name] for name in own}


async def _lock_items(
    connection: Connection,
    ids: Mapping[ItemName, int],
    before: Iterable[ObservationColumns],
    created: Mapping[int, Sighting],
) -> dict[int, ItemColumns]:
    found = set(ids.values()) - created.keys()
    known = sorted(found | {old.item_id for old in before})
    items = list_by_id(await connection.fetch(_LOCK_ITEMS, known)) if known else {}
    if not found <= items.keys():
        raise ConcurrentUpdate  # a user has just deleted one
    return items


_SAVE_OBSERVATIONS = f"""
    INSERT INTO observations ({OBSERVATION_NAMES})
    SELECT * FROM unnest({join_arrays(SAVED_NAMES, OBSERVATIONS)})
    ON CONFLICT (url_id, item_id) DO UPDATE SET {REPLACE_OBSERVATION}
"""
_REMOVE_OBSERVATIONS = """
    DELETE FROM observations o
    USING unnest($1::bigint[], $2::bigint[]) AS v(url_id, item_id)
    WHERE o.url_id = v.url_id AND o.item_id = v.item_id
"""
_TOUCH_OBSERVATIONS = """
    UPDATE observations o
    SET at = v.at
    FROM unnest($1::float8[], $2::bigint[], $3::bigint[]) AS v(at, url_id, item_id)
    WHERE o.url_id = v.url_id AND o.item_id = v.item_id
"""


async def _save_observations(connection: Connection, plan: ObservationPlan) -> None:
    if plan.removed:
        await connection.execute(_REMOVE_OBSERVATIONS, *to_arrays(plan.removed))
    if plan.touched:
        await connection.execute(_TOUCH_OBSERVATIONS, *to_arrays(plan.touched))
    for rows in _split(plan.saved):
        await connection.execute(_SAVE_OBSERVATIONS, *to_arrays(rows))


async def _plan_items(
    connection: Connection, run_id: int, plan: ObservationPlan, items: dict[int, ItemColumns]
) -> ItemPlan:
    looked_up = {}
    if plan.unsure:
        rows = await connection.fetch(_LIST_NEWEST, list(plan.unsure))
        looked_up = {row[0]: NewestColumns._make(row) for row in rows}
    data = {}
    if altered := list_altered(plan, items, looked_up):
        data = {row[0]: row[1] for row in await connection.fetch(_LIST_DATA, altered)}
    return plan_items(run_id, plan, items, looked_up, data)


def _update(names: Sequence[str], more: str = "") -> str:
    assigned = ", ".join(f"{name} = v.{name}" for name in names)
    return f"""
        UPDATE items i
        SET {assigned}{more}
        FROM unnest({join_arrays((*names, "id"), ITEMS)}) AS v({join_names(names)}, id)
        WHERE i.id = v.id
    """


_SEE_ITEMS = _update(SEEN_NAMES)
_CHANGE_ITEMS = _update(CHANGED_NAMES, ", gone_at = NULL, changes = i.changes + 1")
_TOUCH_ITEMS = """
    UPDATE items i
    SET last_seen_at = greatest(i.last_seen_at, v.at)
    FROM unnest($1::float8[], $2::bigint[]) AS v(at, id)
    WHERE i.id = v.id
"""
_LOSE_ITEMS = """
    UPDATE items i
    SET gone_at = v.at, changed_at = v.at, changes = i.changes + 1
    FROM unnest($1::float8[], $2::bigint[]) AS v(at, id)
    WHERE i.id = v.id
"""
_KEEP_DATA = """
    UPDATE observations o
    SET data = v.data
    FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS v(data, item_id, content_hash)
    WHERE o.item_id = v.item_id AND o.data IS NULL AND o.content_hash <> v.content_hash
"""


async def _save_items(connection: Connection, planned: ItemPlan) -> None:
    for statement, rows in (
        (_SEE_ITEMS, planned.seen),
        (_TOUCH_ITEMS, planned.touched),
        (_KEEP_DATA, planned.kept),
        (_CHANGE_ITEMS, planned.changed),
        (_LOSE_ITEMS, planned.gone),
    ):
        for part in _split(rows):
            await connection.execute(statement, *to_arrays(part))


_SAVE_CHANGES = f"""
    WITH added AS (
        INSERT INTO item_changes ({join_names(CHANGE_NAMES)})
        SELECT * FROM unnest({join_arrays(CHANGE_NAMES, ITEM_CHANGES, 2)})
        RETURNING id, at
    )
    INSERT INTO change_log (xid, at, topic, source_id, subject_id)
    SELECT pg_current_xact_id()::text::bigint, at, 'item', $1, id
    FROM added
    ORDER BY id
"""


async def _save_changes(connection: Connection, planned: ItemPlan, source_id: int) -> None:
    for rows in _split(planned.changes):
        await connection.execute(_SAVE_CHANGES, source_id, *to_arrays(rows))


def _split(rows: Sequence[tuple[Any, ...]]) -> Iterator[Sequence[tuple[Any, ...]]]:
    for start in range(0, len(rows), ROWS_AT_ONCE):
        yield rows[start : start + ROWS_AT_ONCE]
