import json
from pathlib import Path

import pytest

from tenax.stores.domain_reports import PolitenessReceipt, build_receipt
from tests.support.command import run_tenax
from tests.support.stores import fill_store


def test_domains_are_listed_with_their_numbers(data: Path) -> None:
    lines = run_tenax("domains", "--data", data).out.splitlines()
    assert lines[0].split() == ["DOMAIN", "STATUS", "PAGES", "QUEUED", "ERRORS", "DELAY", "LAST", "CRAWLED"]
    assert lines[1].split()[:7] == ["shop.example", "active", "2/8", "3", "1", "2", "s"]


def test_the_reason_stands_under_an_unreachable_domain_without_its_escapes(data: Path) -> None:
    ended = run_tenax("domains", "--data", data, "--status", "unreachable")
    assert "  └─ reason: the name \\x1b[31mdoes not exist; rests until 2035-06-13" in ended.out
    assert "\x1b" not in ended.out


def test_a_limit_says_how_many_are_left_out(data: Path) -> None:
    ended = run_tenax("domains", "--data", data, "--limit", "1")
    assert "… and 2 more: --limit 3 shows all." in ended.out


def test_json_has_a_domain_per_line(data: Path) -> None:
    lines = run_tenax("domains", "--data", data, "--json").out.splitlines()
    assert [json.loads(line)["name"] for line in lines] == ["shop.example", "down.example", "later.example"]


@pytest.mark.parametrize("name", ["shop.example", "www.shop.example", "https://SHOP.example/a?b=c"])
def test_a_domain_is_found_by_all_its_names(data: Path, name: str) -> None:
    assert run_tenax("domains", "show", name, "--data", data).out.startswith("shop.example: active")


def test_data_may_stand_before_show(data: Path) -> None:
    assert run_tenax("domains", "--data", data, "show", "shop.example").code == 0


def test_the_receipt_counts_every_request_and_measures_the_gaps(data: Path) -> None:
    receipt = json.loads(run_tenax("domains", "show", "shop.example", "--data", data, "--json").out)[
        "receipt"
    ]
    assert receipt["requests"] == 6  # robots.txt and five urls; what robots.txt forbids was not requested
    assert receipt["smallest_gap_s"] == 2.0
    assert receipt["median_gap_s"] == 2.0


def test_the_receipt_says_where_the_delay_comes_from(data: Path) -> None:
    ended = run_tenax("domains", "show", "shop.example", "--data", data)
    assert "delay in force  2 s (from robots.txt Crawl-delay)" in ended.out


def test_robots_txt_is_shown_with_its_age_and_lines(data: Path) -> None:
    ended = run_tenax("domains", "show", "shop.example", "--data", data)
    assert "https://shop.example/robots.txt" in ended.out
    assert "fetched      2025-06-15 15:06:40 UTC (" in ended.out
    assert "    Disallow: /secret/" in ended.out


def test_failures_are_counted_by_kind(data: Path) -> None:
    assert "failures      1 no_such_host" in run_tenax("domains", "show", "down.example", "--data", data).out


def test_a_leased_domain_names_its_holder(tmp_path: Path) -> None:
    fill_store(tmp_path, is_ended=False)
    ended = run_tenax("domains", "show", "later.example", "--data", tmp_path)
    assert "leased by     process 4242 on localhost until 2025-06-15" in ended.out
    assert "next turn     as soon as a crawl runs" in ended.out


def test_an_unknown_domain_gets_one_sentence(data: Path) -> None:
    ended = run_tenax("domains", "show", "typo.example", "--data", data)
    assert (ended.code, ended.out) == (1, "")
    assert "typo.example is not among the domains of" in ended.err


def test_a_name_that_is_none_is_a_usage_error(data: Path) -> None:
    ended = run_tenax("domains", "show", "http://[", "--data", data)
    assert ended.code == 2
    assert "neither a domain nor a URL" in ended.err


def test_no_requests_make_an_empty_receipt() -> None:
    assert build_receipt(iter([])) == PolitenessReceipt(requests=0)


def test_one_request_has_no_gap() -> None:
    receipt = build_receipt(iter([5.0]))
    assert (receipt.requests, receipt.smallest_gap_s, receipt.median_gap_s) == (1, None, None)


def test_the_smallest_gap_is_dated() -> None:
    receipt = build_receipt(iter([0.0, 4.0, 5.0, 8.0, 20.0]))
    assert (receipt.smallest_gap_s, receipt.smallest_gap_at, receipt.median_gap_s) == (1.0, 5.0, 3.5)
