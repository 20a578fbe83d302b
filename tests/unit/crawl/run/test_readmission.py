"""Which settings, changed between runs, give refused urls another chance."""

import json
from typing import Any

import pytest

from tenax.config.settings import Settings
from tenax.crawl.run.readmission import list_lifted, list_wanted, rules_changed
from tenax.records.requests import FailureKind

EARLIER = Settings().model_dump_json()


def change(section: str, **values: Any) -> Settings:
    return Settings.model_validate({section: values})


@pytest.mark.parametrize(
    "settings",
    [
        change("scope", kind="any"),
        change("scope", include=["/x"]),
        change("scope", exclude=["/x"]),
        change("limits", max_depth=3),
        change("limits", url_length=100),
        change("fetch", allow_private=True),
    ],
)
def test_a_changed_rule_is_noticed(settings: Settings) -> None:
    assert rules_changed(EARLIER, settings)


@pytest.mark.parametrize(
    "settings",
    [
        Settings(),
        change("limits", max_pages=5),
        change("politeness", delay_s=9),
        change("worker", concurrency=3),
    ],
)
def test_other_changes_leave_the_rules_as_they_are(settings: Settings) -> None:
    assert not rules_changed(EARLIER, settings)


def test_settings_of_an_older_version_count_as_changed() -> None:
    assert rules_changed("{}", Settings())


@pytest.mark.parametrize(
    ("settings", "kinds"),
    [
        (Settings(), set()),
        (change("reader", memory_mb=600), {FailureKind.READER_MEMORY}),
        (change("reader", memory_mb=400, cpu_s=61), {FailureKind.READER_TIME}),
        (change("reader", memory_mb=400, cpu_s=59), set()),
        (change("fetch", max_bytes=20_000_000), {FailureKind.TOO_LARGE}),
        (change("fetch", max_header_bytes=100_000), {FailureKind.TOO_LARGE}),
        (change("fetch", max_bytes=9_000_000), set()),
    ],
)
def test_a_limit_that_was_raised_is_noticed(settings: Settings, kinds: set[FailureKind]) -> None:
    assert list_lifted(EARLIER, settings) == kinds


def test_before_there_was_a_reader_all_its_limits_were_lower() -> None:
    earlier = Settings().model_dump(mode="json")
    del earlier["reader"]
    assert list_lifted(json.dumps(earlier), Settings()) == {
        FailureKind.READER_MEMORY,
        FailureKind.READER_TIME,
        FailureKind.CONTENT,
    }


def test_pdfs_are_wanted_again_once_they_are_read() -> None:
    reading = change("extract", content_types=["application/pdf"])
    wanted = {"application/pdf", "application/x-pdf"}
    assert list_wanted(EARLIER, reading) == wanted
    assert list_wanted("{}", reading) == wanted, "an earlier version knew no such setting"
    assert not list_wanted(reading.model_dump_json(), reading)
    assert not list_wanted(reading.model_dump_json(), Settings())
    assert not list_wanted(EARLIER, Settings())
