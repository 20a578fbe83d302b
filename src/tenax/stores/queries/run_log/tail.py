"""Reads a table in the order of its ids while others write to it, without missing a row.

Ids are assigned when rows are written, but rows become visible when they are committed, so the later of two
batches may be visible first. Ids missing below those already read are therefore looked for again for a while.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Column, Connection, Row, Select, or_

from tenax.clock import Instant
from tenax.record import record

# No transaction takes longer. The ids of a transaction that was rolled back stay missing.
MISSED_S = 60.0
MOST_GAPS = 40

Rows = Sequence[Row[*tuple[Any, ...]]]


@record
class IdGap:
    first: int
    last: int
    until: Instant  # looked for until then


@record
class TableTail:
    """How far a table has been read."""

    last_id: int
    gaps: tuple[IdGap, ...] = ()


def read_late(
    connection: Connection, statement: Select[Any], key: Column[Any], tail: TableTail, limit: int
) -> tuple[Rows, TableTail]:
    """Rows in the gaps of the tail, and the tail without them."""
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
    """The tail after these rows, which came next. Each has an `id`, and an `at` when it happened."""
    gaps = [gap for gap in tail.gaps if gap.until > now]
    last_id = tail.last_id
    for row in rows:
        # Gaps between old rows stay empty.
        if row.id > last_id + 1 and row.at > now - MISSED_S:
            gaps.append(IdGap(first=last_id + 1, last=row.id - 1, until=now + MISSED_S))
        last_id = row.id
    return TableTail(last_id=last_id, gaps=tuple(gaps[-MOST_GAPS:]))


def _without(gaps: Iterable[IdGap], ids: Sequence[int]) -> tuple[IdGap, ...]:
    """`ids` are sorted."""
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
