"""When a page is visited again, and what a visit shows about it."""

from typing import Any

import pytest

from tenax.config.refresh import RefreshSettings
from tenax.policy.revisit import JITTER, RevisitPlanner, find_change, keeps_fate
from tenax.records.pages import ChangeKind
from tenax.records.requests import FailureKind
from tenax.records.urls import RefusalReason
from tenax.records.visits import Gone, Outcome, Redirected, Refused, Skipped, Unchanged, Visit
from tests.support.clock import START
from tests.support.crawling import make_target
from tests.support.store import make_failed, make_fetched, make_visit

FIRST_S, MIN_S, MAX_S = 1000.0, 10.0, 7000.0
SETTINGS = RefreshSettings(first_s=FIRST_S, min_s=MIN_S, max_s=MAX_S)
PLANNER = RevisitPlanner.build(SETTINGS)
SAME = make_fetched("the same")
OTHER = make_fetched("another")
HASH = SAME.page.content_hash
NOINDEX = Refused(reason=RefusalReason.NOINDEX, detail="not to be kept")
DENIED = Refused(reason=RefusalReason.ROBOTS, detail="line 2")
MISSES = {
    "missing": Gone(status=404),
    "redirected": Redirected(status=302, to_url="http://a.test/login"),
    "no HTML": Skipped(status=200, content_type="application/pdf"),
}


def first_visit(outcome: Outcome) -> Visit:
    return make_visit(make_target(key=0), outcome, at=START)


def revisit(outcome: Outcome, **fields: Any) -> Visit:
    """Of a url whose page is stored."""
    return make_visit(make_target(**{"key": 0, "content_hash": HASH, **fields}), outcome, at=START)


@pytest.mark.parametrize(
    "outcome", [*MISSES.values(), DENIED, NOINDEX, make_failed(), make_failed(retry_at=START + 1)]
)
def test_what_has_no_page_is_not_visited_again(outcome: Outcome) -> None:
    assert PLANNER.plan(first_visit(outcome)) == (None, 0, 0)
    assert find_change(first_visit(outcome)) is None
    assert not keeps_fate(first_visit(outcome))


def test_a_new_page_is_due_after_the_first_interval() -> None:
    assert PLANNER.plan(first_visit(SAME)) == (START + FIRST_S, 0, 0)


@pytest.mark.parametrize("outcome", [SAME, Unchanged()], ids=["same text", "304"])
@pytest.mark.parametrize(("before", "interval_s"), [(0, 2000), (1, 4000), (2, 7000), (3, 7000), (5000, 7000)])
def test_the_interval_doubles_while_nothing_changes(before: int, interval_s: float, outcome: Outcome) -> None:
    planned = PLANNER.plan(revisit(outcome, unchanged_count=before))
    assert planned == (START + interval_s, before + 1, 0)


def test_a_change_resets_the_interval() -> None:
    assert PLANNER.plan(revisit(OTHER, unchanged_count=4)) == (START + FIRST_S, 0, 0)


@pytest.mark.parametrize("outcome", MISSES.values(), ids=list(MISSES))
def test_a_page_that_is_missing_once_is_checked_again_soon_and_stays(outcome: Outcome) -> None:
    visit = revisit(outcome, unchanged_count=4)
    assert PLANNER.plan(visit) == (START + MIN_S, 4, 1)
    assert find_change(visit) is None
    assert keeps_fate(visit)


@pytest.mark.parametrize("outcome", MISSES.values(), ids=list(MISSES))
def test_a_page_that_is_missing_twice_is_gone_and_looked_for_seldom(outcome: Outcome) -> None:
    visit = revisit(outcome, unchanged_count=4, misses=1)
    assert PLANNER.plan(visit) == (START + MAX_S, 0, 2)
    assert find_change(visit) is ChangeKind.GONE
    assert not keeps_fate(visit)


def test_a_page_that_is_gone_goes_once() -> None:
    visit = revisit(Gone(status=404), misses=2)
    assert PLANNER.plan(visit) == (START + MAX_S, 0, 2)
    assert find_change(visit) is None


@pytest.mark.parametrize("outcome", [SAME, OTHER])
def test_a_page_that_is_there_again_is_new(outcome: Outcome) -> None:
    visit = revisit(outcome, misses=2)
    assert PLANNER.plan(visit) == (START + FIRST_S, 0, 0)
    assert find_change(visit) is ChangeKind.NEW


def test_a_page_that_was_missing_once_and_is_back_has_not_changed() -> None:
    assert PLANNER.plan(revisit(Unchanged(), misses=1)) == (START + 2 * FIRST_S, 1, 0)
    assert find_change(revisit(SAME, misses=1)) is None


@pytest.mark.parametrize("outcome", [make_failed(), DENIED], ids=["failed", "robots.txt"])
def test_trouble_keeps_the_page_and_plans_another_try(outcome: Outcome) -> None:
    visit = revisit(outcome, unchanged_count=2, misses=1)
    assert PLANNER.plan(visit) == (START + FIRST_S, 2, 1)
    assert find_change(visit) is None
    assert keeps_fate(visit)


def test_what_is_retried_in_this_run_is_not_planned_beyond_it() -> None:
    visit = revisit(make_failed(retry_at=START + 4), unchanged_count=2)
    assert PLANNER.plan(visit) == (None, 2, 0)
    assert keeps_fate(visit)


def test_a_page_that_asks_not_to_be_kept_goes_at_once_and_for_good() -> None:
    assert PLANNER.plan(revisit(NOINDEX)) == (None, 0, 0)
    assert find_change(revisit(NOINDEX)) is ChangeKind.GONE
    assert not keeps_fate(revisit(NOINDEX))


def test_a_page_that_kills_its_reader_is_not_requested_again() -> None:
    visit = revisit(make_failed(kind=FailureKind.CRASH))
    assert PLANNER.plan(visit) == (None, 0, 0)
    assert not keeps_fate(visit)


def test_only_another_text_is_a_change() -> None:
    assert find_change(revisit(OTHER)) is ChangeKind.CHANGED
    assert find_change(revisit(SAME)) is None
    assert find_change(first_visit(SAME)) is ChangeKind.NEW


def test_the_pages_of_a_site_are_spread_by_their_keys_and_always_alike() -> None:
    visits = [make_visit(make_target(key=key), SAME, at=START) for key in (0, 0x7FFF, -1)]
    first, middle, last = [PLANNER.plan(visit)[0] or 0.0 for visit in visits]
    assert first == START + FIRST_S > middle > last > START + FIRST_S * (1 - JITTER)
    assert PLANNER.plan(visits[1])[0] == middle


def test_no_interval_is_shorter_or_longer_than_its_bounds() -> None:
    hasty = RevisitPlanner.build(RefreshSettings(first_s=1, min_s=MIN_S, max_s=MAX_S))
    lazy = RevisitPlanner.build(RefreshSettings(first_s=9e9, min_s=MIN_S, max_s=MAX_S))
    spread = make_visit(make_target(key=-1), SAME, at=START)
    assert hasty.plan(spread)[0] == START + MIN_S
    assert lazy.plan(first_visit(SAME))[0] == START + MAX_S


def test_switched_off_nothing_is_planned_but_everything_is_counted() -> None:
    off = RevisitPlanner.build(RefreshSettings(enabled=False))
    assert off.plan(first_visit(SAME)) == (None, 0, 0)
    assert off.plan(revisit(Unchanged(), unchanged_count=3)) == (None, 4, 0)
