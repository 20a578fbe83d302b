"""What a worker says of itself with every heartbeat, and how it stands in its row."""

import json
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from tenax.clock import Instant
from tenax.record import record
from tenax.records import BreakerState


class BackingService(StrEnum):
    """What a crawl needs beside the web, each behind a breaker."""

    STORE = "store"  # PostgreSQL, or the file; opens after three failures, tried again every second
    REDIS = "redis"  # opens after five failures, tried again every five seconds
    ROBOTS = "robots"  # of a domain: opens after three failures, and the domain rests
    MACHINE = "machine"  # descriptors, memory, ports, the network; open while nothing at all can be asked


@record
class ServiceBreaker:
    """A breaker that is open, or whose service does not do its part."""

    service: BackingService
    state: BreakerState
    retry_at: Instant | None  # the next trial; None: it is being tried, or closed
    reason: str


@record
class Vitals:
    pages: int = 0  # settled by the worker
    pages_per_min: float = 0.0  # over the last minute
    # The store's own is not among them: who can be heard here has reached it.
    breakers: tuple[ServiceBreaker, ...] = ()
    rss_bytes: int = 0
    peak_rss_bytes: int = 0
    cpu_ms: int = 0  # of its process so far
    silent_domains: int = 0  # that have not answered a request under way for more than a second


def format_trouble(breakers: Sequence[ServiceBreaker]) -> str | None:
    if not breakers:
        return None
    return json.dumps(
        [
            {"service": each.service, "state": each.state, "retry_at": each.retry_at, "reason": each.reason}
            for each in breakers
        ]
    )


def parse_trouble(text: str | None) -> tuple[ServiceBreaker, ...]:
    return tuple(
        ServiceBreaker(
            service=BackingService(each["service"]),
            state=BreakerState(each["state"]),
            retry_at=each["retry_at"],
            reason=each["reason"],
        )
        for each in json.loads(text or "[]")
    )


class VitalColumns(NamedTuple):
    """The vitals of a worker, in `workers`."""

    pages: int
    pages_per_min: float
    trouble: str | None
    rss_bytes: int
    peak_rss_bytes: int
    cpu_ms: int
    silent_domains: int


def vital_values(vitals: Vitals) -> VitalColumns:
    return VitalColumns(
        pages=vitals.pages,
        pages_per_min=vitals.pages_per_min,
        trouble=format_trouble(vitals.breakers),
        rss_bytes=vitals.rss_bytes,
        peak_rss_bytes=vitals.peak_rss_bytes,
        cpu_ms=vitals.cpu_ms,
        silent_domains=vitals.silent_domains,
    )


def assign_vitals(mark: str, first: int) -> str:
    """Of an UPDATE, with the parameters from this number on; `mark` is how the database writes them."""
    return ", ".join(f"{name} = {mark}{number}" for number, name in enumerate(VitalColumns._fields, first))
