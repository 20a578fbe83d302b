"""Retries: urls that a user wants visited again, while workers may be running. They are urls that were given
up, selected by reason, domain and run; or urls given by name, whatever their fate.

A retry works in small steps: each finds its urls without locks, and then queues those that have not changed
since, in one transaction with the counters of their domains. So a process that dies in the middle leaves some
of them queued, two retries at once queue each url once, and repeating is safe: waiting urls are not queued
again.

No worker loses a lease: no worker has urls that are not waiting, and a worker that holds their domain finds
them when it next loads urls, or releases the domain as one with waiting urls.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, and_, bindparam, case, func, select, tuple_, update

from tenax import failpoints
from tenax.clock import Clock, Instant
from tenax.policy.domain_states import RESTING
from tenax.record import record, replace
from tenax.records.domains import Cause, DomainStatus
from tenax.records.runs import RunState
from tenax.records.traps import TrapState
from tenax.records.urls import ASKED_AGAIN, SOFT_404, Fate, Priority
from tenax.stores.access import Access
from tenax.stores.commands.domain_changes import StatusChange, lock_domains, record_status_changes
from tenax.stores.queries.given_up import GivenUp, iter_given_up, list_conditions, select_urls
from tenax.stores.schema.domains import domains
from tenax.stores.schema.runs import runs
from tenax.stores.schema.traps import traps
from tenax.stores.schema.urls import urls
from tenax.web.identity import url_key
from tenax.web.urls import domain_of, parse_url

Rows = Sequence[Row[*tuple[Any, ...]]]

NAMES_AT_ONCE = 500
SHOWN: Final = 5

WAKE_DETAIL = "a user asked to visit its urls again"

# Urls with one of these fates keep it until the visit ends if they have a page; without one they are queued
# like a new url.
_KEPT: Final = (Fate.FETCHED, Fate.READ, Fate.DUPLICATE, Fate.GONE, Fate.REDIRECTED, Fate.SKIPPED)


@record
class Retried:
    """What was queued, or would be."""

    urls: int = 0
    # their former state: dead and rejected urls by reason, others by fate
    before: Mapping[str, int]
    resting: int = 0  # of these urls, in domains that are blocked or unreachable and stay so
    resting_domains: tuple[str, ...] = ()  # the first of these domains
    trapped: int = 0  # that were not queued, as their clusters are closed
    closed: tuple[str, ...] = ()  # the first of these clusters: the domain and the shape
    sources: frozenset[int] = frozenset()  # that their domains belong to
    # of urls given by name
    waiting: int = 0  # that are already waiting
    unknown: int = 0
    first_unknown: tuple[str, ...] = ()
    is_complete: bool = True  # False: stopped at the requested limit, there may be more

    def plus(self, other: "Retried") -> "Retried":
        return Retried(
            urls=self.urls + other.urls,
            before=dict(Counter(self.before) + Counter(other.before)),
            resting=self.resting + other.resting,
            resting_domains=_first(self.resting_domains, other.resting_domains),
            trapped=self.trapped + other.trapped,
            closed=_first(self.closed, other.closed),
            sources=self.sources | other.sources,
            waiting=self.waiting + other.waiting,
            unknown=self.unknown + other.unknown,
            first_unknown=_first(self.first_unknown, other.first_unknown),
            is_complete=self.is_complete and other.is_complete,
        )


NONE: Final = Retried(before={})
Report = Callable[[Retried], None]


def _first(*names: Iterable[str]) -> tuple[str, ...]:
    return tuple(islice(dict.fromkeys(name for each in names for name in each), SHOWN))


# --- urls that were given up -------------------------------------------------------------------------


def ignore_report(done: Retried) -> None:
    pass


async def retry_given_up(
    access: Access, clock: Clock, only: GivenUp, *, most: int | None = None, report: Report = ignore_report
) -> Retried:
    """Queue them for another visit, as if they were new. `most`: stop after the step that reaches this
    number; a repeated call continues with the others. `report` is called with the result so far after every
    step."""
    done = NONE
    async for found in iter_given_up(access, only):
        if most is not None and done.urls >= most:
            return replace(done, is_complete=False)
        ids = [row.id for row in found]
        done = done.plus(await access.write(partial(_retry_found, ids=ids, only=only, clock=clock)))
        report(done)
        failpoints.reach("retry.after")
    return done


async def count_given_up(
    access: Access, only: GivenUp, *, most: int | None = None, report: Report = ignore_report
) -> Retried:
    """What `retry_given_up` would queue now, with the same parameters."""
    done = NONE
    # A run may have visited a url more than once.
    counted: set[int] = set()
    async for found in iter_given_up(access, only):
        if most is not None and done.urls >= most:
            return replace(done, is_complete=False)
        new = {row.id: row for row in found if row.id not in counted}
        if only.run_id is not None:
            counted.update(new)
        done = done.plus(await access.read(partial(_count_found, found=list(new.values()))))
        report(done)
    return done


def _count_found(connection: Connection, found: Rows) -> Retried:
    free, held = hold_trapped(connection, found)
    return _summarize(free, {row.domain_id: row for row in free}).plus(held)


def _retry_found(connection: Connection, ids: Sequence[int], only: GivenUp, clock: Clock) -> Retried:
    found, held = hold_trapped(connection, lock_urls(connection, urls.c.id.in_(ids), *list_conditions(only)))
    queue_urls(connection, [row.id for row in found], due_at=clock.now())
    return wake_domains(connection, found, clock).plus(held)


# --- urls given by name ------------------------------------------------------------------------------


async def retry_urls(
    access: Access, clock: Clock, named: Iterable[str], *, report: Report = ignore_report
) -> Retried:
    """Queue known urls for another visit, before all waiting urls of their domains and whatever their fate.
    `named`: addresses with all their parameters."""
    done = NONE
    for some in _cut(named):
        done = done.plus(await access.write(partial(_retry_named, named=some, clock=clock)))
        report(done)
        failpoints.reach("retry.after")
    return done


async def count_urls(access: Access, named: Iterable[str], *, report: Report = ignore_report) -> Retried:
    """What `retry_urls` would queue now."""
    done = NONE
    for some in _cut(named):
        done = done.plus(await access.read(partial(_count_named, named=some)))
        report(done)
    return done


def _cut(named: Iterable[str]) -> Iterator[list[str]]:
    iterator = iter(named)
    while some := list(islice(iterator, NAMES_AT_ONCE)):
        yield some


def _count_named(connection: Connection, named: Sequence[str]) -> Retried:
    known, unknown = _find_named(connection, named)
    idle = [row for row in known if row.due_at is None]
    return _count_found(connection, idle).plus(_summarize_rest(len(known) - len(idle), unknown))


def _retry_named(connection: Connection, named: Sequence[str], clock: Clock) -> Retried:
    known, unknown = _find_named(connection, named)
    ids = [row.id for row in known if row.due_at is None]
    idle = lock_urls(connection, urls.c.id.in_(ids), urls.c.due_at.is_(None)) if ids else []
    found, held = hold_trapped(connection, idle)
    by_instant: dict[Instant, list[int]] = defaultdict(list)
    first = _find_first(connection, {row.domain_id for row in found}, clock.now())
    for row in found:
        by_instant[first[row.domain_id]].append(row.id)
    for due_at, chosen in by_instant.items():
        queue_urls(connection, chosen, due_at=due_at, priority=Priority.HIGH)
    rest = _summarize_rest(len(known) - len(idle), unknown)
    return wake_domains(connection, found, clock).plus(held).plus(rest)


def _summarize_rest(waiting: int, unknown: Sequence[str]) -> Retried:
    return Retried(before={}, waiting=waiting, unknown=len(unknown), first_unknown=tuple(unknown[:SHOWN]))


def _find_named(
    connection: Connection, named: Sequence[str]
) -> tuple[list[Row[*tuple[Any, ...]]], list[str]]:
    """The known urls, each once, and the addresses of the unknown ones."""
    names = {domain_of(url) for url in named}
    statement = select(domains.c.name, domains.c.id).where(domains.c.name.in_(names))
    ids: dict[str, int] = {row.name: row.id for row in connection.execute(statement)}
    keys = {url: _list_keys(url, ids[domain_of(url)]) for url in named if domain_of(url) in ids}
    wanted = {key for each in keys.values() for key in each}
    rows = connection.execute(
        select_urls()
        .add_columns(urls.c.key, urls.c.due_at)
        .where(tuple_(urls.c.domain_id, urls.c.key).in_(sorted(wanted)))
    )
    found = {(row.domain_id, row.key): row for row in rows}
    known: dict[int, Row[*tuple[Any, ...]]] = {}
    unknown = []
    for url in named:
        row = next((found[key] for key in keys.get(url, ()) if key in found), None)
        if row is None:
            unknown.append(url)
        else:
            known[row.id] = row
    return list(known.values()), unknown


def _list_keys(url: str, domain_id: int) -> list[tuple[int, int]]:
    """The keys of a url as written and without insignificant parameters: crawls may have kept them or not."""
    plain = parse_url(url) or url
    return [(domain_id, url_key(each)) for each in dict.fromkeys((url, plain))]


def _find_first(connection: Connection, ids: Collection[int], now: Instant) -> dict[int, Instant]:
    """The due time that puts urls of these domains first in their queues."""
    others = urls.alias()
    earliest = (
        select(func.min(others.c.due_at))
        .where(
            others.c.domain_id == domains.c.id,
            others.c.priority == int(Priority.HIGH),
            others.c.due_at.isnot(None),
        )
        .scalar_subquery()
    )
    statement = select(domains.c.id, earliest.label("earliest")).where(domains.c.id.in_(ids))
    return {
        row.id: now if row.earliest is None else min(now, row.earliest - 1.0)
        for row in connection.execute(statement)
    }


# --- all retries -------------------------------------------------------------------------------------


def list_running(connection: Connection, sources: Collection[int]) -> list[int]:
    """The active runs of these sources, which visit what was queued. Urls of other sources wait for the next
    run."""
    statement = select(runs.c.id).where(runs.c.state == RunState.RUNNING, runs.c.source_id.in_(sources))
    return list(connection.scalars(statement.order_by(runs.c.id)))


def lock_urls(connection: Connection, *conditions: ColumnElement[bool]) -> Rows:
    """Locked in the order of their ids: of two retries of the same urls, one waits for the other and then
    finds them queued."""
    columns = (urls.c.id, urls.c.domain_id, urls.c.fate, urls.c.reason, urls.c.detail)
    statement = select(*columns).where(*conditions)
    return connection.execute(statement.order_by(urls.c.id).with_for_update()).all()


def hold_trapped(connection: Connection, found: Rows) -> tuple[Rows, Retried]:
    """Those that can be visited, and what is said of the others: urls of a closed cluster would be trapped
    again."""
    trapped = {(row.domain_id, row.detail) for row in found if row.fate == Fate.TRAPPED}
    if not trapped:
        return found, NONE
    statement = select(traps.c.domain_id, traps.c.shape, domains.c.name).join(
        domains, domains.c.id == traps.c.domain_id
    )
    is_closed = and_(
        traps.c.state == TrapState.CLOSED, tuple_(traps.c.domain_id, traps.c.shape).in_(sorted(trapped))
    )
    closed = {(row.domain_id, row.shape): row.name for row in connection.execute(statement.where(is_closed))}
    free = [row for row in found if row.fate != Fate.TRAPPED or (row.domain_id, row.detail) not in closed]
    clusters = _first(sorted(f"{name} {shape}" for (_, shape), name in closed.items()))
    return free, Retried(before={}, trapped=len(found) - len(free), closed=clusters)


def queue_urls(
    connection: Connection, ids: Sequence[int], *, due_at: Instant, priority: Priority | None = None
) -> None:
    """The urls are not waiting, and the caller has locked them."""
    if not ids:
        return
    is_kept = and_(urls.c.fate.in_(_KEPT), urls.c.content_hash.isnot(None))
    earlier = "it was " + urls.c.fate + func.coalesce(": " + urls.c.detail, "")
    connection.execute(
        update(urls)
        .where(urls.c.id.in_(ids))
        .values(
            due_at=due_at,
            attempts=0,
            revisit_at=None,
            priority=urls.c.priority if priority is None else int(priority),
            fate=case((is_kept, urls.c.fate), else_=Fate.QUEUED),
            reason=case((is_kept, urls.c.reason), else_=ASKED_AGAIN),
            detail=case((is_kept, urls.c.detail), else_=earlier),
        )
    )


def wake_domains(connection: Connection, found: Rows, clock: Clock) -> Retried:
    """Count what was queued. An exhausted or parked domain becomes available again; a resting one keeps
    resting."""
    numbers = Counter(row.domain_id for row in found)
    if not numbers:
        return NONE
    rows = lock_domains(connection, numbers)
    exhausted = [row for row in rows if row.status == DomainStatus.EXHAUSTED]
    change = StatusChange(
        to_status=DomainStatus.ACTIVE, cause=Cause.REFRESH, detail=WAKE_DETAIL, at=clock.wall()
    )
    record_status_changes(connection, exhausted, change)
    statement = (
        update(domains)
        .where(domains.c.id == bindparam("domain"))
        .values(queued=bindparam("waiting"), status=bindparam("becomes"), avail_at=bindparam("from_at"))
    )
    connection.execute(statement, [_plan_wake(row, numbers[row.id], clock.now()) for row in rows])
    return _summarize(found, {row.id: row for row in rows})


def _plan_wake(domain: Row[*tuple[Any, ...]], number: int, now: Instant) -> dict[str, Any]:
    status = DomainStatus(domain.status)
    avail_at = domain.avail_at
    is_indefinite = status in RESTING and domain.next_crawl_after is None
    # A worker that holds it finds the urls by itself.
    if domain.claimed_by is None and not is_indefinite:
        rests_until = domain.next_crawl_after if status in RESTING else 0.0
        ready_at = max(now, domain.ready_at or 0.0, rests_until)
        avail_at = ready_at if avail_at is None else min(avail_at, ready_at)
    return {
        "domain": domain.id,
        "waiting": domain.queued + number,
        "becomes": DomainStatus.ACTIVE if status is DomainStatus.EXHAUSTED else status,
        "from_at": avail_at,
    }


def _name_state(url: Row[*tuple[Any, ...]]) -> str:
    is_reason = url.fate in (Fate.DEAD, Fate.REJECTED) or url.reason == SOFT_404
    name: str = url.reason if is_reason and url.reason else url.fate
    return name


def _summarize(found: Rows, by_domain: Mapping[int, Row[*tuple[Any, ...]]]) -> Retried:
    resting = [row for row in found if by_domain[row.domain_id].status in RESTING]
    return Retried(
        urls=len(found),
        before=dict(Counter(_name_state(row) for row in found)),
        resting=len(resting),
        resting_domains=_first(by_domain[row.domain_id].name for row in resting),
        sources=frozenset(domain.source_id for domain in by_domain.values()),
    )
