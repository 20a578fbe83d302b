"""Counts of what was settled in a span of time: of a batch, a minute, an hour, a day.

A batch is counted where it is settled, in the same transaction, in the row of its worker and of the minute of
its commit. So exactly what is stored is counted, once, and no two workers ever write the same row.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import orjson

from tenax.clock import Instant
from tenax.metrics import FETCH_DURATION
from tenax.records.requests import FailureKind
from tenax.records.urls import RefusalReason
from tenax.records.visits import Failed, Outcome, Refused, Rejected, Unchanged, Visit
from tenax.stores.contracts.batches import DomainWork, RobotsVisit

MINUTES_KEPT_S = 2 * 86400.0
HOURS_KEPT_S = 60 * 86400.0

SUMS = ("requests", "wire_bytes", "duration_s", "dns_lookups", "dns_s", "robots_denials", "discovered")
TALLIES = ("outcomes", "statuses", "failures", "durations", "rejections")
COLUMNS = (*SUMS, *TALLIES)


class StatsInterval(IntEnum):
    """A span by its seconds; the store knows it by its name."""

    MINUTE = 60
    HOUR = 3600
    DAY = 86400

    @property
    def word(self) -> str:
        return self.name.lower()

    def find_start(self, at: Instant) -> int:
        return int(at // self) * self


@dataclass(slots=True, kw_only=True)
class StatsCounts:
    """Counts of a span. Mutable: sums are made by adding to one."""

    requests: int = 0  # of robots.txt too
    wire_bytes: int = 0
    duration_s: float = 0.0
    dns_lookups: int = 0
    dns_s: float = 0.0
    robots_denials: int = 0
    discovered: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)  # of visits
    statuses: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)  # FailureKind → requests
    durations: Counter[str] = field(default_factory=Counter)  # upper bound of a bucket → requests
    rejections: Counter[str] = field(default_factory=Counter)  # RejectionReason → visits

    @property
    def visits(self) -> int:
        return self.outcomes.total()

    @property
    def pages(self) -> int:
        return self.outcomes["fetched"]

    @property
    def failed(self) -> int:
        return self.outcomes["failed"]

    @property
    def is_empty(self) -> bool:
        return not (self.requests or self.outcomes or self.failures)

    def add(self, other: "StatsCounts") -> None:
        for name in SUMS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in TALLIES:
            getattr(self, name).update(getattr(other, name))


def count_works(works: Sequence[DomainWork], discovered: int, local_failures: int = 0) -> StatsCounts:
    """`discovered`: how many urls were new. `local_failures`: requests that could not be made."""
    counts = StatsCounts(discovered=discovered)
    if local_failures:
        counts.failures[FailureKind.LOCAL.value] = local_failures
    kinds: Counter[type[Outcome]] = Counter()
    for work in works:
        for visit in work.visits:
            kinds[type(visit.outcome)] += 1
            _count_visit(counts, visit)
        for robots in work.robots:
            _count_robots(counts, robots)
    counts.outcomes.update({kind.__name__.lower(): number for kind, number in kinds.items()})
    return counts


def _count_visit(counts: StatsCounts, visit: Visit) -> None:
    outcome = visit.outcome
    if isinstance(outcome, Failed):
        counts.failures[outcome.kind.value] += 1
    elif isinstance(outcome, Refused) and outcome.reason is RefusalReason.ROBOTS:
        counts.robots_denials += 1
    elif isinstance(outcome, Rejected):
        counts.rejections[outcome.reason.value] += 1
    if visit.made_request:
        status = 304 if isinstance(outcome, Unchanged) else getattr(outcome, "status", None)
        _count_request(counts, visit, status)


def _count_robots(counts: StatsCounts, robots: RobotsVisit) -> None:
    if robots.made_request:
        _count_request(counts, robots, robots.status)
        if robots.failure is not None:
            counts.failures[robots.failure.value] += 1


def _count_request(counts: StatsCounts, made: Visit | RobotsVisit, status: int | None) -> None:
    counts.requests += 1
    counts.wire_bytes += made.wire_bytes
    counts.duration_s += made.duration_s
    counts.durations[_BUCKETS[bisect_left(_BOUNDS, made.duration_s)]] += 1
    if made.dns_s:
        counts.dns_lookups += 1
        counts.dns_s += made.dns_s
    if status is not None:
        counts.statuses[str(status)] += 1


_BOUNDS = FETCH_DURATION.bounds
_BUCKETS = FETCH_DURATION.bucket_names


def count_values(counts: StatsCounts) -> tuple[Any, ...]:
    """In the order of COLUMNS."""
    sums = [getattr(counts, name) for name in SUMS]
    return (*sums, *(orjson.dumps(getattr(counts, name)).decode() for name in TALLIES))


def read_counts(values: Sequence[Any]) -> StatsCounts:
    """From values in the order of COLUMNS."""
    named = dict(zip(COLUMNS, values, strict=True))
    tallies = {name: Counter[str](orjson.loads(named[name])) for name in TALLIES}
    return StatsCounts(**{**named, **tallies})
