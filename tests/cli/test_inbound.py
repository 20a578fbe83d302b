"""`tenax inbound`: what it lists, and what it has searched."""

import json
from pathlib import Path

from tests.support.command import run_tenax
from tests.support.stores import SHOP


def test_pages_that_link_to_a_url_are_listed_with_what_was_searched(data: Path) -> None:
    ended = run_tenax("inbound", f"{SHOP}/gone", "--data", data)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines() == [
        f"{SHOP}/  “gone”  (nofollow)",
        "1 page links to it; searched 2 of 2 pages of shop.example.",
    ]


def test_nothing_is_found_among_all_pages(data: Path) -> None:
    ended = run_tenax("inbound", "https://later.example/", "--anywhere", "--data", data)
    assert ended.out == "0 pages link to it; searched 2 pages.\n"


def test_json_has_a_line_for_each_page(data: Path) -> None:
    (line,) = run_tenax("inbound", f"{SHOP}/a", "--json", "--data", data).out.splitlines()
    found = json.loads(line)
    assert (found["page"], found["page_id"], found["tag"]) == (f"{SHOP}/", 1, "a")


def test_what_is_not_known_is_refused(data: Path) -> None:
    unknown = run_tenax("inbound", "https://typo.example/", "--data", data)
    assert (unknown.code, unknown.out) == (2, "")
    assert "https://typo.example/ is not in this crawl" in unknown.err
    bad = run_tenax("inbound", "mailto:x", "--data", data)
    assert (bad.code, bad.out) == (2, "")
    assert "'mailto:x' is not the URL of a page" in bad.err
