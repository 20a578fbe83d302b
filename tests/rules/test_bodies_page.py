"""The examples and defaults in docs/bodies.md are true."""

import re
import tomllib
from pathlib import Path

from tenax.config.bodies import BodySettings
from tenax.config.settings import Settings
from tenax.jobs.sources.definition import to_settings
from tenax.jobs.sources.files import parse_sources

PAGE = (Path(__file__).parents[2] / "docs" / "bodies.md").read_text()


def test_the_source_stores_bodies() -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    (definition,) = parse_sources(example, name="sources.yaml")
    assert to_settings(definition, Settings()).bodies == BodySettings(store=True)


def test_a_source_that_says_nothing_follows_the_settings() -> None:
    (definition,) = parse_sources("- {name: a, seeds: [https://a.example/]}", name="sources.yaml")
    base = Settings(bodies=BodySettings(store=True))
    assert to_settings(definition, base).bodies.store
    assert not to_settings(definition, Settings()).bodies.store


def test_the_settings_are_the_defaults_switched_on() -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert BodySettings.model_validate(tomllib.loads(example)["bodies"]) == BodySettings(store=True)
