"""Feeds, as functions of a connection. Functions that change something must be called in a transaction.

A server claims a feed with a lock that expires before it requests it, and holds the feed's domain for each
request. Servers claim feeds one after the other. A domain that a worker holds, or that rests, is left alone.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Connection, Row, Select, case, delete, exists, insert, or_, select, update

from tenax.clock import Instant
from tenax.record import record
from tenax.records.feeds import Feed, FeedKind, FeedState
from tenax.stores.cursors import hold_cursor
from tenax.stores.feeds.holds import SOON_S, FeedHold, PolitenessTerms, add_domains, hold_domain
from tenax.stores.paging import ListSlice, SliceRequest, SortOrder, load_slice
from tenax.stores.schema.feeds import feeds
from tenax.stores.schema.jobs import sources

CURSOR: Final = "feeds"
LOCK_S: Final = 300.0
MOST_PER_SOURCE: Final = 100
MOST_EXAMINED: Final = 50  # due feeds, to find some whose domain is free
UNKNOWN_S: Final = 60.0  # the delay of a feed whose source this server does not know yet
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
    """A claimed feed, with its domain held for the first request."""

    feed: Feed
    hold: FeedHold


@record
class FeedFinding:
    """The result of polling a feed."""

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
    named: tuple[NewFeed, ...] = ()  # other feeds that it links to


@record
class FeedFilter:
    """None in a field: no restriction."""

    source_id: int | None = None
    state: FeedState | None = None
    without: FeedState | None = None  # all but those in this state


def add_feeds(
    connection: Connection, source_id: int, new: Sequence[NewFeed], interval_s: float, now: Instant
) -> None:
    """Add feeds, each once, to be polled immediately. Known feeds stay as they are, so repeating is safe."""
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
    """Lock up to `limit` due feeds, each of another domain, for LOCK_S. Feeds that have to wait for their
    domain, or whose source has no terms here, are postponed. `terms`: by source id."""
    hold_cursor(connection, CURSOR)
    due = connection.execute(_select_due(now).limit(MOST_EXAMINED)).all()
    add_domains(connection, ((row.domain, row.source_id) for row in due), now)
    claimed: list[ClaimedFeed] = []
    for row in due:
        if len(claimed) == limit:
            break
        own_terms = terms.get(row.source_id)
        held = now + UNKNOWN_S if own_terms is None else hold_domain(connection, row.domain, own_terms, now)
        if not isinstance(held, FeedHold):
            _postpone(connection, row.id, held)
            continue
        connection.execute(
            update(feeds)
            .where(feeds.c.id == row.id)
            .values(lock_token=token, lock_until=now + LOCK_S, last_polled_at=now)
        )
        claimed.append(ClaimedFeed(feed=_read(row), hold=held))
    return claimed


def hold_again(
    connection: Connection, feed: Feed, token: str, terms: PolitenessTerms, now: Instant
) -> FeedHold | Instant:
    """Hold the domain for another request to a feed that is already claimed; an instant: try again then."""
    is_own = (feeds.c.id == feed.id, feeds.c.lock_token == token)
    locked = connection.execute(update(feeds).where(*is_own).values(lock_until=now + LOCK_S))
    if not locked.rowcount:
        return now + SOON_S
    return hold_domain(connection, feed.domain, terms, now, goes_on=True)


def save_finding(connection: Connection, feed: Feed, token: str, found: FeedFinding, now: Instant) -> bool:
    """False: the lock has expired and another server has the feed, so nothing was written. Repeating is
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
    """Release a feed that was not requested, to be polled at `until`."""
    connection.execute(
        update(feeds)
        .where(feeds.c.id == feed.id, feeds.c.lock_token == token)
        .values(lock_token=None, lock_until=None, next_poll_at=until)
    )


def request_poll(connection: Connection, feed_id: int, now: Instant) -> Feed | None:
    """Poll a feed as soon as its domain allows it, even if it was given up; None: the feed is unknown."""
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
    """Known feeds first, then those that pages link to, which are newer than guesses: feeds of one domain
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
    """Remove the feeds of sources that want none, and of sources that no longer exist."""
    is_orphan = ~exists().where(sources.c.id == feeds.c.source_id)
    connection.execute(delete(feeds).where(feeds.c.source_id.in_(source_ids) | is_orphan))
