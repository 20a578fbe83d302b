import pytest

from tenax.config.guesses import ArchiveSettings
from tenax.policy.guesses.archives import (
    DAY_S,
    MISSES_UNTIL_DROPPED,
    ArchiveAnswer,
    ArchiveFacts,
    ArchiveGuess,
    is_search_due,
    iter_guesses,
    learn_answer,
    open_day,
)
from tenax.record import replace
from tenax.records.guesses import ArchivePattern, GuessBudget, GuessState

SETTINGS = ArchiveSettings(enabled=True, queue_below=5)
NOW = 1_000_000.0
MONTHLY = "/{Y}/{MM}/"
VALID = ArchivePattern(pattern=MONTHLY, state=GuessState.VALID, hits=1)


def is_due(searched_ago_s: float | None, *, waiting: int) -> bool:
    budget = GuessBudget(searched_at=None if searched_ago_s is None else NOW - searched_ago_s)
    return is_search_due(budget, SETTINGS, NOW, waiting=waiting)


def guess(
    places: dict[str, set[tuple[int, int]]], *patterns: ArchivePattern, is_dry: bool = False
) -> list[ArchiveGuess]:
    facts = ArchiveFacts(
        places=places,
        patterns={each.pattern: each for each in patterns},
        month=(2024, 9),
        is_dry=is_dry,
    )
    return list(iter_guesses(facts, ["/archive"]))


def test_first_search_waits_until_little_is_left() -> None:
    assert not is_due(None, waiting=5)
    assert is_due(None, waiting=4)


def test_next_search_is_a_day_later() -> None:
    assert not is_due(DAY_S - 1, waiting=0)
    assert is_due(DAY_S, waiting=0)


def test_daily_search_does_not_wait_for_the_queue() -> None:
    assert is_due(DAY_S, waiting=1000)


def test_a_clock_that_was_set_back_does_not_end_the_searches() -> None:
    assert is_due(-3600.0, waiting=0)


def test_days_are_counted_separately() -> None:
    budget = GuessBudget(since=NOW, pages=3, archives=4)
    assert open_day(budget, NOW + DAY_S - 1) is budget
    assert open_day(budget, NOW + DAY_S) == GuessBudget(since=NOW + DAY_S)


def test_new_pattern_is_probed_where_posts_are_known() -> None:
    places = {MONTHLY: {(2024, 5), (2024, 6), (2024, 7)}}
    assert guess(places) == [ArchiveGuess(MONTHLY, (2024, 7)), ArchiveGuess(MONTHLY, (2024, 5))]


def test_common_paths_are_tried_only_when_nothing_is_left() -> None:
    assert guess({}) == []
    assert guess({}, is_dry=True) == [ArchiveGuess("/archive", (0, 0))]


def test_proven_pattern_is_followed_outward_from_the_evidence() -> None:
    found = [each.place for each in guess({MONTHLY: {(2024, 5)}}, VALID)]
    assert found[:3] == [(2024, 5), (2024, 6), (2024, 4)]
    assert found[-1] == (2023, 5)
    assert max(found) == (2024, 9), "the future has no archives"


def test_years_and_numbers_are_followed_too() -> None:
    yearly = replace(VALID, pattern="/{Y}/")
    assert [each.place for each in guess({"/{Y}/": {(2023, 0)}}, yearly)] == [(2023, 0), (2024, 0), (2022, 0)]
    numbered = replace(VALID, pattern="/issues/{n}")
    assert (38, 0) in [each.place for each in guess({"/issues/{n}": {(37, 0)}}, numbered)]


@pytest.mark.parametrize("state", [GuessState.INVALID, GuessState.OFF])
def test_closed_patterns_are_not_guessed(state: GuessState) -> None:
    closed = replace(VALID, state=state)
    assert guess({MONTHLY: {(2024, 5)}}, closed) == []


def test_new_urls_make_a_pattern_valid() -> None:
    learned = learn_answer(None, MONTHLY, ArchiveAnswer.NEW)
    assert learned == VALID


def test_an_archive_without_news_shows_that_there_are_archives() -> None:
    learned = learn_answer(None, MONTHLY, ArchiveAnswer.NOTHING_NEW)
    assert (learned.state, learned.hits, learned.misses) == (GuessState.VALID, 0, 1)


@pytest.mark.parametrize("answer", [ArchiveAnswer.MISSING, ArchiveAnswer.NOTHING_NEW])
def test_three_answers_without_news_drop_a_pattern(answer: ArchiveAnswer) -> None:
    learned = VALID
    for _ in range(MISSES_UNTIL_DROPPED):
        assert learned.state is GuessState.VALID
        learned = learn_answer(learned, MONTHLY, answer)
    assert learned.state is GuessState.INVALID


def test_a_hit_forgives_earlier_misses() -> None:
    learned = learn_answer(replace(VALID, misses=2), MONTHLY, ArchiveAnswer.NEW)
    assert learned.misses == 0


def test_answers_do_not_change_what_a_user_has_set() -> None:
    rule = replace(VALID, misses=2, set_by="ann")
    assert learn_answer(rule, MONTHLY, ArchiveAnswer.MISSING) == replace(rule, misses=3)
