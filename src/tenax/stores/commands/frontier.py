"""What a person orders of the frontier while workers may be at it: clear it, take a url out, free what dead
workers hold. In small steps, each a transaction with the counters it moves; repeating is safe at any time.
"""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

from sqlalchemy import Connection, Row, case, null, or_, select, update

from tenax.clock import Clock, Instant
from tenax.policy.revisit import MISSES_UNTIL_GONE
from tenax.record import record
from tenax.records import Cause, DomainStatus, Fate, RefusalReason
from tenax.stores.access import Access
from tenax.stores.commands.fences import (
    UNLEASED,
    DomainChange,
    lift_fence,
    lock_domains,
    note_moves,
    save_changes,
)
from tenax.stores.contracts.runs import LOST_AFTER_S
from tenax.stores.schema.crawl import domains, urls, workers

URLS_AT_ONCE = 2000
DOMAINS_AT_ONCE = 500

CLEARED_DETAIL = "a person took it out of the frontier"
EMPTIED_DETAIL = "its urls were taken out of the frontier"
_WAITING = urls.c.fate.in_((Fate.QUEUED, Fate.RETRYING))


@record
class Cleared:
    """A step."""

    urls: int
    last_id: int  # of the domains that are done
    is_last: bool


@record
class Recovered:
    domains: int
    urls: int  # that wait in them
    workers: int  # that nobody waits for any more

    def plus(self, other: "Recovered") -> "Recovered":
        return Recovered(
            domains=self.domains + other.domains,
            urls=self.urls + other.urls,
            workers=self.workers + other.workers,
        )


async def clear(access: Access, clock: Clock, domain_id: int | None = None) -> int:
    """Take everything out of the frontier that waits, in one domain or in all; returns how many urls. What
    was never fetched is refused from then on, until somebody adds it again; what has a page keeps it."""
    total, last_id = 0, 0 if domain_id is None else domain_id - 1
    while True:
        step = await access.write(partial(_clear_some, clock=clock, after_id=last_id, until_id=domain_id))
        total, last_id = total + step.urls, step.last_id
        if step.is_last:
            return total


def remove_url(connection: Connection, url_id: int, clock: Clock) -> bool:
    """The same for one url; False: it does not wait."""
    statement = select(urls.c.id, urls.c.domain_id).where(urls.c.id == url_id, urls.c.due_at.isnot(None))
    found = connection.execute(statement.with_for_update()).all()
    _take_out(connection, found, clock)
    return bool(found)


async def recover(access: Access, clock: Clock) -> Recovered:
    """Free the domains whose lease has ended without being renewed, or whose worker has left or was buried.
    Workers that are alive keep theirs. Dead processes of this machine are found by `runtime.bury_dead`."""
    recovered = await access.write(partial(_bury_lost, now=clock.now(), wall=clock.wall()))
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
    _take_out(connection, found, clock)
    # The last one may have more.
    is_full = len(found) == URLS_AT_ONCE
    return Cleared(urls=len(found), last_id=chosen[-1] - is_full, is_last=False)


def _choose(waiting: Sequence[Row[*tuple[Any, ...]]]) -> list[int]:
    """The first domains that fit into a step, and one at least."""
    chosen, total = [waiting[0].id], waiting[0].queued
    for row in waiting[1:]:
        total += row.queued
        if total > URLS_AT_ONCE:
            break
        chosen.append(row.id)
    return chosen


def _take_out(connection: Connection, found: Sequence[Row[*tuple[Any, ...]]], clock: Clock) -> None:
    """The urls are locked and wait."""
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
    note_moves(connection, emptied, DomainStatus.EXHAUSTED, Cause.ALL_DONE, EMPTIED_DETAIL, clock.wall())
    save_changes(connection, [_plan_change(row, numbers[row.id], clock.now()) for row in rows])


def _is_emptied(domain: Row[*tuple[Any, ...]], number: int) -> bool:
    return domain.queued <= number and domain.status in (DomainStatus.PENDING, DomainStatus.ACTIVE)


def _plan_change(domain: Row[*tuple[Any, ...]], number: int, now: Instant) -> DomainChange:
    values = {**lift_fence(domain, now), "queued": domain.queued - number}
    if domain.queued <= number:
        values["avail_at"] = None
    if _is_emptied(domain, number):
        values["status"] = DomainStatus.EXHAUSTED
    return DomainChange(domain_id=domain.id, values=values)


def _bury_lost(connection: Connection, now: Instant, wall: Instant) -> Recovered:
    lost = update(workers).where(workers.c.ended_at.is_(None), workers.c.heartbeat_at < now - LOST_AFTER_S)
    buried = connection.execute(lost.values(ended_at=wall, is_buried=1)).rowcount
    return Recovered(domains=0, urls=0, workers=buried)


def _recover_some(connection: Connection, now: Instant) -> Recovered:
    is_over = or_(domains.c.claim_expires_at <= now, workers.c.ended_at.isnot(None))
    rows = connection.execute(
        select(domains)
        .outerjoin(workers, workers.c.id == domains.c.claimed_by)
        .where(domains.c.claimed_by.isnot(None), is_over)
        .order_by(domains.c.id)
        .limit(DOMAINS_AT_ONCE)
        # One that somebody claims or renews at this moment needs no help.
        .with_for_update(of=domains, skip_locked=True)
    ).all()
    save_changes(connection, [DomainChange(domain_id=row.id, values=_free(row, now)) for row in rows])
    return Recovered(domains=len(rows), urls=sum(row.queued for row in rows), workers=0)


def _free(domain: Row[*tuple[Any, ...]], now: Instant) -> dict[str, Any]:
    """Its last request may never have been committed: it rests from now on."""
    return {
        **UNLEASED,
        "version": domain.version + 1,
        "avail_at": now if domain.is_active else None,
        "last_start_at": max(domain.last_start_at or 0.0, now),
        "last_answer_at": max(domain.last_answer_at or 0.0, now),
    }
