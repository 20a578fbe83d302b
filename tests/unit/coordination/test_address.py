"""The address of a Redis, parsed from its URL."""

import pytest

from tenax.config.masking import hide_password
from tenax.config.worker import RedisSettings
from tenax.coordination.address import parse_address
from tenax.errors import ConfigError


@pytest.mark.parametrize(
    ("url", "place", "database", "is_tls"),
    [
        ("redis://localhost", "localhost:6379", 0, False),
        ("redis://10.0.0.5:7000/3", "10.0.0.5:7000", 3, False),
        ("rediss://[::1]:7000", "::1:7000", 0, True),
        ("unix:///run/redis.sock?db=2", "/run/redis.sock", 2, False),
    ],
)
def test_a_url_names_place_and_database(url: str, place: str, database: int, is_tls: bool) -> None:
    address = parse_address(url)
    assert (address.place, address.database, address.is_tls) == (place, database, is_tls)


def test_credentials_may_hold_escaped_characters() -> None:
    address = parse_address("redis://me:p%40ss@host")
    assert (address.username, address.password) == ("me", "p@ss")


def test_a_password_alone_needs_no_user() -> None:
    address = parse_address("redis://:pass@host")
    assert (address.username, address.password) == (None, "pass")


@pytest.mark.parametrize(
    "url", ["", "localhost:6379", "http://host", "redis://", "redis://host:port", "redis://host/x", "unix://"]
)
def test_what_is_no_address_is_refused_in_one_sentence(url: str) -> None:
    with pytest.raises(ConfigError, match="write redis://"):
        parse_address(url)


def test_a_refusal_does_not_repeat_the_password() -> None:
    with pytest.raises(ConfigError) as error:
        parse_address("redis://:secret@host:port")
    assert "secret" not in str(error.value)


def test_an_address_does_not_show_its_password() -> None:
    assert "secret" not in repr(parse_address("redis://me:secret@host"))


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("redis://host/1", "redis://host/1"),
        ("redis://:secret@host", "redis://:***@host"),
        ("redis://me:se@cret@host/1", "redis://me:***@host/1"),
    ],
)
def test_settings_are_written_down_without_the_password(url: str, shown: str) -> None:
    assert hide_password(url) == shown
    assert "cret" not in RedisSettings(url=url).model_dump_json()
