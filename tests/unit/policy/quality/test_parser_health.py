import pytest

from tenax.policy.quality.parser_health import (
    LEAST_PAST,
    LEAST_RECENT,
    Drop,
    Measure,
    ParserCounts,
    describe_drop,
    find_drops,
    is_over,
)


def counts(pages: int, *, full: int, items: int | None = None, **fields: float) -> ParserCounts:
    """`full`: pages with items."""
    return ParserCounts(
        pages=pages,
        items=full if items is None else items,
        empty=pages - full,
        **fields,  # type: ignore[arg-type]
    )


def list_measures(past: ParserCounts, recent: ParserCounts) -> list[Measure]:
    return [drop.measure for drop in find_drops(past, recent)]


def test_a_parser_that_finds_items_on_fewer_pages_has_dropped() -> None:
    (drop,) = find_drops(counts(1000, full=900), counts(100, full=40))
    assert drop == Drop(measure=Measure.ITEMS, past=0.9, recent=0.4, past_pages=1000, recent_pages=100)
    assert describe_drop("shop", "a.example", drop) == (
        "The parser shop on a.example finds items on 40 % of its pages, after 90 %"
        " (100 pages in the last day)."
    )


def test_pages_on_which_it_fails_give_no_items() -> None:
    recent = ParserCounts(pages=100, items=40, errors=60)
    assert list_measures(counts(1000, full=900), recent) == [Measure.ITEMS]


def test_items_that_became_invalid_are_a_drop() -> None:
    past = counts(1000, full=1000)
    recent = counts(100, full=100, items=50, invalid=50)
    assert list_measures(past, recent) == [Measure.VALID]


def test_a_lower_confidence_is_a_drop() -> None:
    past = counts(1000, full=1000, confidence_sum=950.0, rated=1000)
    recent = counts(100, full=100, confidence_sum=70.0, rated=100)
    assert list_measures(past, recent) == [Measure.CONFIDENCE]


@pytest.mark.parametrize(
    ("past", "recent"),
    [(LEAST_PAST - 1, 1000), (1000, LEAST_RECENT - 1), (0, 1000), (1000, 0)],
)
def test_small_numbers_never_alert(past: int, recent: int) -> None:
    assert find_drops(counts(past, full=past), counts(recent, full=0)) == []


def test_the_least_numbers_do() -> None:
    assert find_drops(counts(LEAST_PAST, full=LEAST_PAST), counts(LEAST_RECENT, full=0)) != []


def test_a_small_loss_is_no_drop_however_many_pages_show_it() -> None:
    assert find_drops(counts(10**6, full=900_000), counts(10**6, full=700_000)) == []


def test_what_chance_does_is_no_drop() -> None:
    # 10 % of 50 pages is 5 on average; 3 is nothing unusual.
    assert find_drops(counts(1000, full=100), counts(50, full=3)) == []


def test_a_parser_that_does_better_has_not_dropped() -> None:
    assert find_drops(counts(1000, full=100), counts(1000, full=900)) == []


def test_one_that_never_found_anything_cannot_drop() -> None:
    assert find_drops(counts(1000, full=0), counts(1000, full=0)) == []


@pytest.mark.parametrize(
    ("recent", "expected"),
    [(counts(100, full=85), True), (counts(100, full=50), False), (counts(9, full=9), False)],
)
def test_a_drop_is_over_when_enough_pages_are_as_before(recent: ParserCounts, expected: bool) -> None:
    drop = Drop(measure=Measure.ITEMS, past=0.9, recent=0.4, past_pages=1000, recent_pages=100)
    assert is_over(drop, recent) is expected
