"""What becomes of the observations of a batch's urls: the same for every database. Pure.

An item is its newest observation. If a batch does not show which one that is, the item is unsure: its
observations are looked at after they are saved. That is so if the observation that it was is withdrawn, if a
page was read before another one that is settled already, or if a page that has not changed differs from it.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from tenax.clock import Instant
from tenax.record import record
from tenax.stores.hot.column_lists import join_names
from tenax.stores.hot.items.found import FoundItems, ItemName, Sighting


class ItemColumns(NamedTuple):
    """A known item, in `items`."""

    id: int
    kind: str
    key: str
    url_id: int
    content_hash: int
    last_seen_at: Instant
    gone_at: Instant | None


class ObservationColumns(NamedTuple):
    """What a url showed before, in `observations`."""

    url_id: int
    item_id: int
    parser: str
    parser_version: str
    content_hash: int


ITEM_COLUMNS: Final = join_names(ItemColumns._fields)
OBSERVATION_COLUMNS: Final = join_names(ObservationColumns._fields, "o.")
# What an observation is saved as. One whose url showed the item before is replaced.
SAVED_NAMES: Final = (
    "url_id",
    "item_id",
    "domain_id",
    "parser",
    "parser_version",
    "at",
    "content_hash",
    "confidence",
    "data",
)


@record
class ObservationPlan:
    saved: list[tuple[Any, ...]]  # SAVED_NAMES
    touched: list[tuple[Instant, int, int]]  # (at, url, item)
    removed: list[tuple[int, int]]  # (url, item)
    newest: dict[int, Sighting]  # what items are from now on
    seen: dict[int, Instant]  # items that are as they were
    unsure: dict[int, Instant]
    withdrawn: dict[int, ObservationColumns]  # by item: what was its newest observation


def plan_observations(
    found: FoundItems,
    before: Iterable[ObservationColumns],
    items: Mapping[int, ItemColumns],
    ids: Mapping[ItemName, int],
) -> ObservationPlan:
    """`before`: observations of its urls; `items`: all that it may change, but for those that are new; `ids`:
    of all items that it has found."""
    plan = ObservationPlan(saved=[], touched=[], removed=[], newest={}, seen={}, unsure={}, withdrawn={})
    shown: defaultdict[int, list[Sighting]] = defaultdict(list)
    for sighting in found.sightings.values():
        shown[ids[sighting.name]].append(sighting)
    for old in before:
        # Not those of an item that a user has just deleted.
        if old.item_id in items:
            _plan_old(plan, old, items[old.item_id], found, shown)
    for item_id, sightings in shown.items():
        _plan_shown(plan, item_id, items.get(item_id), sightings)
    return plan


def find_newest(sightings: Iterable[Sighting]) -> Sighting:
    return max(sightings, key=lambda sighting: (sighting.at, sighting.url_id))


def _plan_old(
    plan: ObservationPlan,
    old: ObservationColumns,
    item: ItemColumns,
    found: FoundItems,
    shown: Mapping[int, list[Sighting]],
) -> None:
    if (at := found.touched.get(old.url_id)) is not None:
        plan.touched.append((at, old.url_id, old.item_id))
        if old.content_hash == item.content_hash:
            plan.seen[item.id] = max(at, plan.seen.get(item.id, at))
        else:
            _doubt(plan, item.id, at)
        return
    at = found.withdrawn.get(old.url_id, found.replaced.get((old.url_id, old.parser)))
    if at is None or any(each.url_id == old.url_id for each in shown.get(item.id, ())):
        return  # of a parser that failed or was not asked; or the url still shows it
    plan.removed.append((old.url_id, old.item_id))
    if item.url_id == old.url_id:
        plan.withdrawn[item.id] = old
        _doubt(plan, item.id, at)


def _plan_shown(
    plan: ObservationPlan, item_id: int, item: ItemColumns | None, sightings: list[Sighting]
) -> None:
    newest = find_newest(sightings)
    is_sure = item is None or (
        newest.at >= item.last_seen_at and item_id not in plan.unsure and item_id not in plan.seen
    )
    if item is None or is_sure:
        content_hash = newest.item.content_hash
    else:
        content_hash = item.content_hash
        plan.seen.pop(item_id, None)
        _doubt(plan, item_id, newest.at)
    if item is not None and is_sure:
        plan.newest[item_id] = newest
    plan.saved.extend(_observation_row(each, item_id, content_hash) for each in sightings)


def _doubt(plan: ObservationPlan, item_id: int, at: Instant) -> None:
    plan.unsure[item_id] = max(at, plan.unsure.get(item_id, at))


def _observation_row(sighting: Sighting, item_id: int, content_hash: int) -> tuple[Any, ...]:
    """`content_hash`: of the item, when the batch is settled or, if it is unsure, before."""
    item = sighting.item
    return (
        sighting.url_id,
        item_id,
        sighting.domain_id,
        sighting.parser,
        sighting.version,
        sighting.at,
        item.content_hash,
        item.confidence,
        None if item.content_hash == content_hash else item.data,
    )
