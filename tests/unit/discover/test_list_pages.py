import pytest

from tenax.discover.list_pages import LEAST_ENTRIES, looks_like_list
from tenax.records.pages import PageLink

SITE = "https://a.example"


def entries(start: str, number: int = LEAST_ENTRIES) -> dict[int, PageLink]:
    return {
        each: (f"{SITE}{start}/{each}", "", f"A title of some length {each}", "a") for each in range(number)
    }


def test_entries_below_its_own_path_make_a_list() -> None:
    assert looks_like_list(f"{SITE}/reports", entries("/reports"))


def test_name_and_entries_make_a_list() -> None:
    assert looks_like_list(f"{SITE}/news", entries("/story"))


@pytest.mark.parametrize(
    "path",
    ["/", "/reports?sort=1", "/a/b/c/d", "/reports/12", "/reports.html", "/how-to-make-good-tea"],
)
def test_other_addresses_are_no_lists(path: str) -> None:
    assert not looks_like_list(SITE + path, entries(path.rstrip("/")))


def test_few_entries_make_no_list() -> None:
    assert not looks_like_list(f"{SITE}/news", entries("/news", LEAST_ENTRIES - 1))


def test_navigation_makes_no_list() -> None:
    menu = {each: (f"{SITE}/news/{each}", "", "Short", "a") for each in range(50)}
    assert not looks_like_list(f"{SITE}/news", menu)
