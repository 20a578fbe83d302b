"""The items of a settled batch in SQLite: observations, items, how they changed. See stores/hot/items/."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import orjson

from tenax.stores.contracts.batches import Batch, DomainWork
from tenax.stores.hot.column_lists import join_marks, join_names
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
from tenax.stores.sqlite.connection.database import Connection
from tenax.stores.sqlite.frontier.items.loading import IS_ONE
from tenax.stores.sqlite.frontier.items.products import settle_products

_LIST_OBSERVATIONS = LIST_OBSERVATIONS.format(is_one=IS_ONE)
_LIST_ITEMS = LIST_ITEMS.format(is_one=IS_ONE)
_LIST_DATA = LIST_DATA.format(is_one=IS_ONE)
_FIND_NEWEST = FIND_NEWEST.format(item_id="?")
_FORGET_PARSED = FORGET_PARSED.format(is_one=IS_ONE)


def settle_items(connection: Connection, batch: Batch, works: Sequence[DomainWork], source_id: int) -> None:
    found = find_items(works)
    _save_parsed(connection, found, source_id)
    _save_invalid(connection, found, source_id, batch.run_id)
    before = _list_observations(connection, found.url_ids, source_id)
    if not (before or found.sightings):
        return
    ids = _find_ids(connection, found.names, source_id)
    known = {*ids.values(), *(old.item_id for old in before)}
    items = list_by_id(connection.execute(_LIST_ITEMS, (_to_list(known),)))
    created = _create_items(connection, found, ids, source_id, batch.run_id)
    plan = plan_observations(found, before, items, ids)
    _save_observations(connection, plan)
    planned = _plan_items(connection, batch.run_id, plan, items)
    add_new(planned, batch.run_id, created)
    _save_items(connection, planned)
    _save_changes(connection, planned, source_id)
    settle_products(connection, planned.products, source_id)


def _to_list(values: Iterable[int]) -> str:
    return orjson.dumps(sorted(values)).decode()


_SAVE_PARSED = f"""
    INSERT INTO parsed_urls ({join_names(PARSED_NAMES)})
    VALUES ({join_marks(PARSED_NAMES)})
    ON CONFLICT (url_id) DO UPDATE SET {REPLACE_PARSED}
"""


def _save_parsed(connection: Connection, found: FoundItems, source_id: int) -> None:
    rows = [(url_id, source_id, *others) for url_id, *others in found.parsed]
    connection.executemany(_SAVE_PARSED, rows)
    if found.unparsed:
        connection.execute(_FORGET_PARSED, (_to_list(found.unparsed), source_id))


_ADD_INVALID = f"""
    INSERT INTO invalid_items ({join_names(INVALID_NAMES)})
    VALUES ({join_marks(INVALID_NAMES)})
"""


def _save_invalid(connection: Connection, found: FoundItems, source_id: int, run_id: int) -> None:
    connection.executemany(
        "DELETE FROM invalid_items WHERE url_id = ? AND source_id = ? AND parser = ?",
        [(url_id, source_id, parser) for url_id, parser in found.replaced],
    )
    if found.withdrawn:
        connection.execute(
            f"DELETE FROM invalid_items WHERE url_id {IS_ONE} AND source_id = ?2",
            (_to_list(found.withdrawn), source_id),
        )
    connection.executemany(_ADD_INVALID, invalid_rows(found, source_id, run_id))


def _list_observations(
    connection: Connection, url_ids: Sequence[int], source_id: int
) -> list[ObservationColumns]:
    rows = connection.execute(_LIST_OBSERVATIONS, (_to_list(url_ids), source_id))
    return [ObservationColumns._make(row) for row in rows]


def _find_ids(connection: Connection, names: Sequence[ItemName], source_id: int) -> dict[ItemName, int]:
    ids = {}
    for name in names:
        row = connection.execute(
            "SELECT id FROM items WHERE source_id = ? AND kind = ? AND key = ?", (source_id, *name)
        ).fetchone()
        if row is not None:
            ids[name] = row[0]
    return ids


_ADD_ITEM = f"""
    INSERT INTO items ({join_names(NEW_ITEM_NAMES)})
    VALUES ({join_marks(NEW_ITEM_NAMES)})
    RETURNING id
"""


def _create_items(
    connection: Connection, found: FoundItems, ids: dict[ItemName, int], source_id: int, run_id: int
) -> dict[int, Sighting]:
    """Add those that are new, to `ids` as well."""
    new: defaultdict[ItemName, list[Sighting]] = defaultdict(list)
    for sighting in found.sightings.values():
        if sighting.name not in ids:
            new[sighting.name].append(sighting)
    created = {}
    for name in sorted(new):
        newest = find_newest(new[name])
        row = connection.execute(_ADD_ITEM, new_item_row(newest, source_id, run_id)).fetchone()
        ids[name] = row[0]
        created[ids[name]] = newest
    return created


_SAVE_OBSERVATIONS = f"""
    INSERT INTO observations ({OBSERVATION_NAMES})
    VALUES ({join_marks(SAVED_NAMES)})
    ON CONFLICT (url_id, item_id) DO UPDATE SET {REPLACE_OBSERVATION}
"""


def _save_observations(connection: Connection, plan: ObservationPlan) -> None:
    connection.executemany("DELETE FROM observations WHERE url_id = ? AND item_id = ?", plan.removed)
    connection.executemany("UPDATE observations SET at = ? WHERE url_id = ? AND item_id = ?", plan.touched)
    connection.executemany(_SAVE_OBSERVATIONS, plan.saved)


def _plan_items(
    connection: Connection, run_id: int, plan: ObservationPlan, items: dict[int, ItemColumns]
) -> ItemPlan:
    looked_up = {}
    for item_id in plan.unsure:
        row = connection.execute(_FIND_NEWEST, (item_id,)).fetchone()
        if row is not None:
            looked_up[item_id] = NewestColumns._make(row)
    altered = list_altered(plan, items, looked_up)
    data = dict(connection.execute(_LIST_DATA, (_to_list(altered),))) if altered else {}
    return plan_items(run_id, plan, items, looked_up, data)


def _assign(names: Iterable[str]) -> str:
    return ", ".join(f"{name} = ?" for name in names)


_SEE_ITEMS = f"UPDATE items SET {_assign(SEEN_NAMES)} WHERE id = ?"
_CHANGE_ITEMS = f"""
    UPDATE items
    SET {_assign(CHANGED_NAMES)}, gone_at = NULL, changes = changes + 1
    WHERE id = ?
"""
_LOSE_ITEMS = "UPDATE items SET gone_at = ?1, changed_at = ?1, changes = changes + 1 WHERE id = ?2"
_KEEP_DATA = "UPDATE observations SET data = ? WHERE item_id = ? AND data IS NULL AND content_hash <> ?"


def _save_items(connection: Connection, planned: ItemPlan) -> None:
    connection.executemany(_SEE_ITEMS, planned.seen)
    connection.executemany(
        "UPDATE items SET last_seen_at = max(last_seen_at, ?) WHERE id = ?", planned.touched
    )
    connection.executemany(_KEEP_DATA, planned.kept)
    connection.executemany(_CHANGE_ITEMS, planned.changed)
    connection.executemany(_LOSE_ITEMS, planned.gone)


_ADD_CHANGE = f"""
    INSERT INTO item_changes ({join_names(CHANGE_NAMES)})
    VALUES ({join_marks(CHANGE_NAMES)})
"""
_LOG_CHANGE = """
    INSERT INTO change_log (xid, at, topic, source_id, subject_id)
    VALUES (0, ?, 'item', ?, ?)
"""


def _save_changes(connection: Connection, planned: ItemPlan, source_id: int) -> None:
    logged: list[tuple[Any, ...]] = []
    for row in planned.changes:
        change_id = connection.execute(_ADD_CHANGE, row).lastrowid
        logged.append((row[CHANGE_NAMES.index("at")], source_id, change_id))
    connection.executemany(_LOG_CHANGE, logged)
