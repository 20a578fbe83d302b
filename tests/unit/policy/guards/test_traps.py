"""Clusters: slowed by what their visits bring, closed if they are endless, open when a user says so."""

from tenax.config.crawl import TrapSettings
from tenax.policy.guards.traps import (
    add_visit,
    count_recent,
    find_holding,
    is_suspect,
    is_trusted,
    plan_state,
)
from tenax.policy.guards.url_shapes import shape_of
from tenax.record import replace
from tenax.records.traps import Trap, TrapRule, TrapState

SETTINGS = TrapSettings(window=20, budget=50)
NEW = Trap(shape="/p/{n}", state=TrapState.OPEN)
FACETS = shape_of("https://a.example/shop?color=1&size=2&cut=3")
PAIR = shape_of("https://a.example/shop?color=1&size=2")
PAGE = shape_of("https://a.example/shop?page=2")


def visit(
    trap: Trap, times: int, *, novel: bool = False, led_on: int = 1, rule: TrapRule = TrapRule.ENDLESS
) -> Trap:
    for _ in range(times):
        trap = plan_state(add_visit(trap, is_novel=novel, led_on=led_on), rule, SETTINGS)
    return trap


def test_a_cluster_is_slowed_when_a_whole_window_brought_nothing() -> None:
    assert visit(NEW, 19).state is TrapState.OPEN
    slowed = visit(NEW, 20)
    assert (slowed.state, slowed.rule) == (TrapState.SLOWED, TrapRule.ENDLESS)


def test_a_few_novel_pages_keep_it_open() -> None:
    assert visit(visit(NEW, 2, novel=True), 18).state is TrapState.OPEN


def test_what_it_brought_long_ago_does_not_count() -> None:
    assert visit(visit(NEW, 500, novel=True), 20).state is TrapState.SLOWED


def test_repeated_segments_need_a_quarter_of_the_evidence() -> None:
    assert visit(NEW, 5, rule=TrapRule.REPEATED_PATH).state is TrapState.SLOWED


def test_an_endless_cluster_is_closed_when_its_budget_is_spent() -> None:
    slowed = visit(NEW, 20)
    assert visit(slowed, 49).state is TrapState.SLOWED
    assert visit(slowed, 50).state is TrapState.CLOSED


def test_a_cluster_that_comes_to_an_end_is_never_closed() -> None:
    assert visit(visit(NEW, 20), 1000, led_on=0).state is TrapState.SLOWED


def test_a_slowed_cluster_is_opened_when_it_brings_something_again() -> None:
    opened = visit(visit(NEW, 20), 12, novel=True)
    assert (opened.state, opened.rule, opened.spent) == (TrapState.OPEN, None, 0)


def test_a_users_decision_stands() -> None:
    opened = replace(NEW, decided_by="anna")
    assert visit(opened, 100).state is TrapState.OPEN
    closed = replace(NEW, state=TrapState.CLOSED, decided_by="anna")
    assert visit(closed, 100, novel=True).state is TrapState.CLOSED


def test_recent_visits_are_counted_one_by_one() -> None:
    trap = visit(visit(NEW, 3, novel=True), 5)
    assert count_recent(trap, 6) == (6, 1)
    assert count_recent(trap, 40) == (8, 3)


def test_only_clusters_with_a_poor_record_are_worth_storing() -> None:
    assert not is_suspect(visit(NEW, 9))
    assert is_suspect(visit(NEW, 10))
    assert not is_suspect(visit(NEW, 100, novel=True))


def test_a_cluster_is_trusted_while_its_last_visits_brought_something() -> None:
    good = visit(NEW, 8, novel=True)
    assert is_trusted(good)
    assert not is_trusted(visit(good, 1))


def test_combinations_are_held_with_their_family() -> None:
    family = Trap(shape="/shop?*", state=TrapState.SLOWED)
    assert find_holding(None, family, FACETS) is family
    assert find_holding(None, replace(family, state=TrapState.OPEN), FACETS) is None


def test_a_pair_has_a_trial_and_is_exempt_while_it_does_well() -> None:
    family = Trap(shape="/shop?*", state=TrapState.CLOSED)
    own = Trap(shape=PAIR.name, state=TrapState.OPEN)
    assert find_holding(None, family, PAIR) is None
    assert find_holding(visit(own, 3), family, PAIR) is family
    assert find_holding(visit(own, 3, novel=True), family, PAIR) is None


def test_a_single_parameter_is_judged_by_itself() -> None:
    family = Trap(shape="/shop?*", state=TrapState.CLOSED)
    own = Trap(shape=PAGE.name, state=TrapState.OPEN)
    assert find_holding(visit(own, 10), family, PAGE) is None
    slowed = replace(own, state=TrapState.SLOWED)
    assert find_holding(slowed, None, PAGE) is slowed


def test_what_a_user_has_opened_is_not_held_with_its_family() -> None:
    family = Trap(shape="/shop?*", state=TrapState.CLOSED)
    own = Trap(shape=FACETS.name, state=TrapState.OPEN, decided_by="anna")
    assert find_holding(own, family, FACETS) is None
