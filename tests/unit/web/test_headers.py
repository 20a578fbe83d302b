"""Header values, valid and invalid."""

import pytest

from tenax.web.headers import (
    count_retry_after,
    is_html,
    parse_content_type,
    parse_max_age,
    parse_meta_robots,
    parse_retry_after,
    parse_robots_tag,
)

NOW = 784_111_777.0  # Sun, 06 Nov 1994 08:49:37 GMT


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, ("", None)),
        ("", ("", None)),
        ("text/html", ("text/html", None)),
        (" Text/HTML ; Charset=UTF-8", ("text/html", "UTF-8")),
        ('text/html; charset="utf-8"; x=y', ("text/html", "utf-8")),
        ("text/html; charset='utf-8'", ("text/html", "utf-8")),
        ("text/html;x=y;charset = latin1", ("text/html", "latin1")),
        ("text/html, text/plain", ("text/html", None)),
        ("application/xhtml+xml;charset=", ("application/xhtml+xml", None)),
        ("; charset=utf-8", ("", "utf-8")),
        ("html", ("", None)),
        ("text/html; mycharset=x", ("text/html", None)),
    ],
)
def test_content_type(value: str | None, expected: tuple[str, str | None]) -> None:
    assert parse_content_type(value) == expected


def test_html_comes_in_two_types() -> None:
    assert is_html("text/html")
    assert is_html("application/xhtml+xml")
    assert not is_html("application/xml")
    assert not is_html("")


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (" 0 ", 0.0),
        ("1.5", 1.5),
        ("31536000", 31_536_000.0),
        ("Sun, 06 Nov 1994 08:50:37 GMT", 60.0),
        ("Sunday, 06-Nov-94 08:50:37 GMT", 60.0),
        ("Sun Nov  6 08:50:37 1994", 60.0),
        ("Sun, 06 Nov 1994 07:00:00 GMT", 0.0),
    ]
    + [(garbage, None) for garbage in (None, "", "soon", "-1", "nan", "inf", "1e3", "٣", "9" * 5000)]
    + [(garbage, None) for garbage in ("Sun, 99 Nov 1994 99:99:99 GMT", "Sun, 06 Nov 99999 08:49:37 GMT")],
)
def test_retry_after(value: str | None, seconds: float | None) -> None:
    assert parse_retry_after(value, NOW) == seconds


@pytest.mark.parametrize(
    ("values", "directives"),
    [
        (None, set()),
        ("", set()),
        ("NoIndex, NOFOLLOW", {"noindex", "nofollow"}),
        ("none", {"noindex", "nofollow"}),
        ("otherbot: noindex, nofollow", set()),
        ("tenax: noindex", {"noindex"}),
        ("Tenax : noindex", {"noindex"}),
        ("*: noindex", {"noindex"}),
        ("noarchive, otherbot: noindex, tenax: nofollow", {"noarchive", "nofollow"}),
        ("unavailable_after: Friday, 25-Jun-10 15:00:00 GMT, noindex", {"unavailable_after", "noindex"}),
        ("unavailable_after: 25 Jun 2010 15:00:00 PST", {"unavailable_after"}),
        ("max-snippet: 20, max-image-preview:large", {"max-snippet", "max-image-preview"}),
        ("otherbot: unavailable_after: 25 Jun 2010 15:00:00 PST, noindex", set()),
        ("noindexed, whatever", set()),
    ],
)
def test_robots_tag(values: str | None, directives: set[str]) -> None:
    assert parse_robots_tag(values) == directives


@pytest.mark.parametrize(
    ("content", "directives"),
    [
        ("noindex,nofollow", {"noindex", "nofollow"}),
        ("NOINDEX FOLLOW", {"noindex", "follow"}),
        ("none", {"noindex", "nofollow"}),
        ("index, follow, max-snippet:-1", {"index", "follow", "max-snippet"}),
        ("", set()),
        ("noindexing", set()),
    ],
)
def test_meta_robots(content: str, directives: set[str]) -> None:
    assert parse_meta_robots(content) == directives


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("", None),
        ("public, Max-Age=3600", 3600.0),
        ('max-age="60"', 60.0),
        ("max-age=60, no-store", 0.0),
        ("no-cache", 0.0),
        ('no-cache="set-cookie", max-age=5', 5.0),
        ("s-maxage=9", None),
        ("max-age=-1", None),
        ("max-age=nan", None),
        ("max-age", None),
        ("x-max-age=5", None),
        ("max-age=" + "9" * 400, None),
    ],
)
def test_max_age(value: str | None, seconds: float | None) -> None:
    assert parse_max_age(value) == seconds


@pytest.mark.parametrize(
    ("value", "counted"),
    [
        ("Sun, 15 Jun 2025 15:07:10 GMT", "30"),
        ("Sun, 15 Jun 2025 15:06:00 GMT", "0"),
        ("120", "120"),
        ("soon", "soon"),
    ],
)
def test_a_date_of_retry_after_is_counted_in_seconds_when_it_comes_in(value: str, counted: str) -> None:
    headers = {"retry-after": value, "server": "x"}
    assert count_retry_after(headers, 1_750_000_000.0) == {"retry-after": counted, "server": "x"}
