"""What becomes of the items of a batch, and how they changed: the same for every database. Pure."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

import orjson

from tenax.clock import Instant
from tenax.record import record
from tenax.records.items import ItemChangeKind
from tenax.records.products import PRODUCT
from tenax.stores.hot.column_lists import join_names
from tenax.stores.hot.items.found import Sighting
from tenax.stores.hot.items.observations import ItemColumns, ObservationColumns, ObservationPlan
from tenax.stores.hot.items.products import ProductNews


class NewestColumns(NamedTuple):
    """The newest observation of an item, in `observations`."""

    item_id: int
    url_id: int
    domain_id: int
    parser: str
    parser_version: str
    at: Instant
    content_hash: int
    confidence: float | None
    data: str | None  # None: as in the item


NEWEST_COLUMNS: Final = join_names(NewestColumns._fields)
# What a new item is saved as.
NEW_ITEM_NAMES: Final = (
    "source_id",
    "kind",
    "key",
    "domain_id",
    "url_id",
    "run_id",
    "parser",
    "parser_version",
    "data",
    "content_hash",
    "confidence",
    "field_confidence",
    "first_seen_at",
    "last_seen_at",
    "changed_at",
    "changes",
)
# What a known one is replaced by, with its id at the end.
SEEN_NAMES: Final = (
    "url_id",
    "domain_id",
    "run_id",
    "parser",
    "parser_version",
    "confidence",
    "field_confidence",
    "last_seen_at",
)
CHANGED_NAMES: Final = (*SEEN_NAMES, "data", "content_hash", "changed_at")
CHANGE_NAMES: Final = (
    "item_id",
    "at",
    "run_id",
    "url_id",
    "kind",
    "fields",
    "parser",
    "parser_version",
)


@record
class ItemPlan:
    seen: list[tuple[Any, ...]]  # SEEN_NAMES, id
    touched: list[tuple[Instant, int]]  # (last seen, id)
    changed: list[tuple[Any, ...]]  # CHANGED_NAMES, id
    gone: list[tuple[Instant, int]]  # (when, id)
    # (data that an item had, its id, the hash of what it has now): observations that were as the item keep
    # what they were
    kept: list[tuple[str, int, int]]
    changes: list[tuple[Any, ...]]  # CHANGE_NAMES
    products: list[ProductNews]


@record
class _NewState:
    """What a known item becomes."""

    url_id: int
    domain_id: int
    parser: str
    version: str
    at: Instant  # when that was seen
    settled_at: Instant  # when it became known
    content_hash: int
    confidence: float | None
    field_confidence: str | None
    data: str | None


def new_item_row(sighting: Sighting, source_id: int, run_id: int) -> tuple[Any, ...]:
    """NEW_ITEM_NAMES"""
    item = sighting.item
    return (
        source_id,
        *sighting.name,
        sighting.domain_id,
        sighting.url_id,
        run_id,
        sighting.parser,
        sighting.version,
        item.data,
        item.content_hash,
        item.confidence,
        item.field_confidence,
        *(sighting.at,) * 3,
        1,
    )


def list_altered(
    plan: ObservationPlan, items: Mapping[int, ItemColumns], looked_up: Mapping[int, NewestColumns]
) -> list[int]:
    """Ids of items whose data is needed to say how they change. `looked_up`: the newest observations of those
    that are unsure."""
    states: dict[int, int] = {
        item_id: sighting.item.content_hash for item_id, sighting in plan.newest.items()
    }
    states |= {item_id: newest.content_hash for item_id, newest in looked_up.items()}
    return [
        item_id
        for item_id, content_hash in states.items()
        if items[item_id].content_hash != content_hash or items[item_id].gone_at is not None
    ]


def plan_items(
    run_id: int,
    plan: ObservationPlan,
    items: Mapping[int, ItemColumns],
    looked_up: Mapping[int, NewestColumns],
    data: Mapping[int, str],
) -> ItemPlan:
    """`data`: of the items in list_altered()."""
    planned = ItemPlan(seen=[], touched=[], changed=[], gone=[], kept=[], changes=[], products=[])
    for item_id, sighting in plan.newest.items():
        _plan_item(planned, run_id, items[item_id], _from_sighting(sighting), data)
    for item_id, at in plan.unsure.items():
        newest = looked_up.get(item_id)
        if newest is not None:
            _plan_item(planned, run_id, items[item_id], _from_newest(newest, at), data)
        elif items[item_id].gone_at is None and item_id in plan.withdrawn:
            _plan_loss(planned, run_id, items[item_id], at, plan.withdrawn[item_id])
    planned.touched.extend((at, item_id) for item_id, at in plan.seen.items())
    return planned


def add_new(planned: ItemPlan, run_id: int, created: Mapping[int, Sighting]) -> None:
    """Add what is to be said of new items, by id."""
    planned.changes.extend(
        _change_row(item_id, run_id, ItemChangeKind.NEW, _from_sighting(sighting), sighting.item.data)
        for item_id, sighting in created.items()
    )
    planned.products.extend(
        _tell_product(item_id, ItemChangeKind.NEW, _from_sighting(sighting), sighting.item.data)
        for item_id, sighting in created.items()
        if sighting.name.kind == PRODUCT
    )


def _plan_item(
    planned: ItemPlan, run_id: int, item: ItemColumns, state: _NewState, data: Mapping[int, str]
) -> None:
    last_seen_at = max(state.at, item.last_seen_at)
    seen = (
        state.url_id, state.domain_id, run_id, state.parser, state.version, state.confidence,
        state.field_confidence, last_seen_at,
    )  # fmt: skip
    if item.gone_at is None and state.content_hash == item.content_hash:
        planned.seen.append((*seen, item.id))
        if item.kind == PRODUCT and item.url_id != state.url_id:
            planned.products.append(_tell_product(item.id, None, state))
        return
    old = data[item.id]
    # An observation without data of its own is as the item was.
    new = old if state.data is None else state.data
    kind = ItemChangeKind.CHANGED if item.gone_at is None else ItemChangeKind.BACK
    planned.changed.append((*seen, new, state.content_hash, state.settled_at, item.id))
    if state.content_hash != item.content_hash:
        planned.kept.append((old, item.id, state.content_hash))
    planned.changes.append(_change_row(item.id, run_id, kind, state, new, old))
    if item.kind == PRODUCT:
        planned.products.append(_tell_product(item.id, kind, state, new))


def _plan_loss(
    planned: ItemPlan, run_id: int, item: ItemColumns, at: Instant, lost: ObservationColumns
) -> None:
    gone = (ItemChangeKind.GONE.value, None, lost.parser, lost.parser_version)
    planned.gone.append((at, lost.item_id))
    planned.changes.append((lost.item_id, at, run_id, lost.url_id, *gone))
    if item.kind == PRODUCT:
        planned.products.append(ProductNews(item_id=item.id, kind=ItemChangeKind.GONE, at=at))


def _tell_product(
    item_id: int, kind: ItemChangeKind | None, state: _NewState, data: str = "{}"
) -> ProductNews:
    return ProductNews(
        item_id=item_id,
        kind=kind,
        at=state.settled_at,
        domain_id=state.domain_id,
        url_id=state.url_id,
        data=data,
    )


def _change_row(
    item_id: int, run_id: int, kind: ItemChangeKind, state: _NewState, new: str, old: str = "{}"
) -> tuple[Any, ...]:
    fields = compare_fields(old, new)
    made_by = (state.parser, state.version)
    return (item_id, state.settled_at, run_id, state.url_id, kind.value, fields, *made_by)


def compare_fields(old: str, new: str) -> str:
    """The fields that differ, as a JSON object: field → [old, new]; null: it has none."""
    before, after = orjson.loads(old), orjson.loads(new)
    names = sorted({*before, *after})
    changed = {name: [before.get(name), after.get(name)] for name in names}
    return orjson.dumps({name: pair for name, pair in changed.items() if _differ(*pair)}).decode()


def _differ(old: object, new: object) -> bool:
    # As JSON: to Python, true is 1.
    return orjson.dumps(old) != orjson.dumps(new)


def _from_sighting(sighting: Sighting) -> _NewState:
    item = sighting.item
    return _NewState(
        url_id=sighting.url_id,
        domain_id=sighting.domain_id,
        parser=sighting.parser,
        version=sighting.version,
        at=sighting.at,
        settled_at=sighting.at,
        content_hash=item.content_hash,
        confidence=item.confidence,
        field_confidence=item.field_confidence,
        data=item.data,
    )


def _from_newest(newest: NewestColumns, settled_at: Instant) -> _NewState:
    return _NewState(
        url_id=newest.url_id,
        domain_id=newest.domain_id,
        parser=newest.parser,
        version=newest.parser_version,
        at=newest.at,
        settled_at=settled_at,
        content_hash=newest.content_hash,
        confidence=newest.confidence,
        field_confidence=None,
        data=newest.data,
    )


def list_by_id(rows: Iterable[Any]) -> dict[int, ItemColumns]:
    """From ITEM_COLUMNS."""
    return {row[0]: ItemColumns._make(row) for row in rows}
