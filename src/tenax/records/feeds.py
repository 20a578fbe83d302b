"""Feeds of a source and how they are polled."""

from enum import StrEnum

from tenax.clock import Instant
from tenax.record import record


class FeedKind(StrEnum):
    RSS = "rss"
    ATOM = "atom"
    JSON = "json"
    PAGE = "page"  # a seed that is searched for links to feeds


class FeedState(StrEnum):
    ACTIVE = "active"  # polled at its interval
    FAILING = "failing"  # the last response was unusable; it is polled less and less often
    GONE = "gone"  # the server says so, or it has moved; no longer polled
    ABSENT = "absent"  # a guessed url at which there never was a feed


@record
class Feed:
    id: int
    source_id: int
    url: str
    domain: str
    kind: FeedKind | None  # None: not fetched yet; it is a guess or a page links to it
    title: str | None
    state: FeedState
    etag: str | None
    last_modified: str | None
    interval_s: float  # the current one: it grows with failures
    next_poll_at: Instant | None  # None: never again
    last_polled_at: Instant | None
    last_status: int | None
    error: str | None
    failures: int  # in a row
    entries_new: int  # urls that it was the first to list
    created_at: Instant
