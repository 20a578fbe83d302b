"""Queues the pages that are to be visited again, a few domains at a time."""

from collections.abc import Callable

from tenax.config.settings import Settings
from tenax.stores.contracts.refresh import RefreshBudget, RefreshStore

URLS_AT_ONCE = 50_000  # bounds a transaction


async def promote_due(
    store: RefreshStore,
    settings: Settings,
    run_pages: int,
    is_stopped: Callable[[], bool],
    ahead_s: float = 0.0,
) -> int:
    """Queue the pages that are due, as many as the page limit of the run allows; returns how many.
    `ahead_s`: include pages that are due within this time. A process that dies in the middle leaves some of
    them queued, which is correct."""
    limits, promoted = settings.limits, 0
    per_domain = min(limits.domain_budget, URLS_AT_ONCE)
    room = float("inf") if limits.max_pages is None else limits.max_pages - run_pages
    while promoted < room and not is_stopped():
        limit = int(min(room - promoted, URLS_AT_ONCE))
        step = await store.promote(
            RefreshBudget(
                domains=URLS_AT_ONCE // per_domain,
                per_domain=per_domain,
                limit=limit,
                idle_s=settings.refresh.max_s,
                ahead_s=ahead_s,
            )
        )
        promoted += step.urls
        if not step.domains:
            break
    return promoted
