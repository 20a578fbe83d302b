from pathlib import Path

import pytest
import yaml

from tenax.cli.markdown_files import format_matter, name_file, write_files
from tenax.errors import UsageError

URL = "https://a.example/docs/Setup%20guide.html?x=1"


def test_a_name_consists_of_domain_path_and_a_hash_of_the_url() -> None:
    path = name_file(URL)
    assert path.parent == Path("a.example")
    assert path.name.startswith("docs-setup-guide-html-")
    assert path == name_file(URL) != name_file(URL + "2")


@pytest.mark.parametrize(
    "url",
    [
        "https://a.example/../../etc/passwd",
        "https://a.example/%2e%2e/%00/x",
        "http://[::1]:8000/",
        "https://xn--bcher-kva.example/b%C3%BCcher",
        "https://a.example/" + "x" * 3000,
        "https://" + "a." * 120 + "example/",
        "https://a.example/CON",
    ],
)
def test_names_are_safe(url: str) -> None:
    path = name_file(url)
    assert len(path.parts) == 2
    assert all(part.strip("abcdefghijklmnopqrstuvwxyz0123456789-.") == "" for part in path.parts)
    assert not any(part.startswith(".") for part in path.parts)
    assert len(path.name) < 100


@pytest.mark.parametrize("title", ['a: "b" # c', "---\nx: y", "\x07\x85\u2028\ufeff🎉\x7f", "null", "- é"])
def test_front_matter_is_yaml_whatever_the_title_is(title: str) -> None:
    matter = format_matter(url=URL, title=title, fetched_at=0.0, language=None)
    assert matter.startswith("---\n")
    assert matter.endswith("\n---\n")
    read = yaml.safe_load(matter.removesuffix("---\n"))
    assert read == {"url": URL, "title": title, "fetched_at": "1970-01-01T00:00:00+00:00"}


def test_files_are_replaced(tmp_path: Path) -> None:
    for text in ("old", "new"):
        assert write_files(tmp_path / "out", [[URL, "T", "en", 1.5, text]]) == 1
    (file,) = (path for path in (tmp_path / "out").rglob("*") if path.is_file())
    assert file.read_text().endswith('language: "en"\n---\n\nnew')


def test_a_file_is_no_directory(tmp_path: Path) -> None:
    (tmp_path / "x").touch()
    with pytest.raises(UsageError, match="is a file"):
        write_files(tmp_path / "x", [])
