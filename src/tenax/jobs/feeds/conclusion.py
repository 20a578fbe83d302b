"""What a response to a feed request means: the entries, the feed's state, and the next poll. Pure."""

from dataclasses import replace
from typing import Final

from tenax.clock import Instant
from tenax.discover.feeds import BadFeed, FeedEntry, ParsedFeed, find_feeds, parse_feed
from tenax.errors import ContentError
from tenax.policy.retry import StatusClass, classify_status
from tenax.record import record
from tenax.records.feeds import Feed, FeedKind, FeedState
from tenax.records.requests import Failure, Response
from tenax.stores.feeds.feeds import FeedFinding, NewFeed
from tenax.web.documents import parse_document
from tenax.web.headers import is_html, parse_content_type, parse_retry_after
from tenax.web.urls import domain_of, parse_url

DAY_S: Final = 86_400.0
MOST_GUESS_FAILURES: Final = 5  # then a guessed address is given up
LONGEST_ERROR: Final = 300

_UNCHANGED = 304
_GONE = 410
_PERMANENT = (301, 308)
_PUSHBACKS = (429, 503)


@record
class FeedPoll:
    """A feed at the time of a poll."""

    feed: Feed
    interval_s: float  # between two polls while they succeed
    at: Instant


@record
class FeedConclusion:
    finding: FeedFinding
    entries: tuple[FeedEntry, ...] = ()


def conclude(poll: FeedPoll, answer: Response | Failure) -> FeedConclusion:
    if isinstance(answer, Failure):
        return FeedConclusion(finding=fail(poll, answer.detail))
    if answer.status == _UNCHANGED:
        return FeedConclusion(finding=_succeed(poll, answer))
    kind = classify_status(answer.status)
    if kind is StatusClass.REDIRECT:
        return FeedConclusion(finding=_follow(poll, answer))
    if not 200 <= answer.status < 300:
        return FeedConclusion(finding=_refuse(poll, answer))
    return _read(poll, answer)


def find_rest(answer: Response | Failure, now: Instant) -> float | None:
    """Seconds for which the whole domain must not be requested; None: the server does not say."""
    if isinstance(answer, Failure) or answer.status not in _PUSHBACKS:
        return None
    wanted_s = parse_retry_after(answer.headers.get("retry-after"), now)
    return None if wanted_s is None else min(wanted_s, DAY_S)


def fail(poll: FeedPoll, error: str, *, status: int | None = None, wait_s: float = 0.0) -> FeedFinding:
    """Poll less and less often; a guessed address is given up after several failures."""
    feed = poll.feed
    failures = feed.failures + 1
    if feed.kind is None and failures >= MOST_GUESS_FAILURES:
        return give_up(feed, error, FeedState.ABSENT, status=status)
    longer_s = min(max(feed.interval_s, poll.interval_s) * 2, max(DAY_S, poll.interval_s))
    return FeedFinding(
        state=FeedState.FAILING,
        kind=feed.kind,
        title=feed.title,
        etag=feed.etag,
        last_modified=feed.last_modified,
        interval_s=longer_s,
        next_poll_at=poll.at + max(longer_s, wait_s),
        status=status,
        error=error[:LONGEST_ERROR],
        failures=failures,
    )


def give_up(
    feed: Feed,
    error: str,
    state: FeedState,
    *,
    status: int | None = None,
    named: tuple[NewFeed, ...] = (),
) -> FeedFinding:
    return FeedFinding(
        state=state,
        kind=feed.kind,
        title=feed.title,
        etag=None,
        last_modified=None,
        interval_s=feed.interval_s,
        next_poll_at=None,
        status=status,
        error=error[:LONGEST_ERROR],
        failures=feed.failures + 1,
        named=named,
    )


def _read(poll: FeedPoll, answer: Response) -> FeedConclusion:
    feed = poll.feed
    content_type = answer.headers.get("content-type")
    if feed.kind is FeedKind.PAGE and is_html(parse_content_type(content_type)[0]):
        named = _find_named(feed, answer, content_type)
        return FeedConclusion(finding=_succeed(poll, answer, named=named))
    parsed = parse_feed(answer.body, url=feed.url, content_type=content_type)
    if isinstance(parsed, BadFeed):
        return FeedConclusion(finding=_reject(poll, parsed.reason, answer.status))
    return FeedConclusion(
        finding=_succeed(poll, answer, parsed=parsed),
        entries=parsed.entries,
    )


def _find_named(feed: Feed, answer: Response, content_type: str | None) -> tuple[NewFeed, ...]:
    try:
        document = parse_document(answer.body, url=feed.url, content_type=content_type)
    except ContentError:
        return ()
    return tuple(NewFeed(url=url, domain=domain_of(url)) for url in find_feeds(document))


def _succeed(
    poll: FeedPoll,
    answer: Response,
    *,
    parsed: ParsedFeed | None = None,
    named: tuple[NewFeed, ...] = (),
) -> FeedFinding:
    feed = poll.feed
    is_unchanged = answer.status == _UNCHANGED
    is_page = feed.kind is FeedKind.PAGE and parsed is None
    interval_s = DAY_S if is_page else poll.interval_s  # pages rarely link to new feeds
    return FeedFinding(
        state=FeedState.ACTIVE,
        kind=feed.kind if parsed is None else parsed.kind,
        title=feed.title if parsed is None else parsed.title,
        # A 304 response need not repeat them.
        etag=answer.headers.get("etag") or (feed.etag if is_unchanged else None),
        last_modified=answer.headers.get("last-modified") or (feed.last_modified if is_unchanged else None),
        interval_s=interval_s,
        next_poll_at=poll.at + interval_s,
        status=answer.status,
        error=None,
        failures=0,
        named=named,
    )


def _follow(poll: FeedPoll, answer: Response) -> FeedFinding:
    """The target becomes a feed of its own, so that it is requested as politely as any other."""
    feed = poll.feed
    to_url = parse_url(answer.headers.get("location", ""), feed.url)
    if to_url is None or to_url == feed.url:
        return _reject(poll, "it redirects to an address that cannot be requested", answer.status)
    named = (NewFeed(url=to_url, domain=domain_of(to_url), kind=_kind_behind(feed)),)
    is_known = feed.kind is not None and feed.kind is not FeedKind.PAGE
    if answer.status in _PERMANENT or not is_known:
        state = FeedState.GONE if feed.kind is not None else FeedState.ABSENT
        return give_up(feed, f"it has moved to {to_url}", state, status=answer.status, named=named)
    found = fail(poll, f"it has temporarily moved to {to_url}", status=answer.status)
    return replace(found, named=named)


def _kind_behind(feed: Feed) -> FeedKind | None:
    return FeedKind.PAGE if feed.kind is FeedKind.PAGE else None


def _refuse(poll: FeedPoll, answer: Response) -> FeedFinding:
    feed = poll.feed
    error = f"the server answered {answer.status}"
    if answer.status == _GONE:
        state = FeedState.ABSENT if feed.kind is None else FeedState.GONE
        return give_up(feed, error, state, status=answer.status)
    if answer.status >= 500 or answer.status in _PUSHBACKS:
        wait_s = find_rest(answer, poll.at) or 0.0
        return fail(poll, error, status=answer.status, wait_s=wait_s)
    return _reject(poll, error, answer.status)


def _reject(poll: FeedPoll, error: str, status: int | None) -> FeedFinding:
    """The response shows that there is no feed at this address."""
    if poll.feed.kind is None:
        return give_up(poll.feed, error, FeedState.ABSENT, status=status)
    return fail(poll, error, status=status)
