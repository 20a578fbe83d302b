"""Which settings apply when a machine continues a run that was started elsewhere."""

import pytest

from tenax.config.loading import load_settings, parse_stored
from tenax.config.settings import MACHINE_SETTINGS, Settings, join_settings
from tenax.errors import ConfigError

ORDERED = load_settings(
    overrides={
        "scope": {"kind": "any"},
        "limits": {"max_pages": 10},
        "politeness": {"delay_s": 3.0},
        "fetch": {"contact": "https://us.example/", "dns_servers": ["192.0.2.1"]},
        "worker": {"lease_s": 30.0, "concurrency": 7, "memory_mb": 999},
        "redis": {"url": "redis://:secret@there/0"},
        "store": {"url": "postgresql://u:secret@there/d"},
    }
)
OWN = load_settings(
    overrides={
        "politeness": {"delay_s": 0.5},
        "fetch": {"contact": "https://me.example/", "dns_timeout_s": 1.0},
        "worker": {"lease_s": 5.0, "concurrency": 20},
        "redis": {"url": "redis://:mine@here/0"},
        "store": {"url": "postgresql://me:mine@here/d"},
    }
)


def join(**given: dict[str, object]) -> Settings:
    return join_settings(parse_stored(ORDERED.model_dump_json()), OWN, given)


def test_what_belongs_to_the_run_is_as_it_was_ordered() -> None:
    joined = join()
    assert (joined.scope, joined.limits, joined.politeness) == (
        ORDERED.scope,
        ORDERED.limits,
        ORDERED.politeness,
    )
    assert (joined.fetch.contact, joined.worker.lease_s) == ("https://us.example/", 30.0)


def test_what_belongs_to_the_machine_is_its_own() -> None:
    joined = join()
    assert (joined.store, joined.redis) == (OWN.store, OWN.redis)
    assert (joined.worker.concurrency, joined.worker.memory_mb) == (20, OWN.worker.memory_mb)
    assert (joined.fetch.dns_servers, joined.fetch.dns_timeout_s) == ((), 1.0)


def test_the_command_line_overrides_the_run() -> None:
    joined = join(politeness={"delay_s": 0.5})
    assert (joined.politeness.delay_s, joined.limits.max_pages) == (0.5, 10)


def test_every_setting_of_the_machine_exists() -> None:
    for section, names in MACHINE_SETTINGS.items():
        assert names <= type(getattr(Settings(), section)).model_fields.keys()


def test_settings_of_another_version_get_one_sentence() -> None:
    with pytest.raises(ConfigError, match="another version of Tenax") as caught:
        parse_stored('{"politeness": {"delay_s": 1, "mood": "good"}}')
    assert "politeness.mood" in str(caught.value)


def test_headers_are_secrets_that_no_run_keeps() -> None:
    ordered = load_settings(
        overrides={"fetch": {"headers": ["X-Key: s3cret"], "header_origins": ["https://a.example"]}}
    )
    kept = ordered.model_dump_json()
    assert "s3cret" not in kept
    assert join_settings(parse_stored(kept), Settings(), {}).fetch.headers == ()
    assert join_settings(parse_stored(kept), ordered, {}).fetch.headers == ("X-Key: s3cret",)


@pytest.mark.parametrize("text", ['["s3cret"', '[["s3cret"]]', "s3cret"])
def test_an_invalid_header_is_not_shown(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENAX_FETCH__HEADERS", text)
    with pytest.raises(ConfigError) as caught:
        load_settings()
    assert "s3cret" not in str(caught.value)


def test_a_text_for_a_list_is_refused_with_the_form_of_a_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENAX_PARSERS__FILES", "wood.yaml")
    with pytest.raises(ConfigError) as caught:
        load_settings()
    assert str(caught.value) == (
        'The setting parsers.files is not valid: it is a list, which is written as ["one", "two"]'
        " (got 'wood.yaml')."
    )
