"""URLs: resolving references, by example and by property, and the parts of addresses."""

from pathlib import Path

import pytest
from publicsuffixlist import PSLFILE

from tenax.web.parameters import ALL_NAMES
from tenax.web.urls import (
    domain_of,
    host_of,
    list_addresses,
    origin_of,
    parse_endpoint,
    parse_url,
    port_of,
    registrable_domain,
)

BASE = "https://example.com/shop/list.html?page=1"


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
    assert parse_url(href) == url


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
    assert parse_url(href, BASE) == url


@pytest.mark.parametrize(
    "rest",
    [
        *["/list?z=1&z=0&y", "/p?f[]=1", "/p?f%5b%5D=1", "/p?b&&a&", "/p?q=a+b%20c%2Bd", "/%7ejoe/%41%2d"],
        *[
            "/a%2fb",
            "/100%",
            "/%zz%",
            "/a;b=1;c/d",
            "/p?reference=1&sources=2",
            "/p?sid=12",
            "/p?session=old",
        ],
    ],
)
def test_order_repeats_and_escapes_stay_as_they_are(rest: str) -> None:
    assert parse_url(f"https://example.com{rest}") == f"https://example.com{rest}"


@pytest.mark.parametrize(
    ("rest", "address"),
    [
        ("/p?utm_source=x&id=7&UTM_Medium=y&gclid=1&ref=z&source=s&b&a", "/p?id=7&b&a"),
        ("/p?%75tm_source=x", "/p"),
        ("/p?fbclid=1", "/p"),
        ("/p?", "/p"),
        ("/p?b=1&PHPSESSID=a1&a=2", "/p?b=1&a=2"),
        ("/p?jsessionid=1", "/p"),
        ("/p?ASPSESSIONIDQQ=1", "/p"),
        ("/p?sid=0123456789abcdef0123456789abcdef", "/p"),
        ("/cart;jsessionid=A1.node2?a=1", "/cart?a=1"),
        ("/cart;JSESSIONID=A1/items;x=1", "/cart/items;x=1"),
        ("/..;jsessionid=1/a", "/..;jsessionid=1/a"),
    ],
)
def test_what_means_nothing_is_left_out(rest: str, address: str) -> None:
    assert parse_url(f"https://example.com{rest}") == f"https://example.com{address}"


def test_parameters_that_count_here_are_kept() -> None:
    keep = frozenset({"ref", "sid"})
    url = "https://example.com/tree?Ref=main&utm_source=x&sid=0123456789abcdef0123456789abcdef"
    kept = "https://example.com/tree?Ref=main&sid=0123456789abcdef0123456789abcdef"
    assert parse_url(url, keep=keep) == kept
    assert (
        parse_url("?ref=main&gclid=1", "https://example.com/tree", keep)
        == "https://example.com/tree?ref=main"
    )
    whole = "https://example.com/a;jsessionid=1?utm_x=1"
    assert parse_url(whole, keep=ALL_NAMES) == whole


@pytest.mark.parametrize(
    "href",
    [
        *["", "mailto:a@example.com", "javascript:void(0)", "tel:1", "ftp://example.com/", "data:,x"],
        *["http://", "https:///", "http://exa mple.com/", "http://example.com:99999/", "/a", "a.html"],
        *["http://./", "http://a../", "http://[::1/", "http://1.2.3.4.5/", "blob:https://example.com/x"],
    ],
)
def test_what_no_crawler_can_fetch_is_none(href: str) -> None:
    assert parse_url(href) is None


def test_a_useless_base_only_hurts_those_that_need_it() -> None:
    assert parse_url("/a", "not a url") is None
    assert parse_url("https://example.com/A", "not a url") == "https://example.com/A"
    assert parse_url("/a", "mailto:a@example.com") is None


def test_megabytes_of_anything_are_read_in_one_go() -> None:
    for text in ("a.", "%41", "%%34", "/../", "a-", "&b", "\ud800", " "):
        parse_url("http://" + text * 100_000, BASE)
        parse_url("/" + text * 100_000, BASE)


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
    assert parse_endpoint(text) == url


@pytest.mark.parametrize(
    ("text", "addresses"),
    [
        ("https://a.example/p?b=1", ["/p?b=1"]),
        ("https://a.example/p?ref=1&b=1#x", ["/p?ref=1&b=1", "/p?b=1"]),
        ("https://a.example/p?REF=1&utm_a=2", ["/p?REF=1&utm_a=2", "/p?REF=1", "/p?utm_a=2", "/p"]),
        (
            "https://a.example/p;jsessionid=1?ref=1",
            ["/p;jsessionid=1?ref=1", "/p;jsessionid=1", "/p?ref=1", "/p"],
        ),
        ("not an address", []),
    ],
)
def test_an_address_is_known_with_and_without_what_may_mean_nothing(text: str, addresses: list[str]) -> None:
    found = list_addresses(text)
    assert sorted(found) == sorted(f"https://a.example{each}" for each in addresses)
    assert found[:1] == [f"https://a.example{each}" for each in addresses[:1]]


def test_addresses_are_few_however_many_parameters_there_are() -> None:
    query = "&".join(f"utm_{number}=1" for number in range(500))
    assert list_addresses(f"https://a.example/p?{query}&b=1") == [
        f"https://a.example/p?{query}&b=1",
        "https://a.example/p?b=1",
    ]
