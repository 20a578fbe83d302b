"""What a response means for a feed."""

from dataclasses import replace

import pytest

from tenax.jobs.feeds.conclusion import DAY_S, MOST_GUESS_FAILURES, FeedPoll, conclude
from tenax.records.feeds import Feed, FeedKind, FeedState
from tenax.records.requests import Failure, FailureKind, Response, Timings

NOW = 1_000_000.0
INTERVAL_S = 900.0
FEED = Feed(
    id=1,
    source_id=1,
    url="https://news.example/feed",
    domain="news.example",
    kind=FeedKind.RSS,
    title="News",
    state=FeedState.ACTIVE,
    etag='"v1"',
    last_modified=None,
    interval_s=INTERVAL_S,
    next_poll_at=NOW,
    last_polled_at=None,
    last_status=None,
    error=None,
    failures=0,
    entries_new=0,
    created_at=NOW,
)
GUESS = replace(FEED, kind=None, title=None, etag=None)
PAGE = replace(FEED, kind=FeedKind.PAGE)
SILENCE = Failure(kind=FailureKind.TIMEOUT, detail="no answer", is_transient=True, started_at=NOW)


def make_poll(feed: Feed) -> FeedPoll:
    return FeedPoll(feed=feed, interval_s=INTERVAL_S, at=NOW)


def answer(status: int, body: bytes = b"", **headers: str) -> Response:
    return Response(
        url=FEED.url,
        status=status,
        headers={name.replace("_", "-"): value for name, value in headers.items()},
        body=body,
        started_at=NOW,
        timings=Timings(),
        address="192.0.2.1",
        http_version="1.1",
        wire_bytes=len(body),
    )


@pytest.mark.parametrize(
    ("feed", "status", "state"),
    [
        (FEED, 404, FeedState.FAILING),
        (GUESS, 404, FeedState.ABSENT),
        (PAGE, 404, FeedState.FAILING),
        (FEED, 410, FeedState.GONE),
        (GUESS, 410, FeedState.ABSENT),
        (FEED, 403, FeedState.FAILING),
        (GUESS, 403, FeedState.ABSENT),
        (FEED, 500, FeedState.FAILING),
        (GUESS, 500, FeedState.FAILING),
        (FEED, 304, FeedState.ACTIVE),
    ],
)
def test_a_status_decides_the_state(feed: Feed, status: int, state: FeedState) -> None:
    finding = conclude(make_poll(feed), answer(status)).finding
    assert finding.state is state
    assert (finding.next_poll_at is None) == (state in (FeedState.GONE, FeedState.ABSENT))


def test_a_guessed_address_is_given_up_after_several_failures() -> None:
    feed, states = GUESS, []
    for _ in range(MOST_GUESS_FAILURES):
        finding = conclude(make_poll(feed), SILENCE).finding
        states.append(finding.state)
        feed = replace(feed, failures=finding.failures, interval_s=finding.interval_s)
    assert states == [FeedState.FAILING] * (MOST_GUESS_FAILURES - 1) + [FeedState.ABSENT]


def test_a_feed_that_moved_temporarily_is_polled_again() -> None:
    finding = conclude(make_poll(FEED), answer(302, location="/other")).finding
    assert (finding.state, finding.next_poll_at) == (FeedState.FAILING, NOW + 2 * INTERVAL_S)
    assert [feed.url for feed in finding.named] == ["https://news.example/other"]


def test_a_page_that_has_moved_is_polled_at_its_new_address() -> None:
    finding = conclude(make_poll(PAGE), answer(301, location="https://www.news.example/")).finding
    assert finding.state is FeedState.GONE
    assert [(feed.kind, feed.domain) for feed in finding.named] == [(FeedKind.PAGE, "news.example")]


def test_a_feed_that_has_turned_into_something_else_fails() -> None:
    finding = conclude(make_poll(FEED), answer(200, b"<html><p>hi", content_type="text/html")).finding
    assert (finding.state, finding.error, finding.etag) == (FeedState.FAILING, "it is HTML", '"v1"')


def test_a_page_is_polled_once_a_day_whatever_the_interval() -> None:
    for status in (200, 304):
        found = conclude(make_poll(PAGE), answer(status, b"<p>hi", content_type="text/html")).finding
        assert found.next_poll_at == NOW + DAY_S


def test_a_seed_that_is_a_feed_is_followed_as_one() -> None:
    body = b"<rss><channel><item><link>/a</link></item></channel></rss>"
    concluded = conclude(make_poll(PAGE), answer(200, body, content_type="application/xml"))
    assert (concluded.finding.kind, concluded.finding.next_poll_at) == (FeedKind.RSS, NOW + INTERVAL_S)
    assert [entry.url for entry in concluded.entries] == ["https://news.example/a"]


@pytest.mark.parametrize(("asked", "waits_s"), [("5000", 5000), ("999999999", DAY_S), ("soon", 1800)])
def test_a_server_that_names_a_time_is_taken_at_its_word(asked: str, waits_s: float) -> None:
    finding = conclude(make_poll(FEED), answer(429, retry_after=asked)).finding
    assert finding.next_poll_at == NOW + waits_s
