"""Which addresses are the same url."""

import pytest
from hypothesis import example, given

from tenax.web.identity import describe_difference, identity_of, url_key
from tenax.web.parameters import ALL_NAMES
from tenax.web.urls import parse_url
from tests.fuzz.web.test_urls import BASE, hrefs


@given(hrefs)
def test_a_normal_form_is_its_own_normal_form(href: str) -> None:
    url = parse_url(href, BASE)
    if url is not None:
        assert identity_of(identity_of(url)) == identity_of(url)
        assert url_key(identity_of(url)) == url_key(url)


@given(hrefs)
@example("page%2e;jsessionid=1")
@example("%2e.;jsessionid=1/x")
def test_a_normal_form_is_an_address_too(href: str) -> None:
    """So that rows whose address it is keep their keys."""
    url = parse_url(href, BASE)
    if url is not None:
        again = parse_url(identity_of(url))
        assert again is not None
        assert url_key(again) == url_key(url)


@pytest.mark.parametrize(
    ("given", "normal"),
    [
        ("/p?b=2&a=1", "/p?a=1&b=2"),
        ("/p?a=2&b&a=1&a=2", "/p?a=2&a=1&a=2&b"),
        ("/p?a-b=1&a=2", "/p?a=2&a-b=1"),
        ("/p?b&&a&", "/p?a&b"),
        ("/p?&", "/p"),
        ("/p?q=a+b%20c%2Bd", "/p?q=a+b%20c%2Bd"),
        ("/p?f[]=1", "/p?f%5B%5D=1"),
        ("/p?f%5b%5D=1", "/p?f%5B%5D=1"),
        ("/p?a|b^c`d{e}", "/p?a%7Cb%5Ec%60d%7Be%7D"),
        ("/a[1]|2", "/a%5B1%5D%7C2"),
        ("/100%", "/100%25"),
        ("/%zz%", "/%25zz%25"),
        ("/%%34%31", "/%2541"),
        ("/%7Ejoe/%41%2d", "/~joe/A-"),
        ("/a%2fb", "/a%2Fb"),
    ],
)
def test_one_form_for_parameters_and_escapes(given: str, normal: str) -> None:
    url = parse_url(f"https://example.com{given}")
    assert url is not None
    assert identity_of(url) == f"https://example.com{normal}"


@pytest.mark.parametrize(
    ("given", "known", "rules"),
    [
        (
            "http://a/p?b&a",
            "http://a/p?a&b",
            ["the order of parameters with different names does not matter"],
        ),
        ("http://a/%7e?x", "http://a/~?x", ["escapes are spelled differently"]),
        (
            "http://a/p?utm_x=1&gclid=2&a",
            "http://a/p?a",
            ["left out of addresses: utm_x", "left out of addresses: gclid"],
        ),
        ("http://a/p;jsessionid=1", "http://a/p", ["left out of addresses: the session id in its path"]),
        ("http://a/p?a&b", "http://a/p?a&b", []),
        ("http://a/p?ref=x&utm_x=1", "http://a/p?ref=x", ["left out of addresses: utm_x"]),
    ],
)
def test_the_difference_of_two_addresses_is_described(given: str, known: str, rules: list[str]) -> None:
    address = parse_url(given, keep=ALL_NAMES)
    assert address is not None
    assert describe_difference(address, known) == rules
