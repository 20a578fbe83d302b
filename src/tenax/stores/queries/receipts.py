"""The politeness receipt of a domain: how it was actually requested, counted from the log of its visits.

A log may have millions of visits, so a long one is counted only once: the counts up to some instant are kept
in a row, and readers continue from there. Requests, the smallest gap and the histogram are exact; the median
comes from finer buckets of the histogram and is accurate to 2 %.

The row is only a cache. If a visit is settled late, with an instant before the end of what was counted, the
domain's counter of requests no longer matches, and the log is counted again. So settling a visit needs no
extra work, and a crash anywhere loses nothing.
"""

import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from math import inf
from typing import Any, Final

from sqlalchemy import Connection, Select, delete, func, insert, select, update

from tenax.clock import Instant
from tenax.record import record
from tenax.stores.deadlines import iter_in_time
from tenax.stores.schema.domains import domains
from tenax.stores.schema.receipts import receipts
from tenax.stores.schema.visits import visits

GAP_BOUNDS_S: Final = (
    *(0.1, 0.2, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 600.0, 3600.0),
)
_STEP: Final = 1.02
_FINEST_S: Final = 0.001
_ROWS_AT_ONCE: Final = 5000


def _list_bounds() -> tuple[float, ...]:
    """The bounds of the histogram, and between them steps of 2 % from a millisecond to a century."""
    bounds = {_FINEST_S * _STEP**number for number in range(1470)}
    return tuple(sorted(bounds.union(GAP_BOUNDS_S)))


_BOUNDS: Final = _list_bounds()
_COARSE: Final = tuple(bisect_right(GAP_BOUNDS_S, bound) for bound in (0.0, *_BOUNDS))


@record
class GapCount:
    """A bucket of the histogram: gaps shorter than its bound, and not shorter than the bound before."""

    below_s: float | None  # None: all longer gaps
    count: int


@record
class PolitenessReceipt:
    """How the domain was actually requested: every request that was made, including robots.txt."""

    requests: int
    first_at: Instant | None = None
    last_at: Instant | None = None
    smallest_gap_s: float | None = None  # between the starts of two consecutive requests
    smallest_gap_at: Instant | None = None  # when the second of them started
    median_gap_s: float | None = None  # accurate to 2 %
    gaps: tuple[GapCount, ...] = ()  # their histogram


@dataclass(slots=True)
class GapBucket:
    count: int = 0
    sum_s: float = 0.0


@dataclass(slots=True)
class ReceiptTally:
    """What was counted so far, in the order of the starts."""

    requests: int = 0
    first_at: Instant | None = None
    last_at: Instant | None = None
    smallest_gap_s: float = inf
    smallest_gap_at: Instant | None = None
    buckets: dict[int, GapBucket] = field(default_factory=dict)
    failures: Counter[str] = field(default_factory=Counter)

    def add_starts(self, starts: Iterable[Instant]) -> None:
        last, buckets = self.last_at, self.buckets
        for start in starts:
            self.requests += 1
            if last is None:
                self.first_at = start
            else:
                gap = start - last
                if gap < self.smallest_gap_s:
                    self.smallest_gap_s, self.smallest_gap_at = gap, start
                number = bisect_right(_BOUNDS, gap)
                bucket = buckets.get(number) or buckets.setdefault(number, GapBucket())
                bucket.count += 1
                bucket.sum_s += gap
            last = start
        self.last_at = last

    def to_receipt(self) -> PolitenessReceipt:
        if not self.requests:
            return PolitenessReceipt(requests=0)
        return PolitenessReceipt(
            requests=self.requests,
            first_at=self.first_at,
            last_at=self.last_at,
            smallest_gap_s=None if self.smallest_gap_at is None else self.smallest_gap_s,
            smallest_gap_at=self.smallest_gap_at,
            median_gap_s=self._find_median(),
            gaps=self._count_gaps(),
        )

    def _count_gaps(self) -> tuple[GapCount, ...]:
        counts: Counter[int] = Counter()
        for number, bucket in self.buckets.items():
            counts[_COARSE[number]] += bucket.count
        bounds = (*GAP_BOUNDS_S, None)
        return tuple(GapCount(below_s=bound, count=counts[at]) for at, bound in enumerate(bounds))

    def _find_median(self) -> float | None:
        """The mean of the bucket that contains the median: exact if all gaps in it are equal."""
        number = self.requests - 1
        if number < 1:
            return None
        lower, upper = self._find_mean((number - 1) // 2), self._find_mean(number // 2)
        return (lower + upper) / 2

    def _find_mean(self, rank: int) -> float:
        for _, bucket in sorted(self.buckets.items()):
            if rank < bucket.count:
                return bucket.sum_s / bucket.count
            rank -= bucket.count
        raise ValueError("There are fewer gaps than this rank.")


@record
class KeptReceipt:
    """The stored part of a domain's receipt."""

    tally: ReceiptTally
    until: Instant | None = None  # None: nothing is counted
    unlogged: int = 0


@record
class CountLimit:
    """How much to count at once: at most so many visits, up to an instant before which none are added."""

    visits: int
    settled_until: Instant


def count_receipt(
    connection: Connection, domain_id: int, counter: int, bound: CountLimit | None = None
) -> ReceiptTally | None:
    """`counter`: the requests in the domain's row. None: counting takes longer than `bound` allows; call
    `count_on` first."""
    kept = load_kept(connection, domain_id)
    if bound is not None and _find_step_end(connection, domain_id, kept, bound) is not None:
        return None
    tally = _count_rest(connection, domain_id, kept)
    if kept.until is None or tally.requests + kept.unlogged == counter:
        return tally
    # A visit was settled late: the stored counts are no longer valid.
    return (
        None if bound is not None else _count_rest(connection, domain_id, KeptReceipt(tally=ReceiptTally()))
    )


def count_on(connection: Connection, domain_id: int, bound: CountLimit) -> KeptReceipt | None:
    """Count the next step, to be saved. None: the rest is shorter than a step."""
    kept = load_kept(connection, domain_id)
    until = _find_step_end(connection, domain_id, kept, bound)
    if until is None:
        return None
    tally = deepcopy(kept.tally)
    _add(connection, tally, domain_id, kept.until, until)
    return KeptReceipt(tally=tally, until=until, unlogged=kept.unlogged)


def find_counter(connection: Connection, name: str) -> tuple[int, int] | None:
    """The domain's id and its counter of requests; None: there is no such domain."""
    row = connection.execute(select(domains.c.id, domains.c.requests).where(domains.c.name == name)).first()
    return None if row is None else (row.id, row.requests)


def find_unlogged(connection: Connection, domain_id: int, counter: int) -> int:
    """The difference between the counter and the log."""
    return counter - _count_rest(connection, domain_id, load_kept(connection, domain_id)).requests


def load_kept(connection: Connection, domain_id: int) -> KeptReceipt:
    row = connection.execute(select(receipts).where(receipts.c.domain_id == domain_id)).one_or_none()
    if row is None:
        return KeptReceipt(tally=ReceiptTally())
    buckets = {int(number): GapBucket(*bucket) for number, bucket in json.loads(row.gaps).items()}
    tally = ReceiptTally(
        requests=row.requests,
        first_at=row.first_at,
        last_at=row.last_at,
        smallest_gap_s=inf if row.smallest_gap_s is None else row.smallest_gap_s,
        smallest_gap_at=row.smallest_gap_at,
        buckets=buckets,
        failures=Counter(json.loads(row.failures)),
    )
    return KeptReceipt(tally=tally, until=row.until, unlogged=row.unlogged)


def save_kept(connection: Connection, domain_id: int, kept: KeptReceipt) -> None:
    """Save the counts, unless another server has already counted further."""
    tally = kept.tally
    values = {
        "until": kept.until,
        "requests": tally.requests,
        "first_at": tally.first_at,
        "last_at": tally.last_at,
        "smallest_gap_s": None if tally.smallest_gap_at is None else tally.smallest_gap_s,
        "smallest_gap_at": tally.smallest_gap_at,
        "gaps": json.dumps({number: (each.count, each.sum_s) for number, each in tally.buckets.items()}),
        "failures": json.dumps(tally.failures),
        "unlogged": kept.unlogged,
    }
    is_it = receipts.c.domain_id == domain_id
    found = connection.execute(select(receipts.c.until).where(is_it).with_for_update()).one_or_none()
    if found is None:
        connection.execute(insert(receipts).values(domain_id=domain_id, **values))
    elif kept.until is not None and found.until <= kept.until:
        connection.execute(update(receipts).where(is_it).values(**values))


def note_unlogged(connection: Connection, domain_id: int, unlogged: int) -> None:
    connection.execute(update(receipts).where(receipts.c.domain_id == domain_id).values(unlogged=unlogged))


def forget_kept(connection: Connection, domain_id: int) -> None:
    connection.execute(delete(receipts).where(receipts.c.domain_id == domain_id))


def _find_step_end(
    connection: Connection, domain_id: int, kept: KeptReceipt, bound: CountLimit
) -> Instant | None:
    """The end of a full step; None: there are fewer visits than that."""
    statement = (
        _within(select(visits.c.at), domain_id, kept.until, bound.settled_until)
        .order_by(visits.c.at)
        .offset(bound.visits - 1)
        .limit(1)
    )
    end: Instant | None = connection.scalar(statement)
    return end


def _count_rest(connection: Connection, domain_id: int, kept: KeptReceipt) -> ReceiptTally:
    tally = deepcopy(kept.tally)
    _add(connection, tally, domain_id, kept.until, None)
    return tally


def _add(
    connection: Connection, tally: ReceiptTally, domain_id: int, after: Instant | None, until: Instant | None
) -> None:
    tally.add_starts(iter_in_time(connection, _iter_starts(connection, domain_id, after, until)))
    tally.failures.update(_count_failures(connection, domain_id, after, until))


def _iter_starts(
    connection: Connection, domain_id: int, after: Instant | None, until: Instant | None
) -> Iterator[Instant]:
    statement = _within(select(visits.c.at), domain_id, after, until).order_by(visits.c.at)
    yield from connection.scalars(statement.execution_options(yield_per=_ROWS_AT_ONCE))


def _count_failures(
    connection: Connection, domain_id: int, after: Instant | None, until: Instant | None
) -> dict[str, int]:
    statement = _within(select(visits.c.error_kind, func.count()), domain_id, after, until).where(
        visits.c.error_kind.isnot(None),
        visits.c.outcome != "refused",  # a page that asks not to be stored is not a failure
    )
    rows = connection.execute(statement.group_by(visits.c.error_kind))
    return {row[0]: row[1] for row in rows}


def _within(
    statement: Select[*tuple[Any, ...]], domain_id: int, after: Instant | None, until: Instant | None
) -> Select[*tuple[Any, ...]]:
    statement = statement.where(visits.c.domain_id == domain_id)
    if after is not None:
        statement = statement.where(visits.c.at > after)
    return statement if until is None else statement.where(visits.c.at <= until)
