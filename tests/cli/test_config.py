import json
from pathlib import Path

import pytest

from tests.support.command import run_tenax


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "tenax.toml"
    path.write_text('[politeness]\ndelay_s = 3.5\n[fetch]\ncontact = "https://me.example/\\u001b[31m"\n')
    return path


def find(ended_out: str, name: str) -> dict[str, object]:
    found: list[dict[str, object]] = json.loads(ended_out)
    return next(each for each in found if each["name"] == name)


def test_every_setting_has_a_value_an_origin_and_a_meaning() -> None:
    lines = run_tenax("config", "show").out.splitlines()
    assert lines[0].split() == ["SETTING", "VALUE", "FROM", "MEANING"]
    assert any(
        line.split(None, 3)
        == ["limits.max_depth", "10", "default", "Maximum number of links between a seed and a page."]
        for line in lines
    )


def test_a_value_of_the_file_is_named_so(file: Path) -> None:
    found = find(run_tenax("config", "show", "--config", file, "--json").out, "politeness.delay_s")
    assert (found["value"], found["origin"]) == (3.5, "file")


def test_the_environment_wins_over_the_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENAX_POLITENESS__DELAY_S", "7")
    found = find(run_tenax("config", "show", "--config", file, "--json").out, "politeness.delay_s")
    assert (found["value"], found["origin"], found["variable"]) == (
        7.0,
        "environment",
        "TENAX_POLITENESS__DELAY_S",
    )


def test_values_reach_the_terminal_without_escapes(file: Path) -> None:
    assert "\x1b" not in run_tenax("config", "show", "--config", file).out


def test_an_unknown_setting_is_a_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "typo.toml"
    path.write_text("[politeness]\ndelay = 1\n")
    ended = run_tenax("config", "show", "--config", path)
    assert ended.code != 0
    assert "did you mean 'delay_s'?" in ended.err
