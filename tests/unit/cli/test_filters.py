import pytest

from tenax.cli.filters import read_moment
from tenax.errors import UsageError
from tests.support.clock import START


@pytest.mark.parametrize(
    ("text", "ago_s"),
    [
        ("30s", 30),
        ("5m", 300),
        ("3h", 10_800),
        ("2d", 172_800),
        ("1w", 604_800),
        ("1.5h", 5400),
        (" 1d ", 86_400),
    ],
)
def test_a_span_is_so_long_ago(text: str, ago_s: float) -> None:
    assert read_moment(text, START) == START - ago_s


@pytest.mark.parametrize(
    "text",
    [
        "2025-06-15",
        "2025-06-15T00:00",
        "2025-06-15 00:00:00",
        "2025-06-15T00:00:00Z",
        "2025-06-15T02:00+02:00",
    ],
)
def test_a_date_or_a_time_is_itself_in_utc_unless_it_says_otherwise(text: str) -> None:
    assert read_moment(text, START) == 1_749_945_600.0


@pytest.mark.parametrize(
    "text", ["", "yesterday", "2d ago", "-2d", "2025-13-01", "99999-01-01", "d", "1e400d"]
)
def test_anything_else_is_refused_with_examples(text: str) -> None:
    with pytest.raises(UsageError, match="write 2026-05-01"):
        read_moment(text, START)
