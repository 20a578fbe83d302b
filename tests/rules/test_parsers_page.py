"""The examples in docs/parsers.md do what the page says."""

import re
import tomllib
from pathlib import Path

import pytest

from tenax.config.parsers import ParserSettings
from tenax.config.settings import Settings
from tenax.items.declarative.definition import FieldDefinition, FieldType, ParserDefinition
from tenax.items.declarative.places import CONFIDENCES
from tenax.items.page import Page, parse_page
from tenax.items.registry import GROUP, load_file, load_parsers
from tenax.items.running import ParserLimits, prepare_parsers, run_parser
from tenax.items.schema import _LIMITS, _READERS
from tenax.jobs.sources.definition import to_settings
from tenax.jobs.sources.files import parse_sources

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "parsers.md").read_text()
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", PAGE, re.DOTALL)
YAML = [text for kind, text in BLOCKS if kind == "yaml"]


@pytest.fixture
def lamp() -> Page:
    body = (ROOT / "examples" / "parsers" / "lamp.html").read_bytes()
    return parse_page(body, url="https://lantern.example/products/harbour-desk-lamp")


def run(path: Path, text: str, page: Page) -> list[tuple[str, str, tuple[str, ...]]]:
    path.write_text(text)
    (prepared,) = prepare_parsers(load_file(path))
    parsing = run_parser(page, prepared, ParserLimits()).parsing
    assert parsing.error is None
    return [(item.kind, item.key, item.faults) for item in parsing.items]


def test_the_definitions_make_items_of_the_example_page(tmp_path: Path, lamp: Page) -> None:
    assert run(tmp_path / "a.yaml", YAML[0], lamp) == [("product", "HDL-200", ())]
    assert run(tmp_path / "b.yaml", YAML[1], lamp) == [
        ("variant", f"HDL-200-{each}", ()) for each in ("BR", "BK")
    ]


def test_the_class_makes_an_item_of_the_example_page(tmp_path: Path, lamp: Page) -> None:
    (text,) = (text for kind, text in BLOCKS if kind == "python")
    assert run(tmp_path / "a.py", text, lamp) == [("product", "HDL-200", ())]


def test_the_shown_version_is_that_of_the_definition(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(YAML[0])
    (parser,) = load_file(tmp_path / "a.yaml")
    assert f"by lantern, version {parser.version}, confidence 0.85" in PAGE


def test_the_source_names_an_installed_parser_and_defines_one() -> None:
    (definition,) = parse_sources(YAML[2], name="sources.yaml")
    found = to_settings(definition, Settings()).parsers
    assert found.use == ("lantern-product",)
    (parser,) = load_parsers(ParserSettings(definitions=found.definitions))
    assert parser.name == "lantern-lists"


def test_the_settings_of_a_crawl_are_right() -> None:
    (text, _) = (text for kind, text in BLOCKS if kind == "toml")
    found = ParserSettings.model_validate(tomllib.loads(text)["parsers"])
    assert (found.files, found.use) == (("lanterns.yaml",), ("lanterns",))


def test_the_entry_point_has_the_right_group() -> None:
    (_, text) = (text for kind, text in BLOCKS if kind == "toml")
    assert list(tomllib.loads(text)["project"]["entry-points"]) == [GROUP]


def test_all_fields_places_types_and_words_are_described() -> None:
    fields = {(field.alias or name) for name, field in ParserDefinition.model_fields.items()}
    assert [name for name in fields if f"| `{name}` |" not in PAGE] == []
    assert [name for name, worth in CONFIDENCES.items() if f"| `{name}` | {worth:g} |" not in PAGE] == []
    assert [each for each in FieldType if f"| `{each}` |" not in PAGE] == []
    assert [name for name in FieldDefinition.model_fields if name not in PAGE] == []
    assert [word for word in {*_LIMITS, *_READERS} if f"`{word}`" not in PAGE] == []
