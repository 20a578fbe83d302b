"""An exception wherever something is called during a visit: it becomes the outcome of one url, and the crawl
goes on to its end."""

import errno
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tenax.crawl import tally
from tenax.crawl.domains import leased_domain as domain
from tenax.crawl.reading.isolation import IsolatedReader
from tenax.crawl.reading.messages import ReadRequest
from tenax.crawl.visits import admission, answers, outcome, pages, robots_fetch, runner, unsettled
from tenax.policy import breaker, politeness
from tenax.record import replace
from tenax.records.runs import RunState
from tests.support.large import table
from tests.support.running import crawl
from tests.support.scripted import ScriptedWeb, page

PATHS = [f"/{number}" for number in range(8)]

# Where it raises, and after how many calls: the page's own part of a function that robots.txt needs as well.
DURING_PAGES: dict[str, tuple[Any, str, int]] = {
    "refusal": (outcome.OutcomeBuilder, "find_refusal", 3),
    "taken": (domain.LeasedDomain, "take", 3),
    "requested": (runner, "Request", 3),
    "answer": (answers, "apply_answer", 3),
    "page": (pages, "is_page", 3),
    "read": (pages, "read_page", 3),
    "packed": (pages, "pack_page", 3),
    "built": (pages.PageBuilder, "build", 3),
    "concluded": (answers, "build_visit", 3),
    "links": (admission.Admission, "admit", 0),
    "state": (answers, "apply_outcome", 3),
    "breaker": (breaker, "on_success", 4),
    "weight": (answers, "weigh", 3),
    "tally": (tally.WorkerTally, "count_visit", 3),
    "plan": (politeness, "plan_next_fetch", 9),
    "unsettled": (unsettled.UnsettledVisits, "add", 4),
}
DURING_ROBOTS: dict[str, tuple[Any, str, int]] = {
    "asked": (robots_fetch, "Request", 0),
    "answer": (robots_fetch, "apply_answer", 0),
    "record": (robots_fetch, "build_record", 0),
    "rules": (robots_fetch, "build_rules", 0),
    "delay": (robots_fetch, "find_delay", 0),
    "counted": (tally.WorkerTally, "count_robots", 0),
}


class Fault(Exception):
    """Of this test."""


@contextmanager
def raising(owner: Any, name: str, after: int) -> Iterator[list[int]]:
    """Once, after so many calls."""
    real = getattr(owner, name)
    calls: list[int] = []

    def call(*args: Any, **kwargs: Any) -> Any:
        calls.append(len(calls))
        if len(calls) == after + 1:
            raise Fault
        return real(*args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, name, call)
        yield calls


@pytest.mark.parametrize("where", DURING_PAGES)
def test_an_exception_costs_one_url_at_most_and_the_crawl_goes_on(where: str, tmp_path: Path) -> None:
    pages = {path: page(f"Page {path}") for path in PATHS}
    with (
        ScriptedWeb({"a.test": {"/": page("Home", *PATHS), **pages}}) as web,
        raising(*DURING_PAGES[where]) as calls,
    ):
        crawled = crawl(tmp_path, [web.url("a.test")])
    assert len(calls) > DURING_PAGES[where][2], "it was never reached"
    assert crawled.ended.state is RunState.DONE
    failed = [url for url in crawled.urls.values() if url.fate not in ("fetched", "duplicate")]
    assert len(failed) <= 1
    assert all((url.reason, url.detail) == ("internal", "internal error: Fault") for url in failed)
    # The first page names all others: without its links there is nothing else.
    assert len(crawled.urls) == (1 if where == "links" else 9)
    assert [each.status for each in crawled.domains.values()] == ["exhausted"]


@pytest.mark.parametrize("where", DURING_ROBOTS)
def test_an_exception_about_robots_txt_costs_its_origin_and_no_other(where: str, tmp_path: Path) -> None:
    with (
        ScriptedWeb({"a.test": {"/": page("A")}, "b.test": {"/": page("B")}}) as web,
        raising(*DURING_ROBOTS[where]),
    ):
        crawled = crawl(tmp_path, [web.url("a.test"), web.url("b.test")])
    assert crawled.ended.state is RunState.DONE
    assert sorted(url.fate for url in crawled.urls.values()) in (
        ["fetched", "refused"],
        ["dead", "fetched"],
        ["fetched", "fetched"],
    )
    assert all(
        "internal error" in (url.detail or "") for url in crawled.urls.values() if url.fate != "fetched"
    )
    assert [each.status for each in crawled.domains.values()] == ["exhausted", "exhausted"]


def test_a_child_that_cannot_be_started_is_no_fault_of_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every url here is a suspect, which is read in a child process."""
    refill, read = domain.LeasedDomain.refill, IsolatedReader.read
    refused: list[str] = []

    def make_suspects(self: domain.LeasedDomain, *args: Any) -> None:
        refill(self, *args)
        self.queue = deque(replace(target, crashes=1) for target in self.queue)

    async def read_isolated(self: IsolatedReader, order: ReadRequest) -> Any:
        if len(refused) < 2:
            refused.append(order.url)
            raise OSError(errno.EAGAIN, "Resource temporarily unavailable")
        return await read(self, order)

    monkeypatch.setattr(domain.LeasedDomain, "refill", make_suspects)
    monkeypatch.setattr(IsolatedReader, "read", read_isolated)
    with ScriptedWeb({"a.test": {"/": page("A")}}) as web:
        crawled = crawl(tmp_path, [web.url("a.test")])
    (found,) = crawled.urls.values()
    assert (found.fate, found.attempts, len(refused)) == ("fetched", 0, 2)
    assert crawled.tally.local_failures == 2


def test_a_large_page_that_finds_no_room_to_wait_in_is_asked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused: list[int] = []
    keep = unsettled.UnsettledVisits.keep

    def keep_later(self: unsettled.UnsettledVisits, body_bytes: int) -> bool:
        refused.append(body_bytes)
        return len(refused) > 2 and keep(self, body_bytes)

    monkeypatch.setattr(unsettled.UnsettledVisits, "keep", keep_later)
    monkeypatch.setattr(answers, "ROOM_REST_S", 0.2)
    with ScriptedWeb({"a.test": {"/": table(1_700_000).reply}}) as web:
        crawled = crawl(tmp_path, [web.url("a.test")])
        assert web.paths("a.test").count("/") == 3
    (found,) = crawled.urls.values()
    assert (found.fate, found.attempts) == ("fetched", 0)
    assert crawled.tally.read_apart == 1
    assert [each.status for each in crawled.domains.values()] == ["exhausted"]
