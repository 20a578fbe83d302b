import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from pysqlite3 import dbapi2 as sqlite

from tenax.stores.place import Place
from tenax.stores.queries.receipts import PolitenessReceipt, ReceiptTally
from tests.support.clock import FakeClock
from tests.support.command import Ended, run_tenax
from tests.support.postgres import fresh_database
from tests.support.stores import fill_place, fill_store

Run = Callable[..., Ended]


def test_domains_are_listed_with_their_numbers(data: Path) -> None:
    lines = run_tenax("domains", "--data", data).out.splitlines()
    assert lines[0].split() == ["DOMAIN", "STATUS", "PAGES", "IMAGES", "YIELD", "LAST", "CRAWLED"]
    assert lines[1].split()[:6] == ["shop.example", "active", "2/8", "2", "–", "2025-06-15"]


def test_the_reason_stands_under_an_unreachable_domain_without_its_escapes(data: Path) -> None:
    ended = run_tenax("domains", "--data", data, "--status", "unreachable")
    reason = "dns_failure: the name \\x1b[31mdoes not exist"
    assert f"  └─ reason: {reason}; paused until 2035-06-13" in ended.out
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
    assert "delay          2 s (from robots.txt Crawl-delay)" in ended.out


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
    assert "next visit    as soon as a crawl is active" in ended.out


def test_an_unknown_domain_gets_one_sentence(data: Path) -> None:
    ended = run_tenax("domains", "show", "typo.example", "--data", data)
    assert (ended.code, ended.out) == (1, "")
    assert "There is no domain typo.example in" in ended.err


def test_a_name_that_is_none_is_a_usage_error(data: Path) -> None:
    ended = run_tenax("domains", "show", "http://[", "--data", data)
    assert ended.code == 2
    assert "neither a domain nor a URL" in ended.err


# --- orders --------------------------------------------------------------------------------------


@pytest.fixture(params=["sqlite", "postgres"])
def crawl(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Run]:
    """Runs `tenax domains` in a crawl of its own."""
    if request.param == "sqlite":
        fill_store(tmp_path)
        yield lambda *words: run_tenax("domains", *words, "--data", tmp_path)
        return
    with fresh_database() as url:
        fill_place(Place(folder=tmp_path, url=url), FakeClock())
        yield lambda *words: run_tenax("domains", *words, "--store", url, "--data", tmp_path)


def test_a_domain_is_blocked_and_unblocked_with_a_reason(crawl: Run) -> None:
    ended = crawl("block", "https://shop.example/a", "--reason", "they asked us")
    assert ended.out == "shop.example was active and is now blocked.\n"
    listed = crawl("--status", "blocked").out
    assert "  └─ reason: manual: they asked us; paused until it is unblocked" in listed
    assert crawl("unblock", "shop.example").out == "shop.example was blocked and is now pending.\n"
    history = crawl("show", "shop.example").out
    assert "active → blocked: they asked us (manual)" in history
    assert "blocked → pending: unblocked manually (unblocked)" in history


def test_a_reset_wants_all_urls_again(crawl: Run) -> None:
    assert "is now pending" in crawl("reset", "shop.example", "--reason", "a new site").out
    assert json.loads(crawl("show", "shop.example", "--json").out)["summary"]["queued"] == 8
    assert "all counters are correct" in crawl("rebuild").out


def test_only_what_is_blocked_can_be_unblocked(crawl: Run) -> None:
    ended = crawl("unblock", "shop.example")
    assert (ended.code, ended.out) == (2, "")
    assert "shop.example is neither blocked nor unreachable." in ended.err


@pytest.mark.parametrize("order", ["block", "unblock", "reset"])
def test_an_action_on_an_unknown_domain_gets_one_sentence(crawl: Run, order: str) -> None:
    ended = crawl(order, "typo.example")
    assert (ended.code, ended.out) == (1, "")
    assert "There is no domain typo.example in" in ended.err


def test_domains_are_rated_and_the_best_come_first(crawl: Run) -> None:
    assert crawl("recalculate").out == "3 domains rescored.\n"
    best = [json.loads(line) for line in crawl("top", "--json").out.splitlines()]
    scores = [each["priority_score"] for each in best]
    assert scores == sorted(scores, reverse=True)
    assert best[0]["name"] == "shop.example", "an image a page is worth 1000, an error on two pages costs 250"
    assert (best[0]["image_yield_rate"], best[0]["avg_images_per_page"]) == (1.0, 1.0)


def test_top_domains_are_ranked_by_the_chosen_measure(crawl: Run) -> None:
    lines = crawl("top", "--by", "pages", "--limit", "1").out.splitlines()
    assert lines[0].split()[-1] == "SCORE"
    assert lines[1].split()[0] == "shop.example"


def test_a_healthy_store_needs_no_rebuild(crawl: Run) -> None:
    assert crawl("rebuild", "--dry-run").out == "3 domains checked: all counters are correct.\n"
    assert json.loads(crawl("rebuild", "--json").out) == {
        "domains": 3,
        "is_corrected": True,
        "differences": [],
    }


def test_wrong_counters_are_reported_and_corrected(tmp_path: Path) -> None:
    fill_store(tmp_path)
    with closing(sqlite.connect(tmp_path / "tenax.db", isolation_level=None)) as connection:
        connection.execute("UPDATE domains SET queued = 99, last_crawled_at = 0 WHERE name = 'shop.example'")
    dry = run_tenax("domains", "rebuild", "--dry-run", "--data", tmp_path).out
    assert "3 domains checked: 2 counters differ." in dry
    rows = [line.split()[:4] for line in dry.splitlines()]
    assert ["shop.example", "queued", "99", "3"] in rows
    assert "2 counters corrected." in run_tenax("domains", "rebuild", "--data", tmp_path).out
    assert "all counters are correct" in run_tenax("domains", "rebuild", "--data", tmp_path).out


# --- receipts ------------------------------------------------------------------------------------


def build_receipt(starts: list[float]) -> PolitenessReceipt:
    tally = ReceiptTally()
    tally.add_starts(starts)
    return tally.to_receipt()


def test_no_requests_make_an_empty_receipt() -> None:
    assert build_receipt([]) == PolitenessReceipt(requests=0)


def test_one_request_has_no_gap() -> None:
    receipt = build_receipt([5.0])
    assert (receipt.requests, receipt.smallest_gap_s, receipt.median_gap_s) == (1, None, None)


def test_the_smallest_gap_is_dated() -> None:
    receipt = build_receipt([0.0, 4.0, 5.0, 8.0, 20.0])
    assert (receipt.smallest_gap_s, receipt.smallest_gap_at, receipt.median_gap_s) == (1.0, 5.0, 3.5)
