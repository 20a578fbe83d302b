"""The page about validation says what the code does."""

import re
from pathlib import Path

from tenax.config.settings import Settings
from tenax.jobs.sources.definition import to_settings
from tenax.jobs.sources.files import parse_sources
from tenax.records.urls import RejectionReason
from tenax.stores.queries.given_up import RetryReason

PAGE = (Path(__file__).parents[2] / "docs" / "validation.md").read_text()


def test_every_reason_is_documented_with_its_status() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (hard|soft) \|", PAGE, re.MULTILINE))
    assert rows == {reason.value: reason.status.value for reason in RejectionReason}


def test_every_reason_can_be_retried() -> None:
    assert {reason.value for reason in RejectionReason} <= {reason.value for reason in RetryReason}


def test_the_example_is_a_source() -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    (definition,) = parse_sources(example, name="sources.yaml")
    validation = to_settings(definition, Settings()).validation
    assert validation.ignore == ("maintenance", "enable_javascript")
    assert (validation.min_bytes, validation.soft_404, validation.enabled) == (500, False, True)
