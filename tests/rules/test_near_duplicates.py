"""The example and the defaults in docs/near-duplicates.md are what the page says."""

import json
import re
from pathlib import Path

import pytest
import yaml

from tenax.config.crawl import SimilaritySettings
from tenax.config.settings import Settings
from tenax.jobs.sources.definition import check_definition, to_settings

PAGE = (Path(__file__).parents[2] / "docs" / "near-duplicates.md").read_text()


def test_the_source_of_the_example_keeps_no_near_duplicates() -> None:
    example = re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert example is not None
    (definition,) = yaml.safe_load(example[1])
    found = to_settings(check_definition(definition), Settings()).similarity
    assert found == SimilaritySettings(enabled=True, keep=False)


@pytest.mark.parametrize("name", SimilaritySettings.model_fields)
def test_the_defaults_are_those_of_the_settings(name: str) -> None:
    row = re.search(rf"\| `similarity\.{name}` \| `(.*?)` \|", PAGE)
    assert row is not None
    assert json.loads(row[1]) == getattr(SimilaritySettings(), name)
