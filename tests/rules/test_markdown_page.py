"""The examples and the defaults in docs/markdown.md are what the page says."""

import re
import runpy
from pathlib import Path

import pytest
import yaml

from tenax.cli.markdown_files import format_matter, name_file
from tenax.config.fetch import ExtractSettings
from tenax.extract.chunks import ChunkSizes
from tenax.items.page import parse_page

PAGE = (Path(__file__).parents[2] / "docs" / "markdown.md").read_text()
URL = "https://example.com/docs/setup"


def test_the_example_of_a_parser_yields_markdown(tmp_path: Path) -> None:
    example = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert example is not None
    (tmp_path / "example.py").write_text(example[1])
    names = runpy.run_path(str(tmp_path / "example.py"))
    page = parse_page(b"<title>T</title><nav>menu</nav><article><h1>A</h1></article>", url=URL)
    guide = names["guide"]
    assert guide(page) == {"title": "T", "body": "# A\n"}


def test_the_front_matter_is_that_of_an_export() -> None:
    example = re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert example is not None
    said = yaml.safe_load(example[1].replace("---", ""))
    matter = format_matter(url=URL, title="Setup", fetched_at=1770091506.0, language="en")
    assert matter == example[1].strip() + "\n"
    assert said["url"] == URL


def test_the_name_of_a_file_is_that_of_an_export() -> None:
    name = re.search(r"`pages/(example\.com/docs-setup-[0-9a-f]+\.md)`", PAGE)
    assert name is not None
    assert name[1] == str(name_file(URL))


@pytest.mark.parametrize("name", ["target", "most", "overlap"])
def test_the_defaults_are_those_of_the_export(name: str) -> None:
    option = {"target": "target", "most": "max", "overlap": "overlap"}[name]
    said = re.search(rf"`--{option}-chars` \(([0-9,]+)\)", PAGE)
    assert said is not None
    assert int(said[1].replace(",", "")) == getattr(ChunkSizes(), name)


def test_it_is_off_by_default() -> None:
    assert "It is off unless you set it" in PAGE
    assert ExtractSettings().markdown is False
