"""Feeds, as functions of a connection; those that change something are to be called in a transaction.

Whoever wants to ask a feed takes it first, with a lock that expires. Servers take feeds one after the other,
so that of two feeds of a domain never two are asked at once, and a domain that a worker holds, or that rests,
is left alone.
"""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Connection, Row, Select, case, insert, literal, or_, select, update

from tenax.clock import Instant
from tenax.config import PolitenessSettings
from tenax.job_records import Feed, FeedKind, FeedState
from tenax.policy.domain_states import RESTING
from tenax.policy.politeness import plan_next_fetch
from tenax.records import Pace
from tenax.stores.feed_tables import feeds
from tenax.stores.job_tables import sources
from tenax.stores.listing import Order, Slice, Sliced, load_slice
from tenax.stores.marks import hold_mark
from tenax.stores.tables import domains
from tenax.values import record

MARK: Final = "feeds"
LOCK_S: Final = 300.0
MOST_PER_SOURCE: Final = 100
LOOKED_AT: Final = 50  # due feeds, for some that may be asked
PUT_OFF_S: Final = 60.0  # while a worker holds the domain
SOON_S: Final = 5.0  # while another feed of the domain is being asked

_ORDER = Order(
    keys={"id": feeds.c.id, "url": feeds.c.url, "entries_new": feeds.c.entries_new}, number=feeds.c.id
)


@record(frozen=True, slots=True, kw_only=True)
class NewFeed:
    url: str
    domain: str
    kind: FeedKind | None = None


@record(frozen=True, slots=True, kw_only=True)
class Finding:
    """What asking a feed has come to."""

    state: FeedState
    kind: FeedKind | None
    title: str | None
    etag: str | None
    last_modified: str | None
    interval_s: float
    next_poll_at: Instant | None
    status: int | None
    error: str | None
    failures: int
    entries_new: int = 0
    named: tuple[NewFeed, ...] = ()  # feeds that it leads to
    rests_until: Instant | None = None  # the server has asked the whole domain to wait


@record(frozen=True, slots=True, kw_only=True)
class FeedFilter:
    """None: whatever it is."""

    source_id: int | None = None
    state: FeedState | None = None
    without: FeedState | None = None  # all but those in this state


def add_feeds(
    connection: Connection, source_id: int, new: Sequence[NewFeed], interval_s: float, now: Instant
) -> None:
    """Keep each once, to be asked at once. What is known stays as it is, so that repeating is safe."""
    hold_mark(connection, MARK)
    known = set(connection.scalars(select(feeds.c.url).where(feeds.c.source_id == source_id)))
    for feed in new:
        if feed.url in known or len(known) >= MOST_PER_SOURCE:
            continue
        known.add(feed.url)
        connection.execute(
            insert(feeds).values(
                source_id=source_id,
                url=feed.url,
                domain=feed.domain,
                kind=feed.kind,
                state=FeedState.ACTIVE,
                interval_s=interval_s,
                next_poll_at=now,
                created_at=now,
            )
        )


def is_due(connection: Connection, now: Instant) -> bool:
    return connection.execute(_select_due(now).limit(1)).first() is not None


def take_feeds(
    connection: Connection, token: str, limit: int, politeness: PolitenessSettings, now: Instant
) -> list[Feed]:
    """Up to `limit` feeds that are due, each of another domain, locked for LOCK_S. Their domains count as
    asked now. Those that have to wait for their domain are put off."""
    hold_mark(connection, MARK)
    taken: list[Feed] = []
    busy: set[str] = set()
    for row in connection.execute(_select_due(now).limit(LOOKED_AT)).all():
        if len(taken) == limit:
            break
        ready_at = _find_ready(connection, row, politeness, now)
        if row.domain in busy or ready_at > now or not _mark_asked(connection, row.domain, now):
            _put_off(connection, row.id, max(ready_at, now + politeness.delay_s))
            continue
        busy.add(row.domain)
        connection.execute(
            update(feeds)
            .where(feeds.c.id == row.id)
            .values(lock_token=token, lock_until=now + LOCK_S, last_polled_at=now)
        )
        taken.append(_read(row))
    return taken


def ask_again(connection: Connection, feed: Feed, politeness: PolitenessSettings, now: Instant) -> bool:
    """Whether the domain of a feed that is held may have another request now; it counts as asked then."""
    pace = _find_pace(connection, feed.domain, now)
    return plan_next_fetch(pace, politeness, 0.0) <= now and _mark_asked(connection, feed.domain, now)


def save_finding(connection: Connection, feed: Feed, token: str, found: Finding, now: Instant) -> bool:
    """False: the lock had expired and somebody else has the feed, so nothing was written. Repeating is
    safe."""
    saved = connection.execute(
        update(feeds)
        .where(feeds.c.id == feed.id, feeds.c.lock_token == token)
        .values(
            state=found.state,
            kind=found.kind,
            title=found.title,
            etag=found.etag,
            last_modified=found.last_modified,
            interval_s=found.interval_s,
            next_poll_at=found.next_poll_at,
            last_polled_at=now,
            last_status=found.status,
            error=found.error,
            failures=found.failures,
            entries_new=feeds.c.entries_new + found.entries_new,
            lock_token=None,
            lock_until=None,
        )
    )
    if not saved.rowcount:
        return False
    add_feeds(connection, feed.source_id, found.named, found.interval_s, now)
    _note_answer(connection, feed.domain, found.rests_until, now)
    return True


def release_feed(connection: Connection, feed: Feed, token: str, until: Instant) -> None:
    """It was not asked."""
    connection.execute(
        update(feeds)
        .where(feeds.c.id == feed.id, feeds.c.lock_token == token)
        .values(lock_token=None, lock_until=None, next_poll_at=until)
    )


def order_poll(connection: Connection, feed_id: int, now: Instant) -> Feed | None:
    """Have a feed asked as soon as its domain allows it, also one that was given up; None: unknown."""
    row = connection.execute(
        update(feeds)
        .where(feeds.c.id == feed_id)
        .values(
            next_poll_at=now,
            state=case(
                (feeds.c.state.in_((FeedState.GONE, FeedState.ABSENT)), FeedState.ACTIVE.value),
                else_=feeds.c.state,
            ),
        )
        .returning(feeds)
    ).one_or_none()
    return None if row is None else _read(row)


def slice_feeds(connection: Connection, wanted: Slice, only: FeedFilter) -> Sliced[Feed]:
    statement = select(feeds)
    if only.source_id is not None:
        statement = statement.where(feeds.c.source_id == only.source_id)
    if only.state is not None:
        statement = statement.where(feeds.c.state == only.state)
    if only.without is not None:
        statement = statement.where(feeds.c.state != only.without)
    return load_slice(connection, statement, _ORDER, wanted, _read)


def _select_due(now: Instant) -> Select[Any]:
    is_free = or_(feeds.c.lock_until.is_(None), feeds.c.lock_until <= now)
    return (
        select(feeds)
        .join(sources, sources.c.id == feeds.c.source_id)
        .where(feeds.c.next_poll_at <= now, is_free, sources.c.enabled == 1)
        .order_by(feeds.c.next_poll_at, feeds.c.id)
    )


def _find_ready(
    connection: Connection, feed: Row[*tuple[Any, ...]], politeness: PolitenessSettings, now: Instant
) -> Instant:
    """When its domain may be asked."""
    sibling = connection.execute(
        select(feeds.c.lock_until, feeds.c.last_polled_at)
        .where(feeds.c.domain == feed.domain, feeds.c.id != feed.id)
        .where(or_(feeds.c.lock_until > now, feeds.c.last_polled_at > now - politeness.max_crawl_delay_s))
        .order_by(feeds.c.last_polled_at.desc())
    ).all()
    locked_until = max((row.lock_until or 0.0 for row in sibling), default=0.0)
    if locked_until > now:
        return min(locked_until, now + SOON_S)
    polled_at = max((row.last_polled_at or 0.0 for row in sibling), default=0.0)
    pace = _find_pace(connection, feed.domain, now, polled_at)
    return plan_next_fetch(pace, politeness, 0.0)


def _find_pace(connection: Connection, domain: str, now: Instant, polled_at: Instant = 0.0) -> Pace:
    """How fast a domain may be asked, also one that no crawl knows. One that is held or at rest is to be left
    alone for a while."""
    row = connection.execute(select(domains).where(domains.c.name == domain)).one_or_none()
    if row is None:
        return Pace(last_start_at=polled_at)
    until = row.backoff_until or 0.0
    if row.status in RESTING:
        until = max(until, row.next_crawl_after or now + 86_400.0)
    if row.claimed_by is not None and (row.claim_expires_at or 0.0) > now:
        until = max(until, now + PUT_OFF_S)
    return Pace(
        robots_delay_s=row.robots_delay_s,
        last_start_at=max(row.last_start_at or 0.0, polled_at),
        last_answer_at=row.last_answer_at,
        last_response_s=row.last_response_s,
        backoff_until=until,
    )


def _mark_asked(connection: Connection, domain: str, now: Instant) -> bool:
    """Whoever claims the domain next waits a full delay; False: somebody has just claimed it."""
    is_free = or_(domains.c.claimed_by.is_(None), domains.c.claim_expires_at <= now)
    marked = connection.execute(
        update(domains).where(domains.c.name == domain, is_free).values(last_start_at=now)
    )
    if marked.rowcount:
        return True
    return connection.scalar(select(domains.c.id).where(domains.c.name == domain)) is None


def _note_answer(connection: Connection, domain: str, rests_until: Instant | None, now: Instant) -> None:
    rest = literal(rests_until or 0.0)
    is_longer = rest > case((domains.c.backoff_until.is_(None), 0.0), else_=domains.c.backoff_until)
    connection.execute(
        update(domains)
        .where(domains.c.name == domain, domains.c.claimed_by.is_(None))
        .values(last_answer_at=now, backoff_until=case((is_longer, rest), else_=domains.c.backoff_until))
    )


def _put_off(connection: Connection, feed_id: int, until: Instant) -> None:
    connection.execute(update(feeds).where(feeds.c.id == feed_id).values(next_poll_at=until))


def _read(row: Row[*tuple[Any, ...]]) -> Feed:
    return Feed(
        id=row.id,
        source_id=row.source_id,
        url=row.url,
        domain=row.domain,
        kind=None if row.kind is None else FeedKind(row.kind),
        title=row.title,
        state=FeedState(row.state),
        etag=row.etag,
        last_modified=row.last_modified,
        interval_s=row.interval_s,
        next_poll_at=row.next_poll_at,
        last_polled_at=row.last_polled_at,
        last_status=row.last_status,
        error=row.error,
        failures=row.failures,
        entries_new=row.entries_new,
        created_at=row.created_at,
    )
