"""The evidence that a stalled worker collects about itself. Every question has a deadline."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from tenax.crawl.visits.context import RunContext, WorkerMemory
from tenax.crawl.visits.headroom import Headroom
from tenax.crawl.worker.agenda import Agenda
from tenax.crawl.worker.heartbeat import find_longest
from tenax.crawl.worker.operations import StoreOperations
from tenax.crawl.worker.store_retry import StoreRetry
from tenax.errors import StoreError, TenaxError
from tenax.fetch.watched import WatchedFetcher
from tenax.policy.stalls import StallEvidence
from tenax.record import record
from tenax.web.urls import host_of

STORE_DEADLINE_S = 5.0
NAMES_DEADLINE_S = 20.0


@record
class WatchedParts:
    """What a worker consists of, as far as it watches itself."""

    context: RunContext
    memory: WorkerMemory
    agenda: Agenda
    operations: StoreOperations
    store_retry: StoreRetry
    fetcher: WatchedFetcher
    check_store: Callable[[], Awaitable[object]]  # the cheapest query there is
    read_disk: Callable[[], int | None]  # free bytes
    wake: Callable[[], None]  # look again for everything that is due
    end: Callable[[TenaxError], None]  # give everything back and exit


async def gather_evidence(parts: WatchedParts, idle_s: float, lag_s: float, rss_bytes: int) -> StallEvidence:
    now = parts.context.clock.now()
    store_s, store_error = await _ask_store(parts.check_store)
    answered_at = parts.memory.headroom.answered_at
    longest = find_longest(parts.fetcher, parts.memory.activity)
    return StallEvidence(
        idle_s=idle_s,
        operation=find_hung_operation(parts, idle_s / 2),
        store_error=store_error,
        store_s=store_s,
        disk_free_bytes=parts.read_disk(),
        rss_bytes=rss_bytes,
        is_full=parts.agenda.is_full,
        lag_s=lag_s,
        network=find_network_trouble(parts.memory.headroom),
        answered_s=now - answered_at if answered_at else None,
        names=await _ask_names(parts),
        longest_url=longest[0] if longest is not None else None,
        longest_s=longest[1] if longest is not None else 0.0,
    )


def find_network_trouble(headroom: Headroom) -> str | None:
    """What is known about the network without asking anybody."""
    return headroom.trouble if headroom.is_unrouted else None


def find_hung_operation(parts: WatchedParts, least_s: float) -> str | None:
    """The store operation that has been active for the longest time, if that is at least so long."""
    oldest = parts.operations.find_oldest()
    return oldest[0] if oldest is not None and oldest[1] >= least_s else None


async def _ask_store(check: Callable[[], Awaitable[object]]) -> tuple[float, str | None]:
    """How long a query took, and why it got no answer."""
    started_s = time.monotonic()
    error = None
    try:
        async with asyncio.timeout(STORE_DEADLINE_S):
            await check()
    except TimeoutError:
        error = f"no answer within {STORE_DEADLINE_S:g} s"
    except StoreError as trouble:
        error = str(trouble)
    return time.monotonic() - started_s, error


async def _ask_names(parts: WatchedParts) -> str | None:
    """Ask for the host of a url that is due."""
    url = next((domain.queue[0].url for domain in parts.memory.pool if domain.queue), None)
    if url is None:
        return None
    try:
        async with asyncio.timeout(NAMES_DEADLINE_S):
            return await parts.fetcher.check_names(host_of(url))
    except TimeoutError:
        return f"no answer within {NAMES_DEADLINE_S:g} s"
