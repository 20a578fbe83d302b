"""A fetcher that is held to its promise: every request ends, once."""

from typing import Any

from tenax.fetch.watched import WatchedFetcher
from tenax.records.requests import OURS, Failure, Request
from tests.support.clock import FakeClock
from tests.support.crawling import SilentFetcher, make_response

LIMIT_S = 60.0


class Scene:
    """Requests at chosen times, to a fetcher that answers when it is told to."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.inner = SilentFetcher()
        self.fetcher = WatchedFetcher(self.inner, FakeClock(), time=lambda: self.now_s)
        self.answers: dict[str, list[Any]] = {}

    def start(self, name: str, at_s: float) -> None:
        self.now_s = at_s
        self.answers[name] = []
        self.fetcher.start(Request(url=f"http://a.test/{name}"), self.answers[name].append)

    def answer(self, number: int) -> None:
        self.inner.started[number][1](make_response())

    def end_overdue(self, at_s: float) -> int:
        self.now_s = at_s
        return self.fetcher.end_overdue(at_s - LIMIT_S, LIMIT_S)


def test_an_answer_is_passed_on() -> None:
    scene = Scene()
    scene.start("a", 0)
    scene.answer(0)
    assert scene.answers["a"] == [make_response()]
    assert scene.fetcher.find_longest() is None


def test_the_oldest_active_request_is_the_longest() -> None:
    scene = Scene()
    scene.start("a", 0)
    scene.start("b", 1)
    scene.answer(0)
    longest = scene.fetcher.find_longest()
    assert longest is not None
    assert (longest.url, longest.since_s) == ("http://a.test/b", 1)


def test_a_request_that_never_ends_is_ended_as_a_failure_of_ours() -> None:
    scene = Scene()
    scene.start("a", 0)
    assert scene.end_overdue(LIMIT_S + 1) == 1
    (failure,) = scene.answers["a"]
    assert isinstance(failure, Failure)
    assert (failure.kind in OURS, failure.is_transient, failure.elapsed_s) == (True, True, LIMIT_S + 1)
    assert len(scene.inner.aborted) == 1


def test_younger_requests_go_on() -> None:
    scene = Scene()
    scene.start("a", 0)
    scene.start("b", 30)
    assert scene.end_overdue(LIMIT_S + 1) == 1
    assert scene.answers["b"] == []


def test_an_answer_that_comes_too_late_is_ignored() -> None:
    scene = Scene()
    scene.start("a", 0)
    scene.end_overdue(LIMIT_S + 1)
    scene.answer(0)
    assert len(scene.answers["a"]) == 1
