from pathlib import Path

from tenax.cli.app import COMMANDS
from tenax.cli.reference import find_stale, format_references, main
from tenax.metrics import list_metrics

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_references_are_what_the_code_says() -> None:
    assert find_stale(DOCS) == [], "run `python -m tenax.cli.reference`"


def test_every_command_has_its_section() -> None:
    text = format_references()["cli.md"]
    assert all(f"## tenax {name}" in text for name in COMMANDS)


def test_every_metric_has_its_row() -> None:
    text = format_references()["metrics.md"]
    assert all(f"| `{metric.name}` | {metric.kind} |" in text for metric in list_metrics())


def test_a_stale_file_fails_the_check(tmp_path: Path) -> None:
    (tmp_path / "cli.md").write_text("old")
    names = ("api-reference.md", "cli.md", "metrics.md", "settings.md")
    assert find_stale(tmp_path) == [tmp_path / name for name in names]


def test_an_unknown_argument_is_a_usage_error() -> None:
    assert main(["--chekc"]) == 2
