"""The vitals of a worker, as they are stored in its row. See contracts/vitals.py."""

import json
from collections.abc import Sequence
from typing import NamedTuple

from tenax.clock import Instant
from tenax.policy.stalls import Stall, StallCause
from tenax.records.domains import BreakerState
from tenax.stores.contracts.vitals import BackingService, ServiceBreaker, Vitals


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


def format_stall(stall: Stall | None) -> str | None:
    if stall is None:
        return None
    return json.dumps({"cause": stall.cause, "sentence": stall.sentence, "began_at": stall.began_at})


def parse_stall(text: str | None) -> Stall | None:
    if text is None:
        return None
    fields = json.loads(text)
    return Stall(cause=StallCause(fields["cause"]), sentence=fields["sentence"], began_at=fields["began_at"])


class VitalColumns(NamedTuple):
    """The vitals of a worker, in `workers`."""

    pages: int
    pages_per_min: float
    trouble: str | None
    rss_bytes: int
    peak_rss_bytes: int
    cpu_ms: int
    silent_domains: int
    longest_url: str | None
    longest_started_at: Instant | None
    stall: str | None


def vital_values(vitals: Vitals) -> VitalColumns:
    return VitalColumns(
        pages=vitals.pages,
        pages_per_min=vitals.pages_per_min,
        trouble=format_trouble(vitals.breakers),
        rss_bytes=vitals.rss_bytes,
        peak_rss_bytes=vitals.peak_rss_bytes,
        cpu_ms=vitals.cpu_ms,
        silent_domains=vitals.silent_domains,
        longest_url=vitals.longest.url if vitals.longest is not None else None,
        longest_started_at=vitals.longest.started_at if vitals.longest is not None else None,
        stall=format_stall(vitals.stall),
    )


def assign_vitals(mark: str, first: int) -> str:
    """Assignments of an UPDATE, with the parameters from this number on; `mark` is how the database writes
    them."""
    return ", ".join(f"{name} = {mark}{number}" for number, name in enumerate(VitalColumns._fields, first))
