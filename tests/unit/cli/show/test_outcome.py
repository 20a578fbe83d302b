"""The result of a crawl: its exit code, and the sentences about what is left."""

from typing import Any

import pytest

from tenax.cli.show.outcome import _advise_scheme, _format_troubled, choose_exit, describe_leftover
from tenax.config.crawl import LimitSettings
from tenax.config.settings import Settings
from tenax.crawl.engine import EngineResult
from tenax.crawl.insight.explain import Explanation
from tenax.crawl.tally import WorkerTally
from tenax.exits import Exit
from tenax.records.runs import RunState
from tenax.stores.contracts.leftovers import Leftover
from tenax.stores.contracts.overview import Summary, TroubledDomain
from tenax.stores.contracts.runs import Run
from tenax.workers.session import CrawlResult
from tests.support.clock import START

RUN = Run(id=1, state=RunState.RUNNING, started_at=START, pages=0, is_resumed=False)


def make_result(state: RunState, pages: int = 5, *, is_run_over: bool = True, **left: Any) -> CrawlResult:
    summary = Summary(fates={}, pages=pages, pages_there=0, leftover=Leftover(**left), troubled=())
    return CrawlResult(
        ended=EngineResult(run=RUN, state=state, is_run_over=is_run_over),
        tally=WorkerTally(),
        summary=summary,
        duration_s=1.0,
        cpu_s=1.0,
        peak_rss_bytes=(),
    )


@pytest.mark.parametrize(
    ("result", "code"),
    [
        (make_result(RunState.DONE), Exit.DONE),
        (make_result(RunState.DONE, resting=3), Exit.DONE),
        (make_result(RunState.DONE, capped=170), Exit.STOPPED),
        (make_result(RunState.DONE, later=1, next_at=START), Exit.STOPPED),
        (make_result(RunState.DONE, due=1), Exit.STOPPED),
        (make_result(RunState.DONE, is_run_over=False, held=4), Exit.STOPPED),
        (make_result(RunState.DONE, pages=0), Exit.NOTHING),
        (make_result(RunState.DONE, pages=0, later=1, next_at=START), Exit.NOTHING),
        (make_result(RunState.BUDGET, due=100), Exit.DONE),
        (make_result(RunState.STOPPED), Exit.STOPPED),
        (make_result(RunState.PAUSED), Exit.STOPPED),
        (make_result(RunState.FAILED), Exit.ERROR),
    ],
)
def test_zero_means_that_nothing_is_left_which_no_site_holds_back(result: CrawlResult, code: Exit) -> None:
    assert choose_exit(result) is code


def test_a_page_limit_is_shown_with_its_setting() -> None:
    settings = Settings(limits=LimitSettings(pages_per_domain=1000))
    (sentence,) = describe_leftover(Leftover(capped=170), settings)
    assert sentence == (
        "170 urls for the next run: a run fetches at most 1,000 pages per domain"
        " (--pages-per-domain; 0: no limit), unless a rule of the domain says otherwise"
    )


def test_late_retries_are_shown_with_their_time() -> None:
    (sentence,) = describe_leftover(Leftover(later=2, next_at=START), Settings())
    assert sentence.startswith("2 urls to retry, the first at 20")
    assert sentence.endswith("a run does not wait that long (75 s, politeness.longest_retry_wait_s)")


def test_what_sites_hold_back_is_shown_elsewhere() -> None:
    assert list(describe_leftover(Leftover(resting=5), Settings())) == []


@pytest.mark.parametrize(("starts", "is_said"), [({"127.0.0.1:8123"}, True), ({"other.example"}, False)])
def test_a_rest_that_a_crawl_ends_is_no_promise(starts: set[str], is_said: bool) -> None:
    troubled = TroubledDomain(domain="127.0.0.1:8123", queued=1, reason="refused", until=START)
    assert _format_troubled(troubled, starts).endswith(", or until a crawl starts with it") is is_said


@pytest.mark.parametrize(
    ("url", "is_said"),
    [("https://a.example:8123/b", True), ("https://a.example/b:c", False), ("http://a.example:8123/", False)],
)
def test_a_port_of_its_own_may_have_no_tls(url: str, is_said: bool) -> None:
    said = _advise_scheme(Explanation(url=url, fate="dead", reason=None, because="no TLS", facts=()))
    assert said.startswith(", or write http://a.example:8123/b if") is is_said
