"""Settings with secrets: shown neither in listings nor in error messages."""

import pytest

from tenax.config.loading import load_settings, parse_stored
from tenax.config.masking import hide_password
from tenax.config.worker import StoreSettings
from tenax.errors import ConfigError


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://hunter2@host/x", "https://***@host/x"),
        ("http://me:hunter2@host:4318", "http://me:***@host:4318"),
        ("https://host/v1?api_key=hunter2&x=1", "https://host/v1?api_key=***&x=1"),
        ("https://host/v1?x=1&apikey=hunter2", "https://host/v1?x=1&apikey=***"),
        ("https://host/?X-Amz-Signature=hunter2", "https://host/?X-Amz-Signature=***"),
        ("https://host/?api%5Fkey=hunter2", "https://host/?api%5Fkey=***"),
        ("https://host/#access_token=hunter2", "https://host/#access_token=***"),
        ("https://host/?key=hunter2;sig=hunter2", "https://host/?key=***;sig=***"),
        ("postgresql://me@db/crawl?sslpassword=hunter2", "postgresql://me@db/crawl?sslpassword=***"),
        ("postgresql://db/crawl?user=me&password=hunter2", "postgresql://db/crawl?user=me&password=***"),
        ("host=db user=me password=hunter2 dbname=d", "host=db user=me password=*** dbname=d"),
        ("password = 'hunter2 \\' x' host=db", "password = *** host=db"),
        ("postgresql://me@db1:5432,db2:5432/crawl", "postgresql://me@db1:5432,db2:5432/crawl"),
        ("https://host/@me?page=2", "https://host/@me?page=2"),
        ("amqp://me@host/vhost", "amqp://me@host/vhost"),
    ],
)
def test_an_address_is_shown_without_what_is_secret(url: str, shown: str) -> None:
    assert hide_password(url) == shown
    assert "hunter2" not in StoreSettings(url=url).model_dump_json()


@pytest.mark.parametrize(
    "variable",
    [
        "TENAX_STORE__URL",
        "TENAX_REDIS__URL",
        "TENAX_DISPATCH__BROKER",
        "TENAX_TRACING__URL",
        "TENAX_SERVER__JWT_SECRET",
        "TENAX_FETCH__HEADERS",
    ],
)
@pytest.mark.parametrize("text", ['["x://me:hunter2@host", {"a": "hunter2"}]', "[x://me:hunter2@host"])
def test_the_error_of_an_invalid_setting_hides_secrets(
    variable: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, text)
    with pytest.raises(ConfigError) as caught:
        load_settings()
    assert "hunter2" not in str(caught.value)
    assert "***" in str(caught.value)


def test_the_value_of_a_whole_section_is_not_shown() -> None:
    with pytest.raises(ConfigError) as caught:
        parse_stored('{"redis": "redis://:hunter2@host"}')
    assert "hunter2" not in str(caught.value)


def test_a_value_that_is_not_secret_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENAX_SERVER__PORT", "eighty")
    with pytest.raises(ConfigError, match=r"server\.port .*got 'eighty'"):
        load_settings()
