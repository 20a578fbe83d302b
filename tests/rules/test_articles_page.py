"""The examples in docs/articles.md do what the page says."""

import re
import tomllib
from pathlib import Path

from tenax.config.fetch import ArticleUse
from tenax.config.settings import Settings
from tenax.items.builtin.article import SCHEMA
from tenax.items.page import parse_page
from tenax.items.registry import load_file
from tenax.items.running import ParserLimits, prepare_parsers, run_parser
from tenax.jobs.sources.definition import to_settings
from tenax.jobs.sources.files import parse_sources

PAGE = (Path(__file__).parents[2] / "docs" / "articles.md").read_text()
BLOCKS = dict(re.findall(r"```(\w+)\n(.*?)```", PAGE, re.DOTALL))
STORIES = ["ferry", "boat", "barge", "ship", "raft"]
STORY = "<!doctype html><title>The ferry returns</title><article><h1>The ferry returns</h1>" + "".join(
    f"<p>The {name} between the two islands returns on Monday after a year of repairs.</p>"
    for name in STORIES
)


def test_the_settings_file_turns_articles_on() -> None:
    settings = Settings.model_validate(tomllib.loads(BLOCKS["toml"]))
    assert settings.extract.article is ArticleUse.ALWAYS
    assert settings.extract.detect_language


def test_the_source_uses_the_parser_as_a_fallback() -> None:
    (definition,) = parse_sources(BLOCKS["yaml"], name="articles.md")
    assert to_settings(definition, Settings()).extract.article is ArticleUse.FALLBACK


def test_the_program_counts_the_words_of_a_story(tmp_path: Path) -> None:
    file = tmp_path / "stories.py"
    file.write_text(BLOCKS["python"])
    (prepared,) = prepare_parsers(load_file(file))
    page = parse_page(STORY.encode(), url="https://news.example/2026/ferry")
    parsing = run_parser(page, prepared, ParserLimits()).parsing
    assert parsing.error is None
    (item,) = parsing.items
    assert item.data == f'{{"headline":"The ferry returns","words":{14 * len(STORIES)}}}'


def test_every_field_is_described() -> None:
    assert [name for name in SCHEMA["properties"] if f"`{name}`" not in PAGE] == []
