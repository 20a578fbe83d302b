"""Text that is safe to show."""

import json

import orjson
import pytest

from tenax.visible import clean, clean_lines, escape_json

# C0, DEL, C1, marks and overrides of direction, isolates, what has no width, separators, the byte order mark.
TRICKS = "\x1b\x07\x00\x7f\x80\x9b\u061c\u200b\u200e\u200f\u2028\u202a\u202e\u2066\u2069\ufeff\ufffb"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain – ünï 漢字", "plain – ünï 漢字"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\r\nb\tc", "a\\x0d\\x0ab\\x09c"),
        ("\x9b2J", "\\x9b2J"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("lone \ud800", "lone \\ud800"),
        ("[bold]x[/bold]", "[bold]x[/bold]"),
    ],
)
def test_dangerous_characters_become_visible(text: str, shown: str) -> None:
    assert clean(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a,b\r\n\tc\n", "a,b\r\n\tc\n"),
        ("over\rwritten", "over\\x0dwritten"),
        ("\x1b]0;t\x07 \u202ex \x9b", "\\x1b]0;t\\x07 \\u202ex \\x9b"),
    ],
)
def test_lines_stay_lines(text: str, shown: str) -> None:
    assert clean_lines(text) == shown


def test_json_with_tricks_has_none_and_says_the_same() -> None:
    escaped = escape_json(orjson.dumps({TRICKS: [TRICKS]}))
    assert not set(TRICKS) & set(escaped.decode())
    assert json.loads(escaped) == {TRICKS: [TRICKS]}
