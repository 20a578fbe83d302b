"""Holds the domain of a feed while the feed is requested, so that no crawl sends requests concurrently.

Until the deadline of the request no worker can claim the domain: it counts as answered at the deadline, and
further requests are allowed after that. When the response arrives, both are corrected. If the server dies in
between, the hold expires by itself, and the domain rests from the deadline on, as its last request may have
taken that long.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from sqlalchemy import Connection, Row, case, func, select, text, update

from tenax.clock import Instant
from tenax.config.crawl import PolitenessSettings
from tenax.policy.domain_states import RESTING
from tenax.policy.politeness import clamp, count_from, delay_in_force, plan_next_fetch
from tenax.policy.rules import apply_pace
from tenax.record import record
from tenax.records.domains import DomainStatus, Pace
from tenax.stores.commands.domain_changes import revoke_lease
from tenax.stores.cursors import hold_cursor
from tenax.stores.hot.site_claims import MARK
from tenax.stores.queries.domains import rules_of
from tenax.stores.schema.domains import domains
from tenax.stores.schema.store import store_clock
from tenax.web.urls import registrable_domain

CLAIMED_S: Final = 60.0  # the delay while a worker holds the domain
INACTIVE_S: Final = 600.0  # the delay while a user has deactivated the domain
SOON_S: Final = 5.0  # the delay while another of its feeds is requested, or a worker may be about to claim it
SLACK_S: Final = 5.0  # for starting the request, and beyond its deadline

_ADD = text(
    """
    INSERT INTO domains (name, site, source_id, status, first_seen_at)
    VALUES (:name, :site, :source_id, :status, :now)
    ON CONFLICT (name) DO NOTHING
    """
)


@record
class PolitenessTerms:
    """The politeness settings of a feed's source."""

    politeness: PolitenessSettings
    request_s: float  # the longest time that a request may take


@record
class FeedHold:
    domain: str
    until: Instant
    delay_s: float = 0.0  # until the next request, by the domain's rules and the source


@record
class FeedAnswer:
    """What a response says about the domain."""

    at: Instant
    response_s: float
    rests_until: Instant | None = None  # the web server asked to wait, which applies to the whole domain


def add_domains(connection: Connection, wanted: Iterable[tuple[str, int]], now: Instant) -> None:
    """Add domains of feeds, given as (domain, source id). A domain that no crawl knows yet must be held like
    any other: a worker may find a link to it at any moment."""
    sources = dict(wanted)
    known = set(connection.scalars(select(domains.c.name).where(domains.c.name.in_(sources))))
    # In the order in which workers add them, so that transactions that add the same domains never deadlock.
    for name in sorted(sources.keys() - known):
        values = {
            "name": name,
            "site": registrable_domain(name),
            "source_id": sources[name],
            "status": DomainStatus.PENDING.value,
            "now": now,
        }
        connection.execute(_ADD, values)


def hold_domain(
    connection: Connection, name: str, terms: PolitenessTerms, now: Instant, *, goes_on: bool = False
) -> FeedHold | Instant:
    """Hold the domain for one request that starts now; an instant: try again then. `goes_on`: the request
    continues what the last one started."""
    if terms.politeness.site_gap_s is not None:
        hold_cursor(connection, MARK)  # before all rows, in the same order as workers that claim
    # Skip a row that another transaction has locked: waiting while holding other locks might deadlock.
    found = select(domains).where(domains.c.name == name).with_for_update(skip_locked=True)
    row = connection.execute(found).one_or_none()
    if row is None:
        return now + SOON_S
    until = now + terms.request_s + SLACK_S
    if (retry_at := _find_obstacle(connection, row, terms, now, until)) is not None:
        return retry_at
    if (allowed_at := _find_allowed(connection, row, terms, now, goes_on=goes_on)) > now:
        return allowed_at
    is_earlier = domains.c.avail_at < until
    connection.execute(
        update(domains)
        .where(domains.c.id == row.id)
        .values(
            last_start_at=now,
            last_answer_at=until,
            ready_at=until,
            # NULL stays: no worker may claim it. Urls added meanwhile are planned by `ready_at`.
            avail_at=case((is_earlier, until), else_=domains.c.avail_at),
        )
    )
    return FeedHold(domain=name, until=until, delay_s=_find_pace(row, terms).delay_s)


def _find_obstacle(
    connection: Connection,
    row: Row[*tuple[Any, ...]],
    terms: PolitenessTerms,
    now: Instant,
    until: Instant,
) -> Instant | None:
    """When to try again if the domain cannot be held at all now; None: it can."""
    if not row.is_active:
        return now + INACTIVE_S
    if row.claimed_by is not None:
        return _refuse_claimed(connection, row, terms, now)
    if terms.politeness.site_gap_s is not None:
        rests_until = _find_site_rest(connection, row, terms, now)
        if rests_until > now:
            return rests_until
    # Answered in the future means that another request is active.
    return now + SOON_S if now < (row.last_answer_at or 0.0) <= until else None


def _find_allowed(
    connection: Connection,
    row: Row[*tuple[Any, ...]],
    terms: PolitenessTerms,
    now: Instant,
    *,
    goes_on: bool,
) -> Instant:
    """When politeness, and workers that may want the domain, allow the request."""
    ready_at = _find_ready(row, _find_pace(row, terms), now, _find_since(connection))
    if row.avail_at is not None and row.avail_at <= now and not goes_on:
        # Workers look twice a second: many feeds that are polled often must not keep them away forever.
        ready_at = max(ready_at, row.avail_at + SOON_S)
    return ready_at


def release_domain(
    connection: Connection, hold: FeedHold, terms: PolitenessTerms, answered: FeedAnswer
) -> None:
    """Release the domain after a request. Does nothing if the hold has expired and another request was made
    since. Repeating is safe."""
    found = select(domains).where(domains.c.name == hold.domain).with_for_update()
    row = connection.execute(found).one_or_none()
    if row is None or row.claimed_by is not None or row.last_answer_at != hold.until:
        return
    pace = replace(
        _read_pace(row),
        last_answer_at=answered.at,
        last_response_s=answered.response_s,
        backoff_until=max(row.backoff_until or 0.0, answered.rests_until or 0.0) or None,
    )
    ready_at = plan_next_fetch(pace, _find_pace(row, terms), 0.0)
    connection.execute(
        update(domains)
        .where(domains.c.id == row.id)
        .values(
            last_answer_at=pace.last_answer_at,
            last_response_s=pace.last_response_s,
            backoff_until=pace.backoff_until,
            ready_at=ready_at if row.ready_at == hold.until else row.ready_at,
            avail_at=ready_at if row.avail_at == hold.until else row.avail_at,
        )
    )


def _refuse_claimed(
    connection: Connection, row: Row[*tuple[Any, ...]], terms: PolitenessTerms, now: Instant
) -> Instant:
    if (row.claim_expires_at or 0.0) > now:
        return now + CLAIMED_S
    # Its owner did not release it: the time of its last request is unknown.
    freed = revoke_lease(row, now)
    connection.execute(update(domains).where(domains.c.id == row.id).values(freed))
    return now + delay_in_force(_read_pace(row), _find_pace(row, terms))[0]


def _find_site_rest(
    connection: Connection, row: Row[*tuple[Any, ...]], terms: PolitenessTerms, now: Instant
) -> Instant:
    """When no other domain of the site is held, and the last request to any of them was long enough ago."""
    of = domains.c
    others = (of.site == row.site, of.source_id == row.source_id, of.id != row.id)
    held = select(of.id).where(*others, of.claimed_by.isnot(None)).limit(1)
    if connection.execute(held).first() is not None:
        return now + SOON_S
    last = select(func.max(of.last_start_at), func.max(of.last_answer_at)).where(*others)
    requested_at: list[Instant] = [at for at in connection.execute(last).one() if at is not None]
    if not requested_at:
        return now
    return max([*requested_at, _find_since(connection)]) + (terms.politeness.site_gap_s or 0.0)


def _find_pace(row: Row[*tuple[Any, ...]], terms: PolitenessTerms) -> PolitenessSettings:
    """The domain's own rules override those of the source."""
    return apply_pace(terms.politeness, rules_of(row))


def _find_since(connection: Connection) -> Instant:
    """See StoreClock.since."""
    return connection.scalar(select(func.max(store_clock.c.since))) or 0.0


def _find_ready(
    row: Row[*tuple[Any, ...]], politeness: PolitenessSettings, now: Instant, since: Instant
) -> Instant:
    """When the domain may be requested, by the rules of this source and as planned by its last owner."""
    pace = clamp(count_from(_read_pace(row), since), now)
    ready_at = max(plan_next_fetch(pace, politeness, 0.0), row.ready_at or 0.0)
    if row.status in RESTING:
        ready_at = max(ready_at, row.next_crawl_after or now + 86_400.0)
    return ready_at


def _read_pace(row: Row[*tuple[Any, ...]]) -> Pace:
    return Pace(
        robots_delay_s=row.robots_delay_s,
        last_start_at=row.last_start_at,
        last_answer_at=row.last_answer_at,
        last_response_s=row.last_response_s,
        backoff_until=row.backoff_until,
        last_backoff_at=row.last_backoff_at,
    )
