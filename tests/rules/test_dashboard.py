"""The dashboard is built from what the API says of itself."""

from pathlib import Path

from tenax.api.describe import describe

REPOSITORY = Path(__file__).resolve().parents[2]


def test_the_dashboards_copy_of_the_description_is_true() -> None:
    document = REPOSITORY / "dashboard" / "openapi.json"
    assert document.read_text() == describe(), "run `make docs`"


def test_no_registry_is_named_in_the_locked_packages() -> None:
    locked = (REPOSITORY / "dashboard" / "package-lock.json").read_text()
    assert '"resolved"' not in locked
