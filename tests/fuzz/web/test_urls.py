"""URLs: resolving references, by example and by property, and the parts of addresses."""

import re
from urllib.parse import urlsplit

from hypothesis import example, given
from hypothesis import strategies as st

from tenax.web.escapes import tidy_escapes
from tenax.web.identity import url_key
from tenax.web.urls import (
    _parse_slowly,
    domain_of,
    host_of,
    origin_of,
    parse_url,
    port_of,
    registrable_domain,
)

BASE = "https://example.com/shop/list.html?page=1"


# Text dense in what URLs are made of, so that the properties meet the odd corners often.
PIECES = [
    *["http", "https", "ftp", "://", ":", "/", "//", "?", "#", "&", "=", "@", "\\", ".", "..", "/./"],
    *["/../", "%", "%2e", "%2E", "%2f", "%41", "%7e", "%c3%a9", "%%", "%3", "+", " ", "\t", "\n"],
    *["\0", "a", "b", "Z", "0", "1", "0x7f", "127.0.0.1", "[::1]", "example", ".com", ".", "www."],
    *[
        "xn--",
        "xn--mnchen-3ya",
        "ü",
        "ツ",
        "\ud800",
        ":80",
        ":443",
        ":8080",
        "utm_x=1",
        "ref=",
        "'",
        ";jsessionid=1",
    ],
    *["index.html", "-", "_", "~", "|", "{", '"', "<", "^", "[", "]", ";", ",", "!", "\u3002"],
]


url_text = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


hrefs = st.one_of(url_text, url_text.map("https://example.com".__add__), url_text.map("/".__add__), st.text())


@given(hrefs, st.one_of(st.none(), st.just(BASE), url_text.map("http://h.example/".__add__)))
@example("/%%34%31", BASE)
@example("/%4%31", BASE)
@example("/?x%&%7e", BASE)
@example("%%32e/x", BASE)
@example("http://0x7f.1../", None)
@example("http://a.b.:8080/", None)
def test_an_address_means_itself(href: str, base: str | None) -> None:
    url = parse_url(href, base)
    if url is not None:
        assert parse_url(url) == url
        assert parse_url(url, BASE) == url


@given(hrefs, st.one_of(st.none(), st.just(BASE), url_text.map("http://h.example/".__add__)))
def test_the_fast_path_agrees_with_the_parser(href: str, base: str | None) -> None:
    assert parse_url(href, base) == _parse_slowly(href, base)


@given(hrefs, url_text)
def test_an_address_is_plain_http_without_fragment_or_credentials(href: str, base: str) -> None:
    url = parse_url(href, base)
    if url is not None:
        assert re.fullmatch(r"https?://[^/?#@\s]+/[^#\s]*", url)
        assert url.isascii()


@given(hrefs)
def test_every_part_can_be_cut_from_an_address(href: str) -> None:
    url = parse_url(href, BASE)
    if url is not None:
        assert origin_of(url) + "/" == url[: len(origin_of(url)) + 1]
        assert 0 <= port_of(url) <= 65535
        assert host_of(url) == urlsplit(url).hostname
        assert registrable_domain(domain_of(url))
        assert -(2**63) <= url_key(url) < 2**63


@given(st.text(alphabet="%0123456789abcdefABCDEF./~-"))
def test_tidying_escapes_twice_changes_nothing_more(text: str) -> None:
    assert tidy_escapes(tidy_escapes(text)) == tidy_escapes(text)
