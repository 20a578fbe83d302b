"""`tenax pagination` and `tenax archives`."""

import json
from pathlib import Path

import pytest

from tests.support.command import run_tenax
from tests.support.stores import fill_store

DOMAIN = "shop.example"
COMMANDS = {"pagination": "/news?page={n}", "archives": "/{Y}/{MM}/"}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    fill_store(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("command", "pattern"), COMMANDS.items())
def test_patterns_are_set_listed_and_removed(data: Path, command: str, pattern: str) -> None:
    assert run_tenax(command, "list", "--data", data).out == "Nothing was learned yet.\n"
    ended = run_tenax(command, "set", f"https://{DOMAIN}/a", pattern, "off", "--data", data)
    assert ended.out == f"{DOMAIN}: {pattern} is off.\n"
    (line,) = run_tenax(command, "list", DOMAIN, "--json", "--data", data).out.splitlines()
    found = json.loads(line)
    assert (found["domain"], found["pattern"], found["state"]) == (DOMAIN, pattern, "off")
    assert found["set_by"].endswith("(command line)")
    assert pattern in run_tenax(command, "list", "--data", data).out
    assert f"{pattern}  off: 0 hits, 0 missed" in run_tenax("domains", "show", DOMAIN, "--data", data).out
    shown = json.loads(run_tenax("domains", "show", DOMAIN, "--json", "--data", data).out)
    assert [each["pattern"] for each in shown[command]] == [pattern]
    ended = run_tenax(command, "remove", DOMAIN, pattern, "--data", data)
    assert ended.out == f"{DOMAIN}: {pattern} is forgotten.\n"
    ended = run_tenax(command, "remove", DOMAIN, pattern, "--data", data)
    assert "no such pattern" in ended.err


@pytest.mark.parametrize("command", COMMANDS)
def test_bad_patterns_are_refused_in_a_sentence(data: Path, command: str) -> None:
    ended = run_tenax(command, "set", DOMAIN, "news", "off", "--data", data)
    assert ended.code == 2
    assert "is not a path" in ended.err
