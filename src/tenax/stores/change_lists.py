"""What has happened to pages, in parts, the newest first: two lists as one. See changes.py."""

import heapq
from collections.abc import Collection
from dataclasses import replace
from itertools import islice
from operator import attrgetter
from typing import Final, NamedTuple

from sqlalchemy import Connection

from tenax.clock import Instant
from tenax.records import ChangeKind
from tenax.stores.changes import Change, find_domain_id, read_change, select_first, select_told
from tenax.stores.listing import NOTHING, Order, Position, Slice, Sliced, load_slice
from tenax.stores.tables import changes, pages
from tenax.values import record

_TOLD: Final = Order(keys={"at": changes.c.at}, number=changes.c.id)
_FIRST: Final = Order(keys={"at": pages.c.first_fetched_at}, number=pages.c.url_id)
_ALL, _NONE = (1 << 63) - 1, 0  # of those at the very instant of a position


class _Entry(NamedTuple):
    change: Change
    at: Instant
    number: int  # twice its id, and one more for those that `changes` tells


@record(frozen=True, slots=True, kw_only=True)
class ChangeFilter:
    domain: str | None = None
    kinds: Collection[ChangeKind] = tuple(ChangeKind)
    since: Instant | None = None


def slice_changes(connection: Connection, wanted: Slice, only: ChangeFilter) -> Sliced[Change]:
    """At one instant, what `changes` tells comes before new pages."""
    domain_id = None
    if only.domain is not None:
        domain_id = find_domain_id(connection, only.domain)
        if domain_id is None:
            return NOTHING
    # One more than wanted of each: which of them come first is seen when they are put together.
    more = replace(wanted, limit=wanted.limit + 1)
    found = [_load_told(connection, more, only, domain_id)]
    if ChangeKind.NEW in only.kinds:
        found.append(_load_first(connection, more, only, domain_id))
    merged = heapq.merge(*found, key=attrgetter("at"), reverse=True)
    entries = list(islice(merged, wanted.limit + 1))
    shown = entries[: wanted.limit]
    last = Position(shown[-1].at, shown[-1].number) if len(entries) > wanted.limit else None
    return Sliced(items=[entry.change for entry in shown], next=last)


def _load_told(
    connection: Connection, wanted: Slice, only: ChangeFilter, domain_id: int | None
) -> list[_Entry]:
    statement = select_told(domain_id, only.kinds)
    if only.since is not None:
        statement = statement.where(changes.c.at >= only.since)
    if wanted.after is not None:
        value, number = wanted.after
        wanted = replace(wanted, after=Position(value, number >> 1 if number & 1 else _NONE))
    found = load_slice(
        connection, statement, _TOLD, wanted, lambda row: _Entry(read_change(row), row.at, 2 * row.key + 1)
    )
    return list(found.items)


def _load_first(
    connection: Connection, wanted: Slice, only: ChangeFilter, domain_id: int | None
) -> list[_Entry]:
    statement = select_first(domain_id)
    if only.since is not None:
        statement = statement.where(pages.c.first_fetched_at >= only.since)
    if wanted.after is not None:
        value, number = wanted.after
        wanted = replace(wanted, after=Position(value, _ALL if number & 1 else number >> 1))
    found = load_slice(
        connection, statement, _FIRST, wanted, lambda row: _Entry(read_change(row), row.at, 2 * row.key)
    )
    return list(found.items)
