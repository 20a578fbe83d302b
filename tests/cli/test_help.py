"""`--help` shows every default, and wrong values get one clear sentence."""

import re
from importlib import import_module
from typing import Any

import pytest
from typer.main import get_command

from tenax.cli.app import COMMANDS
from tenax.cli.options import default_of
from tests.support.command import run_tenax

# Options without a default: left out, they do not filter, or the user is asked.
WITHOUT_DEFAULT = {
    *("seeds", "include", "exclude", "keep_parameter", "only", "without", "resolve", "config"),  # no rules
    *("ignore_parameter", "delay", "concurrency", "pages_per_run", "clear"),  # no rules of domains
    *(
        "since",
        "until",
        "domain",
        "kind",
        "limit",
        "status",
        "source",
        "state",
        "queue",
        "run",
        "fate",
        "site",
        "reason",
        "matching",
        "category",
        "fingerprint",
        "item",
        "parser",
        "type",
        "where",
        "currency",
        "min_price",
        "max_price",
        "availability",
        "brand",
        "min_rating",
        "min_drop",
        "sku",
        "gtin",
    ),  # filters
    *("name", "file", "output", "profile", "key", "url", "hours", "days", "redis"),
}


def list_commands() -> list[tuple[str, Any]]:
    found = []
    for name in COMMANDS:
        command: Any = get_command(import_module(f"tenax.cli.commands.{name.replace('-', '_')}").app)
        found.append((name, command))
        found += [(f"{name} {word}", each) for word, each in getattr(command, "commands", {}).items()]
    return found


def lacks_default(param: Any) -> bool:
    if param.param_type_name != "option" or param.is_flag or param.required:
        return False
    return param.default is None and not isinstance(param.show_default, str)


def test_every_option_shows_its_default() -> None:
    lacking = {
        f"{command} --{param.name}"
        for command, each in list_commands()
        for param in each.params
        if lacks_default(param) and param.name not in WITHOUT_DEFAULT
    }
    assert lacking == set()


@pytest.mark.parametrize(
    ("setting", "shown"),
    [
        ("limits.max_pages", "no limit"),
        ("limits.pages_per_domain", "1000"),
        ("politeness.delay_s", "1"),
        ("scope.kind", "domain"),
        ("worker.processes", "one per core"),
        ("fetch.contact", "none"),
    ],
)
def test_a_default_is_the_one_of_the_setting(setting: str, shown: str) -> None:
    assert default_of(setting) == shown


def test_the_help_of_crawl_shows_defaults() -> None:
    ended = run_tenax("crawl", "--help")
    text = re.sub(r"\s+", " ", ended.out)
    assert ended.code == 0
    for default in ("(no limit)", "(1000)", "(10)", "(domain)", "(one per core)", "(100)"):
        assert f"[default: {default}" in text


@pytest.mark.parametrize(
    "arguments", [("seeds", "--help"), ("seeds", "import", "--help"), ("refresh", "--help")]
)
def test_help_shows_no_markdown(arguments: tuple[str, ...]) -> None:
    ended = run_tenax(*arguments)
    assert (ended.code, "`" in ended.out) == (0, False)


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("crwal", "Unknown command 'crwal'. Did you mean 'crawl'?"),
        ("xyzzy", "Unknown command 'xyzzy'; 'tenax --help' lists all commands."),
    ],
)
def test_a_mistyped_command_is_answered_with_the_nearest_one(word: str, hint: str) -> None:
    ended = run_tenax(word)
    assert (ended.code, ended.out, ended.err) == (2, "", f"tenax: {hint}\n")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("crawl", "--scope", "foo"), "'--scope': 'foo' is not one of 'domain', 'host', 'site', 'any'."),
        (("runs", "--limit", "0"), "'--limit': must be at least 1, not 0."),
        (("runs", "--limit", "x"), "'--limit': 'x' is not an integer."),
        (("runs", "pause", "x"), "'RUN': 'x' is not an integer."),
        (("demo", "--delay", "x"), "'--delay': 'x' is not a number."),
        (("jobs", "create", "1", "--priority", "11"), "'--priority': must be at most 10, not 11."),
    ],
)
def test_a_wrong_value_is_named(arguments: tuple[str, ...], sentence: str) -> None:
    ended = run_tenax(*arguments)
    assert ended.code == 2
    assert ended.err.endswith(f"Error: Invalid value for {sentence}\n")
