"""Feeds, as functions of a connection; those that change something are to be called in a transaction.

Whoever wants to ask a feed takes it first, with a lock that expires, and holds its domain for each request.
Servers take feeds one after the other. A domain that a worker holds, or that rests, is left alone.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Connection, Row, Select, case, delete, exists, insert, or_, select, update

from tenax.clock import Instant
from tenax.job_records import Feed, FeedKind, FeedState
from tenax.record import record
from tenax.stores.cursors import hold_cursor
from tenax.stores.feeds.holds import SOON_S, FeedHold, PolitenessTerms, add_domains, hold_domain
from tenax.stores.paging import ListSlice, SliceRequest, SortOrder, load_slice
from tenax.stores.schema.feeds import feeds
from tenax.stores.schema.jobs import sources

CURSOR: Final = "feeds"
LOCK_S: Final = 300.0
MOST_PER_SOURCE: Final = 100
MOST_EXAMINED: Final = 50  # due feeds, for some that may be asked
UNKNOWN_S: Final = 60.0  # before a source is looked for again that this server does not know yet
_ORDER = SortOrder(
    keys={"id": feeds.c.id, "url": feeds.c.url, "entries_new": feeds.c.entries_new}, number=feeds.c.id
)


@record
class NewFeed:
    url: str
    domain: str
    kind: FeedKind | None = None


@record
class ClaimedFeed:
    """With its domain, held for the first request."""

    feed: Feed
    hold: FeedHold


@record
class FeedFinding:
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


@record
class FeedFilter:
    """None: whatever it is."""

    source_id: int | None = None
    state: FeedState | None = None
    without: FeedState | None = None  # all but those in this state


def add_feeds(
    connection: Connection, source_id: int, new: Sequence[NewFeed], interval_s: float, now: Instant
) -> None:
    """Keep each once, to be asked at once. What is known stays as it is, so that repeating is safe."""
    hold_cursor(connection, CURSOR)
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


def claim_feeds(
    connection: Connection, token: str, limit: int, terms: Mapping[int, PolitenessTerms], now: Instant
) -> list[ClaimedFeed]:
    """Up to `limit` feeds that are due, each of another domain, locked for LOCK_S. Those that have to wait
    for their domain, or whose source has no terms here, are put off. `terms`: of sources, by their ids."""
    hold_cursor(connection, CURSOR)
    due = connection.execute(_select_due(now).limit(MOST_EXAMINED)).all()
    add_domains(connection, ((row.domain, row.source_id) for row in due), now)
    taken: list[ClaimedFeed] = []
    for row in due:
        if len(taken) == limit:
            break
        asked = terms.get(row.source_id)
        held = now + UNKNOWN_S if asked is None else hold_domain(connection, row.domain, asked, now)
        if not isinstance(held, FeedHold):
            _postpone(connection, row.id, held)
            continue
        connection.execute(
            update(feeds)
            .where(feeds.c.id == row.id)
            .values(lock_token=token, lock_until=now + LOCK_S, last_polled_at=now)
        )
        taken.append(ClaimedFeed(feed=_read(row), hold=held))
    return taken


def hold_again(
    connection: Connection, feed: Feed, token: str, terms: PolitenessTerms, now: Instant
) -> FeedHold | Instant:
    """Another request for a feed that is taken already; an instant: its domain may be tried again then."""
    is_own = (feeds.c.id == feed.id, feeds.c.lock_token == token)
    locked = connection.execute(update(feeds).where(*is_own).values(lock_until=now + LOCK_S))
    if not locked.rowcount:
        return now + SOON_S
    return hold_domain(connection, feed.domain, terms, now, goes_on=True)


def save_finding(connection: Connection, feed: Feed, token: str, found: FeedFinding, now: Instant) -> bool:
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
    return True


def release_feed(connection: Connection, feed: Feed, token: str, until: Instant) -> None:
    """It was not asked."""
    connection.execute(
        update(feeds)
        .where(feeds.c.id == feed.id, feeds.c.lock_token == token)
        .values(lock_token=None, lock_until=None, next_poll_at=until)
    )


def request_poll(connection: Connection, feed_id: int, now: Instant) -> Feed | None:
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


def slice_feeds(connection: Connection, wanted: SliceRequest, only: FeedFilter) -> ListSlice[Feed]:
    statement = select(feeds)
    if only.source_id is not None:
        statement = statement.where(feeds.c.source_id == only.source_id)
    if only.state is not None:
        statement = statement.where(feeds.c.state == only.state)
    if only.without is not None:
        statement = statement.where(feeds.c.state != only.without)
    return load_slice(connection, statement, _ORDER, wanted, _read)


def _select_due(now: Instant) -> Select[Any]:
    """Known ones first, then what a page has named, which is younger than the guesses: those of one domain
    wait for each other."""
    is_free = or_(feeds.c.lock_until.is_(None), feeds.c.lock_until <= now)
    return (
        select(feeds)
        .join(sources, sources.c.id == feeds.c.source_id)
        .where(feeds.c.next_poll_at <= now, is_free, sources.c.enabled == 1)
        .order_by(feeds.c.kind.is_(None), feeds.c.next_poll_at, feeds.c.created_at.desc(), feeds.c.id)
    )


def _postpone(connection: Connection, feed_id: int, until: Instant) -> None:
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


def remove_feeds(connection: Connection, source_ids: Collection[int]) -> None:
    """Of sources that want none, and of those that are gone."""
    is_orphan = ~exists().where(sources.c.id == feeds.c.source_id)
    connection.execute(delete(feeds).where(feeds.c.source_id.in_(source_ids) | is_orphan))
