import pytest

from tenax.errors import ConfigError
from tenax.fetch.overrides import parse_resolve


@pytest.mark.parametrize(
    ("pair", "host", "ip"),
    [
        ("shop.example:192.0.2.7", "shop.example", "192.0.2.7"),
        ("Shop.Example.:192.0.2.7", "shop.example", "192.0.2.7"),
        ("shop.example:2001:db8::7", "shop.example", "2001:db8::7"),
        ("shop.example:[2001:db8::7]", "shop.example", "2001:db8::7"),
        ("*:127.0.0.1", "anything.example", "127.0.0.1"),
        ("*.example:127.0.0.1", "a.b.example", "127.0.0.1"),
    ],
)
def test_a_pair_answers_for_its_host(pair: str, host: str, ip: str) -> None:
    assert parse_resolve([pair]).find(host) == (ip,)


@pytest.mark.parametrize("host", ["other.example", "shop.example.org", "a.shop.example"])
def test_other_hosts_are_looked_up(host: str) -> None:
    assert parse_resolve(["shop.example:192.0.2.7"]).find(host) is None


def test_a_suffix_does_not_cover_its_own_name() -> None:
    assert parse_resolve(["*.example.com:192.0.2.7"]).find("example.com") is None


def test_a_host_given_twice_has_both_addresses() -> None:
    overrides = parse_resolve(["a.example:192.0.2.7", "a.example:[2001:db8::7]"])
    assert overrides.find("a.example") == ("192.0.2.7", "2001:db8::7")


def test_the_closest_pattern_wins() -> None:
    overrides = parse_resolve(
        ["*:192.0.2.1", "*.example:192.0.2.2", "*.b.example:192.0.2.3", "a.b.example:192.0.2.4"]
    )
    hosts = ["other.test", "c.example", "c.b.example", "a.b.example"]
    assert [overrides.find(host) for host in hosts] == [
        ("192.0.2.1",),
        ("192.0.2.2",),
        ("192.0.2.3",),
        ("192.0.2.4",),
    ]


@pytest.mark.parametrize(
    "pair",
    [
        "",
        "shop.example",
        "shop.example:",
        ":192.0.2.7",
        "shop.example:443:192.0.2.7",
        "shop.example:localhost",
        "a*b:192.0.2.7",
        "[::1]:192.0.2.7",
    ],
)
def test_a_bad_pair_is_named_in_the_error(pair: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_resolve([pair])
    assert f'"{pair}"' in str(caught.value)
