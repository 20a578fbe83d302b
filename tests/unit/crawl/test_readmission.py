"""Which settings, changed between runs, give refused urls another chance."""

from typing import Any

import pytest

from tenax.config import Settings
from tenax.crawl.readmission import rules_changed

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
