"""No text makes the readers of values raise, and what they return is JSON that is read the same."""

import math
from typing import Any

import orjson
from hypothesis import example, given
from hypothesis import strategies as st

from tenax.extract.amounts import build_price, parse_price
from tenax.extract.numbers import parse_number
from tenax.extract.structured import read_json_ld, read_microdata
from tenax.items.declarative.dates import parse_date
from tenax.items.schema import build_check
from tenax.web.documents import parse_document

LANGUAGES = st.sampled_from([None, "en", "en-us", "de", "fr-ca", "sv"])
PIECES = [
    "1",
    "23",
    "456",
    ".",
    ",",
    "'",
    " ",
    "-",
    "€",
    "EUR",
    "kr",
    "$",
    "٣",
    "٫",
    "²",
    "/",
    "May",
    "3.",
    "2026",
    "年",
]
TEXTS = st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map("".join))
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text()),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
)


@given(TEXTS, LANGUAGES)
@example("0000-00-00", None)
@example("9" * 30 + ".1", None)
def test_any_text_can_be_read(text: str, language: str | None) -> None:
    number = parse_number(text, language)
    assert number is None or math.isfinite(number)
    price = parse_price(text, language)
    assert price is None or (price["amount"] >= 0 and orjson.loads(orjson.dumps(price)) == price)
    date = parse_date(text, language)
    assert date is None or parse_date(date) == date


@given(VALUES, VALUES)
def test_any_value_can_be_a_price(amount: Any, currency: Any) -> None:
    price = build_price(amount, currency, None)
    assert price is None or price["amount"] >= 0


@given(VALUES)
def test_any_value_can_be_checked(value: Any) -> None:
    check = build_check(
        {
            "properties": {
                "a": {"type": "number", "enum": [1], "minimum": 1, "pattern": "x", "uniqueItems": True}
            }
        }
    )
    assert all(fault.endswith(".") for fault in check({"a": value}))


@given(st.text(alphabet='{}[]",:\\/*<!->@graph1 \n'))
def test_any_script_can_be_read(text: str) -> None:
    script = f'<script type="application/ld+json">{text}</script>'
    html = f'{script}<div itemscope itemtype="{text}" itemprop="{text}">'
    document = parse_document(html.encode(), url="http://a.example/", content_type="text/html; charset=utf-8")
    assert all(isinstance(each, dict) for each in [*read_json_ld(document), *read_microdata(document)])
