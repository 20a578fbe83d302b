"""`tenax parse` and `tenax parsers`: what comes out of a page, and saved pages as tests."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command import run_tenax
from tests.support.processes import is_running
from tests.support.site import HostBehavior
from tests.support.web import TestWeb

EXAMPLES = Path("examples/parsers")
LAMP, CODE, YAML = (str(EXAMPLES / name) for name in ("lamp.html", "shop.py", "shop.yaml"))
FILES = ("--parsers", CODE, "--parsers", YAML)


@pytest.fixture(scope="module")
def web() -> Iterator[TestWeb]:
    behaviors = {"closed.test": HostBehavior(robots="User-agent: *\nDisallow: /\n")}
    with TestWeb(hosts=["open.test", "closed.test"], pages_per_host=3, behaviors=behaviors) as running:
        yield running


def write(folder: Path, text: str, name: str = "mine.yaml") -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def test_each_field_is_shown_with_where_it_was_found() -> None:
    ended = run_tenax("parse", LAMP, "--parsers", YAML, "--parser", "lantern")
    lines = [" ".join(line.split()) for line in ended.out.splitlines()]
    assert ended.code == 0
    assert "product HDL-200" in lines
    assert "name Harbour desk lamp jsonld Product.name 0.95" in lines
    assert "pieces 14 css .stock 0.80" in lines
    assert "released 2025-03-03 regex Released (.+) 0.60" in lines


def test_the_patterns_choose_parsers_by_the_address_that_a_saved_page_names() -> None:
    found = json.loads(run_tenax("parse", LAMP, *FILES, "--json").out)
    assert found["url"] == "https://lantern.example/products/harbour-desk-lamp"
    assert [each["name"] for each in found["parsers"]] == ["lantern-product", "lantern", "lantern-variants"]
    code = found["parsers"][0]
    assert code["items"][0]["data"]["price"] == 89.9
    assert code["items"][0]["places"] is None
    assert code["follows"][0]["parser"] == "lantern-reviews"


def test_no_parser_for_the_page_is_said() -> None:
    ended = run_tenax("parse", LAMP, "--parsers", YAML, "--url", "https://lantern.example/about")
    assert ended.code == 2
    assert "No parser matches https://lantern.example/about; choose one with --parser: lantern" in ended.err


def test_a_url_is_fetched_as_a_crawl_would(web: TestWeb, tmp_path: Path) -> None:
    parser = write(tmp_path, "name: mine\nfields: {title: title}\n")
    url = web.url("open.test", "/p/1.html")
    options = ("--parsers", parser, "--resolve", "*:127.0.0.1", "--allow-private", "--json")
    found = json.loads(run_tenax("parse", url, *options).out)
    assert found["parsers"][0]["items"][0]["data"] == {"title": web.expected_page(url).title}


def test_what_robots_forbids_is_not_fetched(web: TestWeb, tmp_path: Path) -> None:
    parser = write(tmp_path, "name: mine\nfields: {title: title}\n")
    options = ("--parsers", parser, "--resolve", "*:127.0.0.1", "--allow-private")
    ended = run_tenax("parse", web.url("closed.test", "/p/1.html"), *options)
    assert ended.code != 0
    assert "No page: robots.txt forbids it." in ended.err


def test_private_addresses_are_guarded(web: TestWeb, tmp_path: Path) -> None:
    parser = write(tmp_path, "name: mine\nfields: {title: title}\n")
    ended = run_tenax(
        "parse", web.url("open.test", "/p/1.html"), "--parsers", parser, "--resolve", "*:127.0.0.1"
    )
    assert ended.code != 0


def test_faults_and_unread_values_are_shown(tmp_path: Path) -> None:
    text = "name: mine\nfields:\n  name: h1\n  price: {css: h1, type: price, required: true}\n"
    ended = run_tenax("parse", LAMP, "--parsers", write(tmp_path, text))
    assert ended.code == 1
    assert "wrong type in css h1: Harbour desk lamp" in ended.out
    assert "invalid: The field price is missing." in ended.out


def test_a_parser_that_fails_is_shown_with_its_traceback(tmp_path: Path) -> None:
    text = (
        "from tenax.items.parser import Parser\nclass Bad(Parser):\n    name = 'bad'\n"
        "    def parse(self, page):\n        return page.nothing\n"
    )
    ended = run_tenax("parse", LAMP, "--parsers", write(tmp_path, text, "bad.py"))
    assert ended.code == 1
    assert "The parser bad failed: AttributeError: 'Page' object has no attribute 'nothing'" in ended.out
    assert "return page.nothing" in ended.out


HOSTILE = """
import ctypes, os, signal, time
from tenax import Parser

class Mine(Parser):
    name = "mine"

    def parse(self, page):
        print("it begins")
        {trouble}
        return {{"title": page.title}}
"""
BLOCKED = "ctypes.PyDLL(None).usleep(100_000_000)"  # holds the lock of the interpreter


@pytest.mark.parametrize(
    ("trouble", "sentence"),
    [
        (
            "held = [bytes(60_000_000) for _ in range(1_000)]",
            "It needs more memory than parsers.memory_mb",
        ),
        (BLOCKED, "It took longer than 0.5 s: do less, or raise parsers.timeout_s."),
        ("os._exit(3)", "It ended the process that ran it, which ended with exit code 3."),
        ("os.kill(os.getpid(), 9)", "It ended the process that ran it, which was ended by SIGKILL."),
        ("os.closerange(3, 200)", "It ended the process that ran it"),
    ],
)
@pytest.mark.parametrize("command", [("parse",), ("parsers", "record")])
def test_a_hostile_parser_costs_one_sentence(
    command: tuple[str, ...],
    trouble: str,
    sentence: str,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    code = write(tmp_path, HOSTILE.format(trouble=trouble), "mine.py")
    # Only what never ends is short of time: a busy machine may need long for the others.
    timeout_s = 0.5 if trouble == BLOCKED else 60.0
    config = write(tmp_path, f"[parsers]\ntimeout_s = {timeout_s}\nmemory_mb = 150\n", "tenax.toml")
    into = ("--into", str(tmp_path / "fixtures")) if "record" in command else ()
    ended = run_tenax(*command, LAMP, "--parsers", code, "--config", config, *into)
    said = " ".join((ended.out + ended.err).split())
    assert ended.code in (1, 2)
    assert sentence in said
    assert capfd.readouterr().err == "it begins\n"
    assert "Traceback" not in ended.err
    assert not (tmp_path / "fixtures").exists()


def test_what_a_parser_leaves_behind_is_ended(tmp_path: Path) -> None:
    left = "child = os.fork(); child or (os.setsid(), time.sleep(1000)); return {'child': child}"
    code = write(tmp_path, HOSTILE.format(trouble=left), "mine.py")
    ended = run_tenax("parse", LAMP, "--parsers", code, "--json")
    (item,) = json.loads(ended.out)["parsers"][0]["items"]
    assert not is_running(item["data"]["child"])


def test_a_parser_that_hangs_is_ended(tmp_path: Path) -> None:
    text = (
        "from tenax.items.parser import Parser\nclass Bad(Parser):\n    name = 'bad'\n"
        "    def parse(self, page):\n        while True:\n            pass\n"
    )
    config = write(tmp_path, "[parsers]\ntimeout_s = 0.2\n", "tenax.toml")
    ended = run_tenax("parse", LAMP, "--parsers", write(tmp_path, text, "bad.py"), "--config", config)
    assert ended.code == 1
    assert "It took longer than 0.2 s" in ended.out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("parse", LAMP, "--parsers", "none.yaml"), "The file none.yaml cannot be read: No such file"),
        (
            ("parse", LAMP, "--parsers", YAML, "--parser", "x"),
            "The parser 'x' is not installed here; known: lantern",
        ),
        (("parse", "none.html", "--parsers", YAML), "There is no file none.html; a URL begins with https"),
        (("parse", LAMP, "--parsers", YAML, "--page-data", "{"), "--page-data is not JSON"),
        (("parse", "none", "--url", "https://a.example/", "--parsers", YAML), "--url is only for files"),
    ],
)
def test_bad_input_is_one_sentence(arguments: tuple[str, ...], sentence: str) -> None:
    ended = run_tenax(*arguments)
    assert ended.code == 2
    assert sentence in ended.err
    assert ended.err.count("\n") == 1


def test_the_faults_of_a_file_are_listed_with_their_lines(tmp_path: Path) -> None:
    path = write(tmp_path, "name: mine\nkinds: x\nfields:\n  name: {css: 'a ~ b'}\n")
    ended = run_tenax("parse", LAMP, "--parsers", path)
    assert ended.code == 2
    assert f"{path}:2: Unknown field kinds: did you mean kind?" in ended.err
    assert f"{path}:4: fields.name.css.0: The selector 'a ~ b' cannot be used" in ended.err


def test_built_in_parsers_are_listed_without_any_others() -> None:
    found = [json.loads(line) for line in run_tenax("parsers", "list", "--json").out.splitlines()]
    assert {"name": "product", "kind": "product", "patterns": [], "from": "built in"} in [
        {name: value for name, value in each.items() if name != "version"} for each in found
    ]


def test_parsers_are_listed() -> None:
    ended = run_tenax("parsers", "list", *FILES, "--json")
    found = [json.loads(line) for line in ended.out.splitlines()]
    given = [each for each in found if each["from"] != "built in"]
    assert [(each["name"], each["kind"], each["patterns"]) for each in given] == [
        ("lantern-product", "product", ["/products/*"]),
        ("lantern-reviews", "review", None),
        ("lantern", "product", ["/products/*"]),
        ("lantern-variants", "variant", ["/products/*"]),
    ]
    assert "follow-ups only" in run_tenax("parsers", "list", *FILES).out


def test_the_examples_still_make_what_was_recorded() -> None:
    ended = run_tenax("parsers", "test", str(EXAMPLES / "fixtures"), *FILES)
    assert (ended.code, ended.out) == (0, "3 fixtures passed, 0 failed.\n")


def test_a_recorded_page_tells_when_a_parser_changes(tmp_path: Path) -> None:
    parser = write(tmp_path, "name: mine\nkey: id\nfields: {id: {jsonld: Product.sku}, name: h1}\n")
    folder = str(tmp_path / "saved")
    ended = run_tenax("parsers", "record", LAMP, "--parsers", parser, "--into", folder)
    assert ended.code == 0, ended.err
    assert run_tenax("parsers", "test", folder, "--parsers", parser).code == 0
    write(tmp_path, "name: mine\nkey: id\nfields: {id: {jsonld: Product.sku}, name: title}\n")
    ended = run_tenax("parsers", "test", folder, "--parsers", parser)
    assert ended.code == 1
    assert (
        'mine HDL-200: name should be "Harbour desk lamp", but is "Harbour desk lamp | Lantern' in ended.out
    )
    assert "0 fixtures passed, 1 failed." in ended.out


def test_a_fixture_is_not_replaced_by_accident(tmp_path: Path) -> None:
    command = ("parsers", "record", LAMP, "--parsers", YAML, "--parser", "lantern", "--into", str(tmp_path))
    assert run_tenax(*command).code == 0
    ended = run_tenax(*command)
    assert ended.code == 2
    assert "already exists; --replace records it again" in ended.err
    assert run_tenax(*command, "--replace").code == 0
