import re
import subprocess
from pathlib import Path

import pytest

from tenax.cli.app import COMMANDS
from tenax.cli.reference import find_stale, format_references, main
from tenax.config.loading import load_settings
from tenax.config.settings import Settings
from tenax.metrics import list_metrics

ROOT = Path(__file__).resolve().parents[2]


def test_the_references_are_up_to_date() -> None:
    assert list(find_stale(ROOT)) == [], "run `make docs`"


def test_every_command_has_its_section() -> None:
    text = format_references()["docs/cli.md"]
    assert all(f"## tenax {name}" in text for name in COMMANDS)


def test_every_metric_has_its_row() -> None:
    text = format_references()["docs/metrics.md"]
    assert all(f"| `{metric.name}` | {metric.kind} |" in text for metric in list_metrics())


def test_a_stale_file_fails_the_check(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/cli.md").write_text("old")
    names = (".env.example", "docs/api-reference.md", "docs/cli.md", "docs/metrics.md", "docs/settings.md")
    assert list(find_stale(tmp_path)) == [tmp_path / name for name in names]


def test_the_example_environment_has_the_defaults(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    given = re.findall(r"^#(TENAX_\w+=.+)$", (ROOT / ".env.example").read_text(), re.M)
    assert len(given) > 50
    (tmp_path / ".env").write_text("\n".join(given))
    shown = subprocess.run(
        ["sh", "-c", "set -a; . ./.env; env"],
        cwd=tmp_path,
        env={},
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    for name, _, value in (line.partition("=") for line in shown.splitlines()):
        if name.startswith("TENAX_"):
            monkeypatch.setenv(name, value)
    assert load_settings() == Settings()


def test_an_unknown_argument_is_a_usage_error() -> None:
    assert main(["--chekc"]) == 2
