"""When pages with items are visited again."""

from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError

from tenax.config.refresh import RefreshRule, RefreshSettings
from tenax.policy.revisit import Revisit, RevisitPlanner
from tenax.policy.shown_items import MOST_KINDS, find_shown
from tenax.records.items import FoundItem, PageItems
from tenax.records.visits import Fetched, Outcome, Unchanged, Visit
from tests.support.clock import START
from tests.support.crawling import make_target
from tests.support.items import PARSED_BY, found_item, parsing
from tests.support.store import make_failed, make_fetched, make_visit

FIRST_S, MIN_S, MAX_S, HOUR_S = 1000.0, 100.0, 7000.0, 3600.0
SETTINGS = RefreshSettings(first_s=FIRST_S, min_s=MIN_S, max_s=MAX_S)
PLANNER = RevisitPlanner.build(SETTINGS)
BEFORE = make_fetched("a text")
OTHER = make_fetched("another text")
ITEM, CHANGED = found_item("x", price=1), found_item("x", price=2)


def visit(outcome: Outcome, *items: FoundItem, parsed_by: int | None = PARSED_BY, **target: Any) -> Visit:
    fields = {"key": 0, "content_hash": BEFORE.page.content_hash, "parsed_by": PARSED_BY, **target}
    made = make_visit(make_target(**fields), outcome, at=START)
    return replace(made, parsings=(parsing(*items),), parsed_by=parsed_by)


def show(*items: FoundItem) -> PageItems:
    shown = find_shown(visit(BEFORE, *items))
    assert shown is not None
    return shown


def plan(made: Visit, planner: RevisitPlanner = PLANNER) -> Revisit:
    return planner.plan(made)


def test_a_page_whose_text_changed_but_not_its_items_is_due_later() -> None:
    assert plan(visit(OTHER, ITEM, shown=show(ITEM))) == (START + 2 * FIRST_S, 1, 0)


def test_a_page_whose_items_changed_is_due_sooner_although_its_text_did_not() -> None:
    assert plan(visit(BEFORE, CHANGED, shown=show(ITEM))) == (START + FIRST_S / 2, -1, 0)


def test_a_page_that_was_quiet_for_long_starts_again_when_its_items_change() -> None:
    assert plan(visit(BEFORE, CHANGED, shown=show(ITEM), unchanged_count=5)) == (START + FIRST_S, 0, 0)


def test_items_that_change_at_every_visit_lead_to_the_shortest_interval_and_no_further() -> None:
    count = 0
    for _ in range(10):
        at, count, _misses = plan(visit(BEFORE, CHANGED, shown=show(ITEM), unchanged_count=count))
    assert (at, count) == (START + MIN_S, -4)
    assert plan(visit(BEFORE, ITEM, shown=show(ITEM), unchanged_count=count)) == (START + FIRST_S / 8, -3, 0)


@pytest.mark.parametrize("items", [(), (ITEM, found_item("y", price=3))], ids=["fewer", "more"])
def test_fewer_or_more_items_are_a_change(items: tuple[FoundItem, ...]) -> None:
    assert plan(visit(BEFORE, *items, shown=show(ITEM)))[1] == -1


def test_the_order_of_items_is_no_change() -> None:
    other = found_item("y", price=3)
    assert plan(visit(OTHER, ITEM, other, shown=show(other, ITEM)))[1] == 1


@pytest.mark.parametrize(("outcome", "count"), [(BEFORE, 1), (OTHER, 0)], ids=["same", "changed"])
def test_the_text_decides_for_a_page_without_items(outcome: Fetched, count: int) -> None:
    assert plan(visit(outcome, shown=show()))[1] == count


def test_the_text_decides_after_a_change_of_the_parsers() -> None:
    assert plan(visit(BEFORE, CHANGED, shown=show(ITEM), parsed_by=PARSED_BY + 1))[1] == 1


def test_the_text_decides_if_a_parser_failed() -> None:
    assert plan(visit(BEFORE, shown=show(ITEM), parsed_by=None))[1] == 1


def planner_of(*rules: RefreshRule, **settings: Any) -> RevisitPlanner:
    return RevisitPlanner.build(SETTINGS.model_copy(update={"every": rules, **settings}))


@pytest.mark.parametrize("outcome", [BEFORE, OTHER, Unchanged()])
def test_pages_of_a_kind_are_due_at_its_interval_whether_they_change_or_not(outcome: Outcome) -> None:
    planner = planner_of(RefreshRule(kind="product", hours=6))
    assert plan(visit(outcome, ITEM, shown=show(ITEM)), planner)[0] == START + 6 * HOUR_S
    assert plan(visit(OTHER, shown=show()), planner)[0] == START + FIRST_S


def test_a_new_page_is_due_at_the_interval_of_its_kind() -> None:
    made = visit(BEFORE, ITEM, content_hash=None, parsed_by=None)
    planner = planner_of(RefreshRule(kind="product", hours=0.5))
    assert plan(replace(made, parsed_by=PARSED_BY), planner) == (START + HOUR_S / 2, 0, 0)


def test_a_pattern_applies_to_pages_without_parsers_too() -> None:
    planner = planner_of(RefreshRule(pattern="/news/*", hours=1))
    for url, seconds in (("https://a.test/news/1", HOUR_S), ("https://a.test/", FIRST_S)):
        made = make_visit(make_target(key=0, url=url), BEFORE, at=START)
        assert plan(made, planner)[0] == START + seconds


def test_the_first_rule_that_applies_counts() -> None:
    rules = (RefreshRule(pattern="*", hours=2), RefreshRule(kind="product", hours=1))
    assert plan(visit(BEFORE, ITEM, shown=show(ITEM)), planner_of(*rules))[0] == START + 2 * HOUR_S


def test_a_rule_plans_nothing_if_revisits_are_off_or_a_try_is_due() -> None:
    rule = RefreshRule(pattern="*", hours=2)
    assert plan(visit(BEFORE, ITEM), planner_of(rule, enabled=False))[0] is None
    assert plan(visit(make_failed(retry_at=START + 1)), planner_of(rule))[0] is None


@pytest.mark.parametrize("fields", [{}, {"kind": "a", "pattern": "/a"}, {"pattern": "news"}, {"kind": ""}])
def test_a_rule_has_either_a_kind_or_a_pattern(fields: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        RefreshRule(hours=1, **fields)


def test_a_page_of_many_kinds_keeps_some_of_them() -> None:
    assert len(show(*(found_item("x", kind=f"k{number}") for number in range(99))).kinds) == MOST_KINDS
