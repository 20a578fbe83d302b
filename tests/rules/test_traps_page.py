"""The examples in docs/traps.md do what the page says."""

import re
from pathlib import Path

from tenax.config.crawl import TrapSettings
from tenax.config.settings import Settings
from tenax.jobs.sources.definition import to_settings
from tenax.jobs.sources.files import parse_sources
from tenax.policy.guards.learned_rules import parse_ignored
from tenax.policy.guards.url_shapes import shape_of

PAGE = (Path(__file__).parents[2] / "docs" / "traps.md").read_text()


def test_the_example_is_a_source() -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    (definition,) = parse_sources(example, name="sources.yaml")
    found = to_settings(definition, Settings()).traps
    assert (found.enabled, found.window, found.budget) == (True, 60, 1000)


def test_the_table_of_groups_is_correct() -> None:
    rows = re.findall(r"^\| `(https://[^`]+)` \| `([^`]+)` \|$", PAGE, re.MULTILINE)
    assert len(rows) == 7
    assert {url: shape_of(url)[0] for url, _ in rows} == dict(rows)


def test_all_combinations_of_parameters_are_a_group_of_their_own() -> None:
    assert "`/shop?*`" in PAGE
    assert "/shop?*" in shape_of("https://example.com/shop?size=4&color=red")


def test_the_rules_are_learned_ones() -> None:
    for shape in ("/item?tok=*", "/u/{id}/*"):
        assert f"`{shape}`" in PAGE
        assert parse_ignored(shape) is not None


def test_the_defaults_are_correct() -> None:
    settings = TrapSettings()
    assert "at most 5% of the last 40 pages" in PAGE
    assert (settings.novelty, settings.window) == (0.05, 40)
    assert "300 pages of a slowed group" in PAGE
    assert settings.budget == 300
