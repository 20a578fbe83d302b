"""Text that is safe to show."""

import json

import orjson
from hypothesis import given
from hypothesis import strategies as st

from tenax.visible import clean, escape_json


@given(st.text())
def test_clean_text_is_one_printable_line_whatever_comes(text: str) -> None:
    shown = clean(text)
    assert len(shown.splitlines()) <= 1
    assert "\x1b" not in shown
    assert clean(shown) == shown


@given(st.text())
def test_json_reads_back_whatever_it_says(text: str) -> None:
    escaped = escape_json(orjson.dumps(text))
    assert json.loads(escaped) == text
    assert clean(escaped.decode()) == escaped.decode()
