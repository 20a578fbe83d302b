"""Actions of users on the frontier while workers may be running: empty it, remove a url, free the domains of
dead workers. They work in small steps, each a transaction that includes the counters. Repeating is always
safe.
"""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

from sqlalchemy import Connection, Row, case, null, or_, select, update

from tenax.clock import Clock, Instant
from tenax.policy.revisit import MISSES_UNTIL_GONE
from tenax.record import record
from tenax.records.domains import Cause, DomainStatus
from tenax.records.urls import Fate, RefusalReason
from tenax.stores.access import Access
from tenax.stores.commands.domain_changes import (
    UNLEASED,
    DomainChange,
    StatusChange,
    lock_domains,
    record_status_changes,
    revoke_lease,
    save_changes,
)
from tenax.stores.contracts.runs import LOST_AFTER_S
from tenax.stores.schema.domains import domains
from tenax.stores.schema.runs import workers
from tenax.stores.schema.urls import urls

URLS_AT_ONCE = 2000
DOMAINS_AT_ONCE = 500

CLEARED_DETAIL = "a user removed it from the frontier"
EMPTIED_DETAIL = "its urls were removed from the frontier"
_WAITING = urls.c.fate.in_((Fate.QUEUED, Fate.RETRYING))


@record
class Cleared:
    """The result of one step."""

    urls: int
    last_id: int  # the last domain that is done
    is_last: bool


@record
class Recovered:
    domains: int
    urls: int  # that are waiting in these domains
    workers: int  # that were lost, and are now ended

    def plus(self, other: "Recovered") -> "Recovered":
        return Recovered(
            domains=self.domains + other.domains,
            urls=self.urls + other.urls,
            workers=self.workers + other.workers,
        )


async def empty_frontier(access: Access, clock: Clock, domain_id: int | None = None) -> int:
    """Remove all waiting urls from the frontier, in one domain or in all; returns how many. A url that was
    never fetched is refused from then on, until a user adds it again; a url with a page keeps it."""
    total, last_id = 0, 0 if domain_id is None else domain_id - 1
    while True:
        step = await access.write(partial(_clear_some, clock=clock, after_id=last_id, until_id=domain_id))
        total, last_id = total + step.urls, step.last_id
        if step.is_last:
            return total


def remove_url(connection: Connection, url_id: int, clock: Clock) -> bool:
    """Remove one url from the frontier; False: it is not waiting."""
    statement = select(urls.c.id, urls.c.domain_id).where(urls.c.id == url_id, urls.c.due_at.isnot(None))
    found = connection.execute(statement.with_for_update()).all()
    _remove_urls(connection, found, clock)
    return bool(found)


async def recover_leases(access: Access, clock: Clock) -> Recovered:
    """Free the domains whose lease expired without being renewed, or whose worker left or was found dead.
    Workers that are alive keep theirs. `remove_dead_workers` finds dead processes of this machine."""
    recovered = await access.write(partial(_end_lost_workers, now=clock.now(), wall=clock.wall()))
    while (step := await access.write(partial(_recover_some, now=clock.now()))).domains:
        recovered = recovered.plus(step)
    return recovered


def _clear_some(connection: Connection, clock: Clock, after_id: int, until_id: int | None) -> Cleared:
    statement = select(domains.c.id, domains.c.queued).where(domains.c.id > after_id, domains.c.queued > 0)
    if until_id is not None:
        statement = statement.where(domains.c.id <= until_id)
    waiting = connection.execute(statement.order_by(domains.c.id).limit(DOMAINS_AT_ONCE)).all()
    if not waiting:
        return Cleared(urls=0, last_id=after_id, is_last=True)
    chosen = _choose(waiting)
    found = connection.execute(
        select(urls.c.id, urls.c.domain_id)
        .where(urls.c.domain_id.in_(chosen), urls.c.due_at.isnot(None))
        .order_by(urls.c.domain_id, urls.c.priority, urls.c.due_at)
        .limit(URLS_AT_ONCE)
        .with_for_update()
    ).all()
    _remove_urls(connection, found, clock)
    # The last domain may have more urls.
    is_full = len(found) == URLS_AT_ONCE
    return Cleared(urls=len(found), last_id=chosen[-1] - is_full, is_last=False)


def _choose(waiting: Sequence[Row[*tuple[Any, ...]]]) -> list[int]:
    """The first domains that fit into a step, at least one."""
    chosen, total = [waiting[0].id], waiting[0].queued
    for row in waiting[1:]:
        total += row.queued
        if total > URLS_AT_ONCE:
            break
        chosen.append(row.id)
    return chosen


def _remove_urls(connection: Connection, found: Sequence[Row[*tuple[Any, ...]]], clock: Clock) -> None:
    """The urls are waiting, and the caller has locked them."""
    if not found:
        return
    is_new = _WAITING & urls.c.content_hash.is_(None)
    connection.execute(
        update(urls)
        .where(urls.c.id.in_([row.id for row in found]))
        .values(
            due_at=None,
            attempts=0,
            fate=case(
                (is_new, Fate.REFUSED),
                (_WAITING & (urls.c.misses >= MISSES_UNTIL_GONE), Fate.GONE),
                (_WAITING & (urls.c.is_sitemap == 1), Fate.READ),
                (_WAITING, Fate.FETCHED),
                else_=urls.c.fate,
            ),
            reason=case((is_new, RefusalReason.CLEARED), (_WAITING, null()), else_=urls.c.reason),
            detail=case((is_new, CLEARED_DETAIL), (_WAITING, null()), else_=urls.c.detail),
        )
    )
    numbers = Counter(row.domain_id for row in found)
    rows = lock_domains(connection, numbers)
    emptied = [row for row in rows if _is_emptied(row, numbers[row.id])]
    change = StatusChange(
        to_status=DomainStatus.EXHAUSTED, cause=Cause.ALL_DONE, detail=EMPTIED_DETAIL, at=clock.wall()
    )
    record_status_changes(connection, emptied, change)
    save_changes(connection, [_plan_change(row, numbers[row.id], clock.now()) for row in rows])


def _is_emptied(domain: Row[*tuple[Any, ...]], number: int) -> bool:
    return domain.queued <= number and domain.status in (DomainStatus.PENDING, DomainStatus.ACTIVE)


def _plan_change(domain: Row[*tuple[Any, ...]], number: int, now: Instant) -> DomainChange:
    values = {**revoke_lease(domain, now), "queued": domain.queued - number}
    if domain.queued <= number:
        values["avail_at"] = None
    if _is_emptied(domain, number):
        values["status"] = DomainStatus.EXHAUSTED
    return DomainChange(domain_id=domain.id, values=values)


def _end_lost_workers(connection: Connection, now: Instant, wall: Instant) -> Recovered:
    lost = update(workers).where(workers.c.ended_at.is_(None), workers.c.heartbeat_at < now - LOST_AFTER_S)
    ended = connection.execute(lost.values(ended_at=wall, is_buried=1)).rowcount
    return Recovered(domains=0, urls=0, workers=ended)


def _recover_some(connection: Connection, now: Instant) -> Recovered:
    is_over = or_(domains.c.claim_expires_at <= now, workers.c.ended_at.isnot(None))
    rows = connection.execute(
        select(domains)
        .outerjoin(workers, workers.c.id == domains.c.claimed_by)
        .where(domains.c.claimed_by.isnot(None), is_over)
        .order_by(domains.c.id)
        .limit(DOMAINS_AT_ONCE)
        # Skip a domain that a worker is claiming or renewing right now.
        .with_for_update(of=domains, skip_locked=True)
    ).all()
    save_changes(connection, [DomainChange(domain_id=row.id, values=_release(row, now)) for row in rows])
    return Recovered(domains=len(rows), urls=sum(row.queued for row in rows), workers=0)


def _release(domain: Row[*tuple[Any, ...]], now: Instant) -> dict[str, Any]:
    """Values that free a domain. Its last request may never have been committed, so it rests from now."""
    return {
        **UNLEASED,
        "version": domain.version + 1,
        "avail_at": now if domain.is_active else None,
        "last_start_at": max(domain.last_start_at or 0.0, now),
        "last_answer_at": max(domain.last_answer_at or 0.0, now),
    }
