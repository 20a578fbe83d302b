"""The dashboard is built from the API's own description."""

from pathlib import Path

from tenax.api.describe import describe

REPOSITORY = Path(__file__).resolve().parents[2]


def test_the_dashboards_copy_of_the_description_is_up_to_date() -> None:
    document = REPOSITORY / "dashboard" / "openapi.json"
    assert document.read_text() == describe(), "run `make docs`"


def test_the_locked_packages_name_no_registry() -> None:
    locked = (REPOSITORY / "dashboard" / "package-lock.json").read_text()
    assert '"resolved"' not in locked
