"""The examples in docs/products.md do what the page says."""

import re
from pathlib import Path
from typing import Any, cast

from tenax.config.settings import Settings
from tenax.extract.products.fields import ORDER
from tenax.items.builtin.product import SCHEMA
from tenax.items.page import parse_page
from tenax.jobs.sources.definition import to_settings
from tenax.jobs.sources.files import parse_sources

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "products.md").read_text()
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", PAGE, re.DOTALL)


def test_the_program_finds_what_it_says() -> None:
    (text,) = (text for kind, text in BLOCKS if kind == "python")
    exec(compile(text, "products.md", "exec"), {})  # noqa: S102


def test_the_source_uses_the_parser() -> None:
    (text,) = (text for kind, text in BLOCKS if kind == "yaml")
    (definition,) = parse_sources(text, name="sources.yaml")
    assert to_settings(definition, Settings()).parsers.use == ("product",)


def test_the_command_shows_what_is_found() -> None:
    body = (ROOT / "examples" / "parsers" / "lamp.html").read_bytes()
    product = parse_page(body, url="https://lantern.example/products/harbour-desk-lamp").product()
    assert product is not None
    for name in ("name", "price", "currency", "list_price"):
        assert re.search(rf"^ +{name} +{product[name]} ", PAGE, re.MULTILINE)


def test_every_field_is_described_and_in_the_schema() -> None:
    rows = {
        name
        for line in PAGE.splitlines()
        if line.startswith("| `")
        for name in re.findall(r"`(\w+)`", line.split("|")[1])
    }
    assert rows == set(ORDER) == set(cast(dict[str, Any], SCHEMA["properties"]))
