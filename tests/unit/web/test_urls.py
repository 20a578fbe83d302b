"""URLs: the normal form, by example and by property, and the parts cut from it."""

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from publicsuffixlist import PSLFILE

from tenax.web.urls import (
    _normalize_slowly,
    domain_of,
    host_of,
    normalize,
    normalize_endpoint,
    origin_of,
    port_of,
    registrable_domain,
    tidy_escapes,
    url_key,
)

BASE = "https://example.com/shop/list.html?page=1"

# Text dense in what URLs are made of, so that the properties meet the odd corners often.
PIECES = [
    *["http", "https", "ftp", "://", ":", "/", "//", "?", "#", "&", "=", "@", "\\", ".", "..", "/./"],
    *["/../", "%", "%2e", "%2E", "%2f", "%41", "%7e", "%c3%a9", "%%", "%3", "+", " ", "\t", "\n"],
    *["\0", "a", "b", "Z", "0", "1", "0x7f", "127.0.0.1", "[::1]", "example", ".com", ".", "www."],
    *["xn--", "xn--mnchen-3ya", "ü", "ツ", "\ud800", ":80", ":443", ":8080", "utm_x=1", "ref=", "'"],
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
def test_a_normal_form_is_its_own_normal_form(href: str, base: str | None) -> None:
    url = normalize(href, base)
    if url is not None:
        assert normalize(url) == url
        assert normalize(url, BASE) == url


@given(hrefs, st.one_of(st.none(), st.just(BASE), url_text.map("http://h.example/".__add__)))
def test_the_fast_path_agrees_with_the_parser(href: str, base: str | None) -> None:
    assert normalize(href, base) == _normalize_slowly(href, base)


@given(hrefs, url_text)
def test_a_normal_form_is_plain_http_without_fragment_or_credentials(href: str, base: str) -> None:
    url = normalize(href, base)
    if url is not None:
        assert re.fullmatch(r"https?://[^/?#@\s]+/[^#\s]*", url)
        assert url.isascii()


@given(hrefs)
def test_every_part_can_be_cut_from_a_normal_form(href: str) -> None:
    url = normalize(href, BASE)
    if url is not None:
        assert origin_of(url) + "/" == url[: len(origin_of(url)) + 1]
        assert 0 <= port_of(url) <= 65535
        assert host_of(url) == urlsplit(url).hostname
        assert registrable_domain(domain_of(url))
        assert -(2**63) <= url_key(url) < 2**63


@given(st.text(alphabet="%0123456789abcdefABCDEF./~-"))
def test_tidying_escapes_twice_changes_nothing_more(text: str) -> None:
    assert tidy_escapes(tidy_escapes(text)) == tidy_escapes(text)


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("HTTP://EXAMPLE.com/A", "http://example.com/A"),
        ("https://example.com", "https://example.com/"),
        ("https://example.com?a=1", "https://example.com/?a=1"),
        ("https://example.com:443/", "https://example.com/"),
        ("http://example.com:80/", "http://example.com/"),
        ("http://example.com:443/", "http://example.com:443/"),
        ("https://example.com:8443/x", "https://example.com:8443/x"),
        ("https://user:secret@example.com/", "https://example.com/"),
        ("https://example.com./a", "https://example.com/a"),
        ("https://example.com.:8080/a", "https://example.com:8080/a"),
        ("https://münchen.de/", "https://xn--mnchen-3ya.de/"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://[0:0::1]:8080/", "http://[::1]:8080/"),
        ("  https://exa\nmple.com/a\tb  ", "https://example.com/ab"),
        ("https:\\\\example.com\\a", "https://example.com/a"),
        ("https://example.com/a/../b/./c", "https://example.com/b/c"),
        ("https://example.com/%2e%2E/b", "https://example.com/b"),
        ("https://example.com/a b", "https://example.com/a%20b"),
        ("https://example.com/ü", "https://example.com/%C3%BC"),
        ("https://example.com/\ud800", "https://example.com/%EF%BF%BD"),
        ("https://example.com/a//b/", "https://example.com/a//b/"),
    ],
)
def test_absolute_urls_are_parsed_as_browsers_do(href: str, url: str) -> None:
    assert normalize(href) == url


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("/a", "https://example.com/a"),
        ("item-1.html", "https://example.com/shop/item-1.html"),
        ("../a", "https://example.com/a"),
        ("//other.example/a", "https://other.example/a"),
        ("?page=2", "https://example.com/shop/list.html?page=2"),
        ("?", "https://example.com/shop/list.html"),
        ("#top", "https://example.com/shop/list.html?page=1"),
        ("", "https://example.com/shop/list.html?page=1"),
        ("/a?b=1#c?d", "https://example.com/a?b=1"),
        ("/.well-known/x", "https://example.com/.well-known/x"),
        ("httpd/a", "https://example.com/shop/httpd/a"),
        ("a:b", None),
        ("/a:b", "https://example.com/a:b"),
    ],
)
def test_relative_references_are_resolved_against_the_base(href: str, url: str | None) -> None:
    assert normalize(href, BASE) == url


@pytest.mark.parametrize(
    ("query", "normal"),
    [
        ("?b=2&a=1", "?a=1&b=2"),
        ("?a=2&a=1&a=2", "?a=1&a=2&a=2"),
        ("?a-b=1&a=2", "?a=2&a-b=1"),
        ("?a=&a", "?a&a="),
        ("?b&&a&", "?a&b"),
        ("?&", ""),
        ("?q=a+b%20c%2Bd", "?q=a+b%20c%2Bd"),
        ("?q=a=b", "?q=a=b"),
        ("?utm_source=x&id=7&UTM_Medium=y&gclid=1&ref=z&source=s", "?id=7"),
        ("?%75tm_source=x", ""),
        ("?reference=1&sources=2", "?reference=1&sources=2"),
        ("?fbclid=1", ""),
        ("?q=%7euser%c3%a9", "?q=~user%C3%A9"),
        ("?q='", "?q=%27"),
    ],
)
def test_parameters_are_sorted_and_tracking_ones_removed(query: str, normal: str) -> None:
    assert normalize(f"https://example.com/p{query}") == f"https://example.com/p{normal}"


@pytest.mark.parametrize(
    ("path", "normal"),
    [
        ("/%7Ejoe/%41%2d", "/~joe/A-"),
        ("/a%2fb", "/a%2Fb"),
        ("/a%2eb", "/a.b"),
        ("/%%34%31", "/%%341"),
        ("/%zz%", "/%zz%"),
    ],
)
def test_escapes_are_upper_case_and_only_where_needed(path: str, normal: str) -> None:
    assert normalize(f"https://example.com{path}") == f"https://example.com{normal}"


@pytest.mark.parametrize(
    "href",
    [
        *["", "mailto:a@example.com", "javascript:void(0)", "tel:1", "ftp://example.com/", "data:,x"],
        *["http://", "https:///", "http://exa mple.com/", "http://example.com:99999/", "/a", "a.html"],
        *["http://./", "http://a../", "http://[::1/", "http://1.2.3.4.5/", "blob:https://example.com/x"],
    ],
)
def test_what_no_crawler_can_fetch_is_none(href: str) -> None:
    assert normalize(href) is None


def test_a_useless_base_only_hurts_those_that_need_it() -> None:
    assert normalize("/a", "not a url") is None
    assert normalize("https://example.com/A", "not a url") == "https://example.com/A"
    assert normalize("/a", "mailto:a@example.com") is None


def test_megabytes_of_anything_are_read_in_one_go() -> None:
    for text in ("a.", "%41", "%%34", "/../", "a-", "&b", "\ud800", " "):
        normalize("http://" + text * 100_000, BASE)
        normalize("/" + text * 100_000, BASE)


@pytest.mark.parametrize(
    ("url", "host", "port", "origin", "domain"),
    [
        ("https://www.example.com/", "www.example.com", 443, "https://www.example.com", "example.com"),
        ("http://example.com:443/a", "example.com", 443, "http://example.com:443", "example.com"),
        ("http://a.b:8080/", "a.b", 8080, "http://a.b:8080", "a.b:8080"),
        ("http://[::1]:8080/", "::1", 8080, "http://[::1]:8080", "[::1]:8080"),
        ("http://[::80]/", "::80", 80, "http://[::80]", "[::80]"),
        ("http://a/b//c", "a", 80, "http://a", "a"),
        ("https://www.com/", "www.com", 443, "https://www.com", "www.com"),
    ],
)
def test_parts_of_a_url(url: str, host: str, port: int, origin: str, domain: str) -> None:
    assert (host_of(url), port_of(url), origin_of(url), domain_of(url)) == (
        host,
        port,
        origin,
        domain,
    )


@pytest.mark.parametrize(
    ("domain", "registrable"),
    [
        ("blog.example.co.uk", "example.co.uk"),
        ("example.com:8080", "example.com"),
        ("joe.github.io", "joe.github.io"),
        ("co.uk", "co.uk"),
        ("localhost", "localhost"),
        ("a.b.test", "a.b.test"),
        ("127.0.0.1:8000", "127.0.0.1"),
        ("[::1]:8000", "[::1]"),
        ("a.xn--mnchen-3ya.de", "xn--mnchen-3ya.de"),
        ("", ""),
    ],
)
def test_registrable_domain(domain: str, registrable: str) -> None:
    assert registrable_domain(domain) == registrable


def test_every_public_suffix_is_known_in_the_form_of_normal_hosts() -> None:
    lines = Path(PSLFILE).read_text(encoding="utf-8").splitlines()
    rules = {line.split()[0] for line in lines if line and not line.startswith("//")}
    plain = [rule for rule in rules if rule[0] not in "!*" and f"*.{rule}" not in rules]
    hosts = [f"tenax-shop.{rule}".encode("idna").decode() for rule in plain]

    assert len(hosts) > 5000
    assert [host for host in hosts if registrable_domain(f"www.{host}") != host] == []
    assert [rule for rule in rules if rule[0] == "!" and not rule.isascii()] == []


def test_url_keys_are_stable_across_releases() -> None:
    assert url_key("https://example.com/") == 5522761390303137003


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("https://a.example/hook?b=1&a=2&utm_source=x#part", "https://a.example/hook?b=1&a=2&utm_source=x"),
        ("HTTP://A.example", "http://a.example/"),
        ("http://2130706433/", "http://127.0.0.1/"),
        ("https://user@a.example/", None),
        ("https://a.example/@b", "https://a.example/@b"),
        ("ftp://a.example/", None),
        ("javascript:alert(1)", None),
        ("", None),
    ],
)
def test_the_address_of_a_program_keeps_its_parameters(text: str, url: str | None) -> None:
    assert normalize_endpoint(text) == url
