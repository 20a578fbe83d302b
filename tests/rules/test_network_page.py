"""The examples in docs/network-outages.md are settings, and a source that switches it off."""

import re
import shlex
from pathlib import Path

import pytest

from tenax.config.loading import load_settings
from tenax.config.settings import Settings
from tenax.jobs.sources.definition import to_settings
from tenax.jobs.sources.files import parse_sources
from tests.support.command import run_tenax

PAGE = (Path(__file__).parents[2] / "docs" / "network-outages.md").read_text()


def test_the_variables_name_references(monkeypatch: pytest.MonkeyPatch) -> None:
    (example,) = re.findall(r"```bash\n(.*?)```", PAGE, re.DOTALL)
    *lines, last = map(shlex.split, example.splitlines())
    for export, variable in lines:
        assert export == "export"
        monkeypatch.setenv(*variable.split("=", 1))
    shown = run_tenax(*last[1 : last.index("|")])
    assert (shown.code, "network.hosts" in shown.out) == (0, True)
    found = load_settings().network
    assert found.name_servers == ("10.0.0.53",)
    assert found.hosts == ("10.0.0.1:443", "10.0.7.20:8080")


def test_one_variable_turns_it_off(monkeypatch: pytest.MonkeyPatch) -> None:
    (variable,) = re.findall(r"^`(TENAX_NETWORK__ENABLED=\w+)`", PAGE, re.MULTILINE)
    monkeypatch.setenv(*variable.split("=", 1))
    assert not load_settings().network.enabled


def test_the_source_turns_it_off() -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    (definition,) = parse_sources(example, name="sources.yaml")
    assert not to_settings(definition, Settings()).network.enabled
