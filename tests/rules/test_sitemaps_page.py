"""The example in docs/sitemaps.md is a valid source, and its limits are the defaults."""

import re
from pathlib import Path

from tenax.config.crawl import SitemapSettings
from tenax.config.settings import Settings
from tenax.jobs.sources.definition import to_settings
from tenax.jobs.sources.files import parse_sources

PAGE = (Path(__file__).parents[2] / "docs" / "sitemaps.md").read_text()


def test_the_example_is_a_source() -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    (definition,) = parse_sources(example, name="sources.yaml")
    found = to_settings(definition, Settings()).sitemaps
    assert (found.enabled, found.guess, found.urls_per_domain) == (True, True, 50_000)


def test_the_defaults_are_correct() -> None:
    rows = dict(re.findall(r"^\| `sitemaps\.(\w+)` \| ([\d,]+)", PAGE, re.MULTILINE))
    assert len(rows) == 4
    for name, shown in rows.items():
        number = int(shown.replace(",", "")) * (1 << 20 if name == "max_bytes" else 1)
        assert getattr(SitemapSettings(), name) == number
