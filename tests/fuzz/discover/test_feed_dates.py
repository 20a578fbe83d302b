"""Dates of feeds: parsed completely or not at all."""

from hypothesis import given
from hypothesis import strategies as st

from tenax.discover.feed_dates import parse_date

PIECES = [
    "Tue, ",
    "01",
    " ",
    "May",
    "2012",
    "-",
    ":",
    "10",
    "T",
    "Z",
    "+",
    "PM",
    "EST",
    "(",
    ")",
    "/",
    ".",
    ",",
]


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=20))
def test_nothing_is_raised(pieces: list[str]) -> None:
    found = parse_date("".join(pieces))
    assert found is None or isinstance(found, float)
