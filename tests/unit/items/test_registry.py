"""Where parsers come from: files, definitions, installed packages."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tenax.config.parsers import ParserSettings
from tenax.errors import ConfigError
from tenax.items.builtin import BUILTIN_PARSERS
from tenax.items.registry import check_names, list_parsers, load_file, load_parsers

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


@pytest.mark.usefixtures("_installed")
def test_an_installed_parser_that_ends_programs_is_explained(tmp_path: Path) -> None:
    write(tmp_path, "acme_parsers.py", "raise SystemExit(3)")
    with pytest.raises(ConfigError, match="The installed parser shop cannot be loaded: SystemExit: 3"):
        load_parsers(ParserSettings(use=("shop",)))


@pytest.mark.usefixtures("_installed")
def test_a_broken_installed_parser_does_not_hide_the_others() -> None:
    faults: list[ConfigError] = []
    known = list_parsers(ParserSettings(), faults.append)
    assert {"shop", "news", "product"} <= {each.parser.name for each in known}
    assert [str(fault).split(":")[0] for fault in faults] == ["The installed parser broken cannot be loaded"]


def test_all_parsers_of_a_machine_are_listed_with_their_origin(tmp_path: Path) -> None:
    file = write(tmp_path, "shop.py", CLASSES)
    known = [(each.parser.name, each.origin) for each in list_parsers(ParserSettings(files=(file,)))]
    assert known[:2] == [("shop", file), ("news", file)]
    assert ("product", "built in") in known[2:]


def test_a_built_in_parser_is_used_by_its_name_alone() -> None:
    (parser,) = load_parsers(ParserSettings(use=("product",)))
    assert isinstance(parser, BUILTIN_PARSERS["product"])


def test_a_parser_of_a_user_takes_the_name_of_one_built_in(tmp_path: Path) -> None:
    file = write(tmp_path, "shop.py", CLASSES.replace('"shop"', '"product"'))
    (parser,) = load_parsers(ParserSettings(use=("product",), files=(file,)))
    assert parser.version == "7"
    origins = [
        each.origin for each in list_parsers(ParserSettings(files=(file,))) if each.parser.name == "product"
    ]
    assert origins == [file]


def test_a_script_is_loaded_without_running_its_crawler(tmp_path: Path) -> None:
    script = tmp_path / "shop.py"
    script.write_text(
        "import tenax\n"
        "crawler = tenax.Crawler('https://shop.example/')\n"
        "@crawler.page('/products/*')\n"
        "def product(page): ...\n"
        "for item in crawler.run(): print(item)\n"
        "raise SystemExit('too far')\n"
    )
    assert [parser.name for parser in load_file(script)] == ["product"]


@pytest.mark.parametrize(
    ("names", "reason"),
    [(("wod",), "The parser 'wod' is not installed here.*Did you mean wood"), (("wood",), None), ((), None)],
)
def test_names_are_checked_without_code(tmp_path: Path, names: tuple[str, ...], reason: str | None) -> None:
    file = write(tmp_path, "wood.yaml", "name: wood\nfields:\n  name: h1\n")
    settings = ParserSettings(files=(file,), use=names)
    if reason is None:
        check_names(settings)
    else:
        with pytest.raises(ConfigError, match=reason):
            check_names(settings)


def test_a_file_of_code_is_not_run_to_check_names(tmp_path: Path) -> None:
    file = write(tmp_path, "shop.py", "raise SystemExit")
    check_names(ParserSettings(files=(file,), use=("wood",)))


def test_a_missing_file_is_found_before_a_crawl(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"There is no file .*nope\.yaml, which parsers.files names"):
        check_names(ParserSettings(files=(str(tmp_path / "nope.yaml"),)))
