import pytest

from tenax.policy.guesses.pagination import (
    MISSES_BEFORE_REST,
    SeenPage,
    learn_guess,
    learn_links,
    list_resumed,
    plan_first_guess,
    plan_page,
)
from tenax.record import replace
from tenax.records.guesses import GuessState, PaginationRule

RULE = PaginationRule(
    path="/news", pattern="/news?page={n}", state=GuessState.VALID, last_n=5, is_linked=True
)
ENDED = replace(RULE, state=GuessState.ENDED, misses=1)


def seen(number: int, last: int, *, has_next: bool = False) -> SeenPage:
    return SeenPage(
        path="/news", pattern="/news?page={n}", step=1, number=number, last=last, has_next=has_next
    )


def copies(rule: PaginationRule, number: int) -> list[PaginationRule]:
    """Of other lists."""
    return [replace(rule, pattern=f"/{each}?page={{n}}") for each in range(number)]


def plan(
    rule: PaginationRule, number: int, *others: PaginationRule, has_next: bool = False
) -> GuessState | None:
    planned = plan_page(rule, number, has_next=has_next, rules=[rule, *others])
    return None if planned is None else planned.state


def test_links_make_a_rule() -> None:
    assert learn_links(None, seen(1, 5, has_next=True)) == RULE


def test_a_number_without_neighbors_makes_none() -> None:
    assert learn_links(None, seen(3, 3)) is None


def test_links_beyond_the_end_make_a_rule_valid_again() -> None:
    assert learn_links(ENDED, seen(5, 6)) == replace(RULE, last_n=6, misses=1)


def test_links_do_not_change_what_a_user_has_set() -> None:
    rule = replace(RULE, state=GuessState.OFF, set_by="ann")
    assert learn_links(rule, seen(5, 6)) == replace(rule, last_n=6)


def test_last_page_is_followed_by_one_guess() -> None:
    assert plan(RULE, 5) is GuessState.TRIED


@pytest.mark.parametrize("number", [1, 4])
def test_earlier_pages_guess_nothing(number: int) -> None:
    assert plan(RULE, number) is None


def test_a_linked_page_is_not_guessed() -> None:
    assert plan(RULE, 5, has_next=True) is None


@pytest.mark.parametrize("state", [GuessState.ENDED, GuessState.INVALID, GuessState.OFF])
def test_closed_rules_guess_nothing(state: GuessState) -> None:
    assert plan(replace(RULE, state=state), 5) is None


def test_a_domain_whose_lists_link_to_all_their_pages_is_left_alone() -> None:
    assert plan(RULE, 5, *copies(ENDED, MISSES_BEFORE_REST - 1)) is GuessState.TRIED
    assert plan(RULE, 5, *copies(ENDED, MISSES_BEFORE_REST)) is None


def test_others_wait_for_the_first_answers() -> None:
    under_way = replace(RULE, state=GuessState.TRIED)
    assert plan(RULE, 5, *copies(under_way, MISSES_BEFORE_REST - 1)) is GuessState.TRIED
    assert plan(RULE, 5, *copies(under_way, MISSES_BEFORE_REST)) is GuessState.POSTPONED


def test_a_right_guess_resumes_lists_of_its_kind() -> None:
    waiting = replace(RULE, state=GuessState.POSTPONED)
    unlike = replace(waiting, is_linked=False)
    assert list_resumed([RULE, waiting, unlike], RULE) == [replace(RULE, state=GuessState.TRIED)]


def test_a_list_that_was_guessed_right_goes_on_all_the_same() -> None:
    assert plan(replace(RULE, hits=1), 5, *copies(ENDED, MISSES_BEFORE_REST)) is GuessState.VALID


def test_first_guess_uses_the_common_form() -> None:
    rule = plan_first_guess("/blog", [])
    assert rule is not None
    assert (rule.pattern, rule.state) == ("/blog?page={n}", GuessState.TRIED)


def test_first_guess_uses_the_form_of_other_lists() -> None:
    known = replace(RULE, pattern="/news/page/{n}/", hits=2)
    rule = plan_first_guess("/blog/", [RULE, known])
    assert rule is not None
    assert rule.pattern == "/blog/page/{n}/"


def test_first_guesses_end_after_a_few_misses() -> None:
    missed = PaginationRule(path="/a", pattern="/a?page={n}", state=GuessState.INVALID, misses=1)
    rules = copies(missed, MISSES_BEFORE_REST)
    assert plan_first_guess("/blog", rules[1:]) is not None
    assert plan_first_guess("/blog", rules) is None


def test_a_hit_makes_a_rule_valid_and_longer() -> None:
    tried = replace(RULE, state=GuessState.TRIED, last_n=1, is_linked=False)
    assert learn_guess(tried, 2, is_hit=True) == replace(tried, state=GuessState.VALID, last_n=2, hits=1)


def test_a_miss_ends_a_list_that_is_known() -> None:
    assert learn_guess(RULE, 6, is_hit=False) == ENDED


def test_a_miss_refutes_a_pattern_that_is_only_guessed() -> None:
    tried = replace(RULE, state=GuessState.TRIED, is_linked=False)
    assert learn_guess(tried, 2, is_hit=False).state is GuessState.INVALID


def test_answers_do_not_change_what_a_user_has_set() -> None:
    rule = replace(RULE, set_by="ann")
    assert learn_guess(rule, 6, is_hit=False) == replace(rule, misses=1)
