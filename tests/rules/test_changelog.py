"""The changelog has the expected format, and its newest version is that of the package."""

import re
from datetime import date
from pathlib import Path

from tenax import __version__

TEXT = (Path(__file__).parents[2] / "CHANGELOG.md").read_text()
HEADINGS = re.findall(r"^## (.+)$", TEXT, re.M)
KINDS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_unreleased_changes_come_first() -> None:
    assert HEADINGS[0] == "Unreleased"


def test_the_newest_version_is_the_version_of_the_package() -> None:
    assert HEADINGS[1].split(" - ")[0] == __version__


def test_versions_and_their_dates_go_down() -> None:
    released = [re.fullmatch(r"(\d+)\.(\d+)\.(\d+) - (\d{4}-\d\d-\d\d)", each) for each in HEADINGS[1:]]
    found = [
        (tuple(map(int, each.groups()[:3])), date.fromisoformat(each[4]))
        for each in released
        if each is not None
    ]
    assert len(found) == len(released)
    assert found == sorted(found, reverse=True)


def test_changes_are_listed_under_their_kind() -> None:
    assert set(re.findall(r"^### (.+)$", TEXT, re.M)) <= KINDS
    for section in re.split(r"^## ", TEXT, flags=re.M)[1:]:
        before_the_first_kind = section.partition("### ")[0].splitlines()[1:]
        assert "".join(before_the_first_kind).strip() == "", "a line belongs under Added, Changed, Fixed …"
