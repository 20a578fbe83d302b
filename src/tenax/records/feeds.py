"""Feeds of a source and how they are polled."""

from enum import StrEnum

from tenax.clock import Instant
from tenax.record import record


class FeedKind(StrEnum):
    RSS = "rss"
    ATOM = "atom"
    JSON = "json"
    PAGE = "page"  # a seed, looked at for the feeds that it names


class FeedState(StrEnum):
    ACTIVE = "active"  # it is asked at its interval
    FAILING = "failing"  # the last answer was of no use; it is asked less and less often
    GONE = "gone"  # the server says so, or it has moved; not asked any more
    ABSENT = "absent"  # a guess: there never was a feed


@record
class Feed:
    id: int
    source_id: int
    url: str
    domain: str
    kind: FeedKind | None  # None: nobody has seen it yet, it is a guess or was named by a page
    title: str | None
    state: FeedState
    etag: str | None
    last_modified: str | None
    interval_s: float  # as in force: it grows with failures
    next_poll_at: Instant | None  # None: never again
    last_polled_at: Instant | None
    last_status: int | None
    error: str | None
    failures: int  # in a row
    entries_new: int  # urls that it was the first to name
    created_at: Instant
