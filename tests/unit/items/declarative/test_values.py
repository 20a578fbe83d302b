"""Numbers, prices and dates as the world writes them."""

from typing import Any

import pytest

from tenax.extract.amounts import build_price, parse_price
from tenax.extract.numbers import parse_number
from tenax.items.declarative.dates import parse_date


@pytest.mark.parametrize(
    ("text", "amount", "currency"),
    [
        ("1.299,00 €", 1299, "EUR"),
        ("$1,299.00", 1299, "USD"),
        ("CHF 12.-", 12, "CHF"),
        ("1'299.50 CHF", 1299.5, "CHF"),
        ("1 299,00 zł", 1299, "PLN"),
        ("12\u202f345\u00a0Ft", 12345, "HUF"),
        ("ab 1.299,- €", 1299, "EUR"),
        ("EUR19.99", 19.99, "EUR"),
        ("12.99EUR", 12.99, "EUR"),
        ("US$ 5", 5, "USD"),
        ("R$ 1.299,90", 1299.9, "BRL"),
        ("₹1,29,999.00", 129_999, "INR"),
        ("1.000.000 VND", 1_000_000, "VND"),
        ("KWD 1.250", 1.25, "KWD"),
        ("1.299 €", 1299, "EUR"),
        ("¥1,299", 1299, "JPY"),
        ("٣٬٥٠٠٫٥٠ AED", 3500.5, "AED"),
        ("2 for $5.00", 5, "USD"),
        ("was $20, now $15", 20, "USD"),
        ("99 €/month", 99, "EUR"),
        ("19,99", 19.99, None),
        ("12,50 kr", 12.5, None),
    ],
)
def test_prices_of_the_world(text: str, amount: float, currency: str | None) -> None:
    assert parse_price(text) == {"amount": amount, "currency": currency}


@pytest.mark.parametrize("text", ["", "Call us", "19.99.2024", "SKU123", "9" * 40])
def test_what_is_no_price_is_none(text: str) -> None:
    assert parse_price(text) is None


def test_the_language_decides_what_a_sign_means() -> None:
    assert parse_price("12,50 kr", "sv") == {"amount": 12.5, "currency": "SEK"}
    assert parse_price("$5", "en-ca") == {"amount": 5, "currency": "CAD"}


def test_a_price_without_a_currency_takes_the_one_that_is_given() -> None:
    assert parse_price("5.00", None, "EUR") == {"amount": 5, "currency": "EUR"}
    assert parse_price("$5.00", None, "EUR") == {"amount": 5, "currency": "USD"}


@pytest.mark.parametrize(
    ("amount", "currency", "price"),
    [
        ("12.50", "eur", {"amount": 12.5, "currency": "EUR"}),
        ("12.500", "EUR", {"amount": 12.5, "currency": "EUR"}),
        (12, None, {"amount": 12, "currency": "USD"}),
        ("1,299.00", "EUR", {"amount": 1299, "currency": "EUR"}),
        (None, "EUR", None),
        (True, "EUR", None),
        ("soon", "EUR", None),
    ],
)
def test_prices_of_structured_data(amount: Any, currency: str | None, price: Any) -> None:
    assert build_price(amount, currency, "USD") == price


@pytest.mark.parametrize(
    ("text", "language", "number"),
    [
        ("1.234", "en", 1.234),
        ("1.234", "de", 1234),
        ("1,234", "en", 1234),
        ("1,234", "de-at", 1.234),
        ("1,234", None, 1234),
        ("-5.5 °C", None, -5.5),
        ("−3", None, -3),
        ("10-20", None, 10),
        ("4.5/5", None, 4.5),
        ("(128 reviews)", None, 128),
        ("1 234 567", None, 1_234_567),
        ("0.125", "de", 0.125),
        ("1234.5678", None, 1234.5678),
        ("12.0", None, 12),
        ("none", None, None),
    ],
)
def test_numbers(text: str, language: str | None, number: float | None) -> None:
    assert parse_number(text, language) == number


@pytest.mark.parametrize(
    ("text", "language", "found"),
    [
        ("2026-05-25", None, "2026-05-25"),
        ("2026-05-25T11:23:17+02:00", None, "2026-05-25T09:23:17Z"),
        ("Mon, 25 May 2026 11:23:17 GMT", None, "2026-05-25T11:23:17Z"),
        ("25 May 2026", None, "2026-05-25"),
        ("May 25th, 2026", None, "2026-05-25"),
        ("Posted on May 25, 2026 by Ann", None, "2026-05-25"),
        ("3. März 2026", "de", "2026-03-03"),
        ("le 1er janvier 2026", "fr", "2026-01-01"),
        ("Publicado el 3 de mayo de 2026", "es", "2026-05-03"),
        ("5 мая 2026 г.", "ru", "2026-05-05"),
        ("2026年5月25日", "ja", "2026-05-25"),
        ("25.12.2026", None, "2026-12-25"),
        ("25/12/2026", None, "2026-12-25"),
        ("03/04/2026", "en-us", "2026-03-04"),
        ("03/04/2026", "fr", "2026-04-03"),
        ("03/04/2026", "en", None),
        ("03/04/2026", None, None),
        ("31.02.2026", None, None),
        ("soon", None, None),
    ],
)
def test_dates(text: str, language: str | None, found: str | None) -> None:
    assert parse_date(text, language) == found
