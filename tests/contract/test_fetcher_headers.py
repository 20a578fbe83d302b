"""Headers that a person adds: they reach the origins that they are for, and nobody else."""

import pytest

from tenax.config.fetch import FetchSettings
from tenax.errors import ConfigError
from tenax.fetch.curl import CurlFetcher
from tenax.fetch.custom_headers import parse_headers
from tenax.records.requests import Request
from tests.support.fetching import LOCAL, expect_response, play
from tests.support.hostile import answer, hostile_origin, page

KEY = b"X-Api-Key: s3cret\r\n"


def with_headers(*origins: str, lines: tuple[str, ...] = ("X-Api-Key: s3cret",)) -> FetchSettings:
    return LOCAL.model_copy(update={"headers": lines, "header_origins": origins})


def test_a_header_goes_to_its_origin_and_to_no_other() -> None:
    async def scenario(fetcher: CurlFetcher) -> None:
        for url in (mine.url, other.url, mine.url):
            expect_response(await fetcher.fetch(Request(url=url)))

    with hostile_origin(page) as mine, hostile_origin(page) as other:
        play(scenario, with_headers(mine.url))
    assert [KEY in each for each in mine.requests] == [True, True]
    assert b"s3cret" not in other.requests[0]


def test_a_redirect_to_another_origin_does_not_take_it_along() -> None:
    async def scenario(fetcher: CurlFetcher) -> None:
        moved = expect_response(await fetcher.fetch(Request(url=mine.url)))
        expect_response(await fetcher.fetch(Request(url=moved.headers["location"])))

    with hostile_origin(page) as other:
        moving = answer(b"", status="302 Found", headers=b"Location: " + other.url.encode() + b"\r\n")
        with hostile_origin(moving) as mine:
            play(scenario, with_headers(mine.url))
    assert KEY in mine.requests[0]
    assert len(other.requests) == 1
    assert b"s3cret" not in other.requests[0]


def test_it_is_sent_with_validators_and_replaces_the_defaults() -> None:
    async def scenario(fetcher: CurlFetcher) -> None:
        expect_response(await fetcher.fetch(Request(url=origin.url, etag='"v1"')))

    with hostile_origin(page) as origin:
        play(scenario, with_headers(origin.url, lines=("X-Api-Key: s3cret", "accept: text/plain")))
    request = origin.requests[0]
    assert KEY in request
    assert b'If-None-Match: "v1"\r\n' in request
    assert request.lower().count(b"accept:") == 1
    assert b"accept: text/plain\r\n" in request


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("Host: evil.example", "cannot be set"),
        ("content-length: 5", "cannot be set"),
        ("Proxy-Authorization: x", "cannot be set"),
        ("X: a\r\nY: b", "printable"),
        ("X:", "printable"),
        ("X: ☃", "printable"),
        ("Bad Name: x", "is not the name of a header"),
        ("no colon", "has no colon"),
    ],
)
def test_a_header_that_must_not_be_sent_is_refused(line: str, complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        parse_headers(with_headers("https://example.com", lines=(line,)))


@pytest.mark.parametrize("origin", ["example.com", "ftp://example.com", "https://example.com/path", ""])
def test_an_origin_is_scheme_host_and_port(origin: str) -> None:
    with pytest.raises(ConfigError, match="is not an origin"):
        parse_headers(with_headers(origin))


def test_without_headers_or_origins_there_is_nothing_to_do() -> None:
    assert parse_headers(LOCAL) is None
    assert parse_headers(with_headers()) is None
    assert parse_headers(with_headers("https://example.com", lines=())) is None


def test_what_a_header_says_is_not_shown() -> None:
    settings = with_headers("https://example.com")
    assert "s3cret" not in settings.model_dump_json()
    assert settings.model_dump()["headers"] == ("X-Api-Key: ***",)
