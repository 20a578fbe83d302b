import pytest

from tenax.cli.show.render import (
    as_json,
    format_bytes,
    format_distance,
    format_duration,
    format_table,
    format_when,
    tidy,
)
from tenax.wording import count_of


def test_tidy_folds_white_space_and_cuts() -> None:
    assert tidy("  a \n\n b  ", 10) == "a b"
    assert tidy("x" * 100, 10) == "x" * 9 + "…"


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (92_345, "92.3 kB"),
        (999_999, "1.0 MB"),
        (5 * 10**14, "500 TB"),
    ],
)
def test_sizes_are_decimal(size: int, text: str) -> None:
    assert format_bytes(size) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0.0 ms"),
        (0.0012, "1.2 ms"),
        (0.25, "250 ms"),
        (0.9999, "1 s"),
        (1.0, "1 s"),
        (1.25, "1.25 s"),
        (42.04, "42 s"),
        (59.99, "1 min"),
        (200, "3 min 20 s"),
        (7500, "2 h 5 min"),
        (360_000, "4 d 4 h"),
        (-5, "-5 s"),
    ],
)
def test_durations_have_two_units_at_most(seconds: float, text: str) -> None:
    assert format_duration(seconds) == text


def test_instants_say_how_far_away_they_are() -> None:
    assert format_when(0.0, 120.0) == "1970-01-01 00:00:00 UTC (2 min ago)"
    assert format_distance(10.0, 4.0) == "in 6 s"
    assert format_distance(4.2, 4.0) == "now"
    assert format_when(None, 4.0) == "–"


def test_columns_are_aligned_by_their_width_on_the_terminal() -> None:
    lines = format_table(("A", "N"), [("漢字", "1"), ("b", "22")], right=frozenset({1}))
    assert lines == ["A      N", "漢字   1", "b     22"]


def test_one_of_a_thing_is_singular() -> None:
    assert (count_of(1, "url"), count_of(2000, "url")) == ("1 url", "2,000 urls")


def test_json_has_instants_as_text_and_bytes_decoded() -> None:
    assert as_json({"at_s": 1.0, "fetched_at": 0.0, "list": ({"due_at": None},), "body": b"x\xff"}) == {
        "at_s": 1.0,
        "fetched_at": "1970-01-01T00:00:00.000Z",
        "list": [{"due_at": None}],
        "body": "x\ufffd",
    }
