"""Reads a table in the order of its ids while others write, so that nothing is missed.

Ids are given out when rows are written, and seen when they are committed: of two batches the later may be
seen first. Ids that are missing below those that were read are looked for again, for a while.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Column, Connection, Row, Select, or_

from tenax.clock import Instant
from tenax.record import record

# No transaction takes longer. Ids of those that were rolled back stay missing.
MISSED_S = 60.0
MOST_GAPS = 40

Rows = Sequence[Row[*tuple[Any, ...]]]


@record
class IdGap:
    first: int
    last: int
    until: Instant  # then nobody looks any more


@record
class TableTail:
    """How far a table was read."""

    last_id: int
    gaps: tuple[IdGap, ...] = ()


def read_late(
    connection: Connection, statement: Select[Any], key: Column[Any], tail: TableTail, limit: int
) -> tuple[Rows, TableTail]:
    """Rows that were missing until now."""
    if not tail.gaps:
        return (), tail
    is_missing = or_(*(key.between(gap.first, gap.last) for gap in tail.gaps))
    rows = connection.execute(statement.where(is_missing).order_by(key).limit(limit)).all()
    return rows, TableTail(last_id=tail.last_id, gaps=_without(tail.gaps, [row.id for row in rows]))


def read_next(
    connection: Connection, statement: Select[Any], key: Column[Any], tail: TableTail, limit: int
) -> Rows:
    return connection.execute(statement.where(key > tail.last_id).order_by(key).limit(limit)).all()


def advance(tail: TableTail, rows: Rows, now: Instant) -> TableTail:
    """After these rows, which were next. Each has an `id`, and `at` says when it came about."""
    gaps = [gap for gap in tail.gaps if gap.until > now]
    last_id = tail.last_id
    for row in rows:
        # What is missing in rows of long ago will stay so.
        if row.id > last_id + 1 and row.at > now - MISSED_S:
            gaps.append(IdGap(first=last_id + 1, last=row.id - 1, until=now + MISSED_S))
        last_id = row.id
    return TableTail(last_id=last_id, gaps=tuple(gaps[-MOST_GAPS:]))


def _without(gaps: Iterable[IdGap], ids: Sequence[int]) -> tuple[IdGap, ...]:
    """`ids` are in their order."""
    left: list[IdGap] = []
    for gap in gaps:
        first = gap.first
        for number in ids:
            if first <= number <= gap.last:
                if number > first:
                    left.append(IdGap(first=first, last=number - 1, until=gap.until))
                first = number + 1
        if first <= gap.last:
            left.append(IdGap(first=first, last=gap.last, until=gap.until))
    return tuple(left)
