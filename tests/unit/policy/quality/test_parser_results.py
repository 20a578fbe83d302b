"""What is said about parsers that made no item."""

import pytest

from tenax.policy.quality.parser_health import ParserCounts
from tenax.policy.quality.parser_results import (
    describe_barren,
    describe_error,
    describe_outdated,
    is_barren,
)
from tenax.records.items import ErrorCategory, LoggedError


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        (ParserCounts(pages=19, empty=19), True),
        (ParserCounts(pages=19, empty=15, errors=4), True),
        (ParserCounts(pages=19, empty=18, items=1), False),
        (ParserCounts(pages=19, empty=18, invalid=1), False),  # its selectors match
        (ParserCounts(pages=19), False),  # it asks for follow-ups
        (ParserCounts(pages=19, errors=19), False),  # told as errors
        (ParserCounts(), False),
    ],
)
def test_pages_without_an_item_are_what_makes_a_parser_barren(counts: ParserCounts, expected: bool) -> None:
    assert is_barren(counts) is expected


def test_the_parsers_with_most_pages_are_named_and_the_others_counted() -> None:
    parsers = {f"p{number}": ParserCounts(pages=number, empty=number) for number in range(1, 8)}
    said = describe_barren(parsers | {"good": ParserCounts(pages=50, items=50)})
    assert said[0] == "the parser p7 made no item of 7 pages"
    assert said[4:] == ["the parser p3 made no item of 3 pages", "2 more parsers made none"]


def test_an_error_is_one_short_line() -> None:
    error = LoggedError(category=ErrorCategory.HANDLER, type="ValueError", message="no\nnumber " + "x" * 999)
    assert describe_error(error).startswith("ValueError: no number xxx")
    assert len(describe_error(error)) == 200


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["a"], "the parser a is new or changed since the stored pages were visited"),
        (["a", "b"], "the parsers a and b are new or changed since the stored pages were visited"),
        (list("abcdef"), "the parsers a, b, c, d, e and others are new or changed since"),
    ],
)
def test_parsers_that_the_pages_were_not_visited_with_are_named(names: list[str], said: str) -> None:
    assert describe_outdated(names).startswith(said)
