"""Sentences about what a crawl waits for, used by both doctors, the live view and `tenax status`."""

from tenax.clock import Instant
from tenax.stores.contracts.overview import ForeignTransaction, NextDomain


def describe_waiting(waiting: NextDomain, now: Instant) -> str:
    """Why the next domain of the queue is not requested yet."""
    wait = format_wait(waiting.avail_at - now)
    if waiting.claimed_by is not None:
        return f"another process is crawling {waiting.domain}"
    if waiting.backoff_until is not None and waiting.backoff_until > now:
        return describe_pause(waiting.domain, waiting.avail_at - now)
    if waiting.breaker_reopen_at is not None and waiting.breaker_reopen_at > now:
        return f"{waiting.domain} keeps failing; next try in {wait}"
    return f"{waiting.domain} is due again in {wait}"


def describe_pause(domain: str, wait_s: float) -> str:
    return f"{domain} asked for a pause; next request in {format_wait(wait_s)}"


def describe_foreign(foreign: ForeignTransaction) -> str:
    """What a transaction of another program does to the store."""
    lasts = "" if foreign.age_s is None else f", open for {format_wait(foreign.age_s)},"
    if foreign.is_blocking:
        return f"a transaction of {foreign.session}{lasts} has locked rows that the crawl must write"
    return (
        f"a transaction of {foreign.session}{lasts} prevents the database from cleaning up: claims get slower"
    )


def format_wait(seconds: float) -> str:
    if seconds < 0.05:
        return "a moment"
    if seconds < 10:
        return f"{seconds:.1f} s"
    for limit, size, unit in ((120, 1, "s"), (7200, 60, "min"), (172_800, 3600, "h")):
        if seconds < limit:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds / 86_400:.0f} days"
