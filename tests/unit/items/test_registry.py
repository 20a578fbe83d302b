"""Where parsers come from: files, definitions, installed packages."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tenax.config.parsers import ParserSettings
from tenax.errors import ConfigError
from tenax.items.registry import list_parsers, load_file, load_parsers

CLASSES = """
from tenax.items.parser import FunctionParser, Parser

class Base(Parser):
    kind = "product"

class Shop(Base):
    name = "shop"
    version = "7"
    patterns = ("/p/*",)
    def parse(self, page):
        return {"name": page.title}

def news(page):
    yield {"title": page.title}

class App:
    def __init__(self):
        self.parsers = [FunctionParser(news)]

app = App()
"""


@pytest.fixture(autouse=True)
def _own_modules() -> Iterator[None]:
    path, names = list(sys.path), set(sys.modules)
    yield
    sys.path[:] = path
    for name in set(sys.modules) - names:
        if name.startswith(("tenax_parsers_", "acme")):
            del sys.modules[name]


def write(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


def test_a_python_file_holds_classes_and_what_has_parsers(tmp_path: Path) -> None:
    found = load_file(write(tmp_path, "shop.py", CLASSES))
    assert [(each.name, each.kind) for each in found] == [("shop", "product"), ("news", "news")]


def test_a_yaml_file_holds_definitions(tmp_path: Path) -> None:
    (found,) = load_file(write(tmp_path, "shop.yaml", "name: shop\nfields: {name: h1}\n"))
    assert found.name == "shop"


def test_a_file_can_import_what_stands_beside_it(tmp_path: Path) -> None:
    write(tmp_path, "acme_words.py", "NAME = 'acme'")
    text = "from acme_words import NAME\n" + CLASSES.replace('"shop"', "NAME")
    assert load_file(write(tmp_path, "shop.py", text))[0].name == "acme"


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("a.py", "x = 1 / 0", "cannot be loaded: ZeroDivisionError: division by zero."),
        ("a.py", "def", "cannot be loaded: SyntaxError"),
        ("a.py", "exit(3)", "cannot be loaded: SystemExit: 3."),
        ("a.py", "x = 1", "holds no parser"),
        ("a.txt", "x = 1", "is neither Python (.py) nor YAML (.yaml)"),
        ("a.yaml", "name: x", ":1: The field fields is missing."),
        ("a.py", CLASSES.replace('"shop"', '"news"'), "Two parsers are called news"),
    ],
)
def test_a_file_that_cannot_be_used_is_explained(tmp_path: Path, name: str, text: str, reason: str) -> None:
    with pytest.raises(ConfigError) as refused:
        load_file(write(tmp_path, name, text))
    assert reason in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_missing_file_is_explained(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.py cannot be read: No such file"):
        load_file(tmp_path / "none.py")


def test_a_run_gets_the_parsers_that_it_names_and_its_definitions(tmp_path: Path) -> None:
    settings = ParserSettings(
        use=("shop",),
        definitions=({"name": "list", "fields": {"name": "h1"}},),
        files=(write(tmp_path, "shop.py", CLASSES),),
    )
    assert [parser.name for parser in load_parsers(settings)] == ["list", "shop"]


def test_a_missing_parser_is_one_sentence(tmp_path: Path) -> None:
    settings = ParserSettings(use=("shopp",), files=(write(tmp_path, "shop.py", CLASSES),))
    with pytest.raises(ConfigError, match=r"'shopp' is not installed here; .* Did you mean shop\?"):
        load_parsers(settings)


def test_files_are_not_loaded_for_a_run_that_names_none(tmp_path: Path) -> None:
    assert load_parsers(ParserSettings(files=(write(tmp_path, "a.py", "1 / 0"),))) == []


@pytest.fixture
def _installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package with entry points."""
    write(tmp_path, "acme_parsers.py", CLASSES + "\nboth = [Shop(), *app.parsers]\n")
    info = tmp_path / "acme_parsers-1.2.dist-info"
    info.mkdir()
    write(info, "METADATA", "Metadata-Version: 2.1\nName: acme-parsers\nVersion: 1.2\n")
    points = (
        "[tenax.parsers]\nshop = acme_parsers:Shop\nacme = acme_parsers:both\nbroken = acme_parsers:none\n"
    )
    write(info, "entry_points.txt", points)
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.mark.usefixtures("_installed")
def test_installed_parsers_are_found_by_name() -> None:
    (shop,) = load_parsers(ParserSettings(use=("shop",)))
    assert (shop.name, shop.version) == ("shop", "7")


@pytest.mark.usefixtures("_installed")
def test_an_entry_point_can_name_several_parsers() -> None:
    assert [parser.name for parser in load_parsers(ParserSettings(use=("acme",)))] == ["shop", "news"]


@pytest.mark.usefixtures("_installed")
def test_an_installed_parser_that_cannot_be_loaded_is_explained() -> None:
    with pytest.raises(ConfigError, match="The installed parser broken cannot be loaded: AttributeError"):
        load_parsers(ParserSettings(use=("broken",)))


def test_all_parsers_of_a_machine_are_listed_with_their_origin(tmp_path: Path) -> None:
    file = write(tmp_path, "shop.py", CLASSES)
    known = [(each.parser.name, each.origin) for each in list_parsers(ParserSettings(files=(file,)))]
    assert known == [("shop", file), ("news", file)]
