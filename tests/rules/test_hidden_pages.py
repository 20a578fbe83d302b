"""The examples in docs/hidden-pages.md do what the page says."""

import re
from pathlib import Path

from tenax.config.settings import Settings
from tenax.discover.archives import list_archives
from tenax.discover.page_numbers import read_page_number
from tenax.jobs.sources.definition import to_settings
from tenax.jobs.sources.files import parse_sources
from tenax.records.guesses import GuessState

PAGE = (Path(__file__).parents[2] / "docs" / "hidden-pages.md").read_text()
ROWS = [re.findall(r"`([^`]+)`", line) for line in PAGE.splitlines() if line.startswith("| `")]


def test_the_source_is_valid() -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    (definition,) = parse_sources(example, name="sources.yaml")
    settings = to_settings(definition, Settings())
    assert settings.archives.enabled
    assert settings.archives.paths == ("/archive", "/all-articles")
    assert settings.pagination.per_day == 50


def test_the_table_of_archives_is_correct() -> None:
    rows = ROWS[:6]
    assert rows[-1] == ["/about"]
    for url, *patterns in rows:
        assert [each.pattern for each in list_archives(url)] == patterns


def test_the_table_of_lists_is_correct() -> None:
    rows = ROWS[6:12]
    assert rows[-1] == ["/book/chapter-3"]
    for url, *expected in rows:
        page = read_page_number(f"https://example.com{url}")
        assert ([] if page is None else [page.path, page.pattern]) == expected


def test_the_table_of_states_is_complete() -> None:
    assert [row[0] for row in ROWS[12:]] == [state.value for state in GuessState]
