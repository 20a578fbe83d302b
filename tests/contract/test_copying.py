"""Whole crawls from store to store: every row once, as a consistent snapshot, without active workers."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tenax.clock import SystemClock
from tenax.errors import StoreError
from tenax.policy.rules import RuleName
from tenax.records.domains import Lease
from tenax.records.runs import RunState
from tenax.runtime.backends import find_backend
from tenax.stores.change_log import START, LogTopic
from tenax.stores.commands.domain_rules import set_rules
from tenax.stores.databases.access import open_access
from tenax.stores.place import Place
from tenax.stores.schema.ddl import metadata
from tests.support.copying import (
    KINDS,
    compare,
    copy,
    empty_store,
    fill,
    go_on,
    no_report,
    read_products,
    read_rows,
    read_whole_log,
    show_items,
)
from tests.support.learned import learn, read_learned
from tests.support.store import SharedStore, StoreWorker, find_wrong_counters

YEARS_S = 3e8


class Died(Exception):
    pass


class DiesAfter:
    """A report that ends the copying after so many steps."""

    def __init__(self, steps: int) -> None:
        self._left = steps

    def __call__(self, step: str, table: str, done: int, total: int) -> None:
        self._left -= 1
        if self._left <= 0:
            raise Died


@pytest.fixture(params=KINDS)
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SharedStore]:
    with empty_store(request.param, tmp_path / "source") as store:
        yield store


@pytest.fixture(params=KINDS)
def destination(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SharedStore]:
    with empty_store(request.param, tmp_path / "destination") as store:
        yield store


def test_every_row_is_copied_as_it_is(source: SharedStore, destination: SharedStore) -> None:
    fill(source)
    checks = copy(source, destination)
    assert all(check.is_same for check in checks)
    assert read_rows(destination) == read_rows(source)
    assert sum(check.source.rows for check in checks) == sum(map(len, read_rows(source).values()))


def test_the_clock_of_a_copy_continues_that_of_its_source(tmp_path: Path, destination: SharedStore) -> None:
    """Whatever is due or rests there was measured by a calendar that may have been wrong by years."""
    ahead = SystemClock(wall=lambda: time.time() + YEARS_S, boot="a machine whose calendar is wrong")

    async def work(place: Place, clock: SystemClock) -> list[Lease]:
        async with find_backend(place).open_stores(place, clock) as stores:
            worker = await StoreWorker(stores.frontier, stores.runs, stores.clock).start()
            await worker.add(f"https://{clock.boot[0]}.example/")
            claimed = await worker.claim()
            for lease in claimed:
                await worker.release(lease)
            await worker.runs.end_run(worker.run_id, RunState.STOPPED, worker.id)
            return claimed

    with empty_store("sqlite", tmp_path / "wrong") as source:
        fill(source)
        asyncio.run(work(source.place, ahead))
        copy(source, destination)
    claimed = asyncio.run(work(destination.place, SystemClock(boot="here")))
    assert "a.example" in {lease.domain for lease in claimed}


def test_a_copy_that_dies_repeatedly_can_be_resumed(source: SharedStore, destination: SharedStore) -> None:
    fill(source)
    deaths = 0
    # One report for every table that is there already, and a few chunks more.
    for _ in range(40):
        try:
            copy(source, destination, DiesAfter(len(metadata.tables)), rows_at_once=2)
            break
        except Died:
            deaths += 1
    assert deaths > 2
    assert read_rows(destination) == read_rows(source)
    assert not find_wrong_counters(destination.query)


def test_a_copy_may_be_made_twice(source: SharedStore, destination: SharedStore) -> None:
    fill(source)
    assert copy(source, destination) == copy(source, destination) == compare(source, destination)


def test_two_copies_at_once_are_safe(source: SharedStore, destination: SharedStore) -> None:
    fill(source)

    async def both() -> None:
        await asyncio.gather(*(asyncio.to_thread(copy, source, destination) for _ in range(2)))

    asyncio.run(both())
    assert read_rows(destination) == read_rows(source)


def test_nothing_is_copied_as_leased(source: SharedStore, destination: SharedStore) -> None:
    fill(source, is_ended=False)
    assert source.query("SELECT count(*) FROM domains WHERE claimed_by IS NOT NULL") == [(1,)]
    assert all(check.is_same for check in copy(source, destination))
    assert destination.query("SELECT name FROM domains WHERE claimed_by IS NOT NULL") == []
    assert destination.query("SELECT uuid FROM workers WHERE ended_at IS NULL") == []
    ((started_at,),) = destination.query("SELECT started_at FROM copies")
    rested = destination.query("SELECT last_start_at, avail_at FROM domains WHERE name = 'later.example'")
    assert rested == [(started_at, started_at)]
    assert all(check.is_same for check in compare(source, destination)), "also when it is asked later"


def test_rules_of_domains_are_copied(source: SharedStore, destination: SharedStore) -> None:
    fill(source)

    async def set_some() -> None:
        changes = {RuleName.DELAY: 2.5, RuleName.PER_DOMAIN: 3, RuleName.PAGES: 0, RuleName.ACTIVE: False}
        async with open_access(source.place) as access:
            await access.write(
                lambda connection: set_rules(connection, "later.example", changes, "anna", (1.0, 2.0))
            )

    asyncio.run(set_some())
    assert all(check.is_same for check in copy(source, destination))
    columns = "site, rule_delay_s, rule_per_domain, rule_pages, is_active, rules_by, rules_at, avail_at"
    assert destination.query(f"SELECT {columns} FROM domains WHERE name = 'later.example'") == [
        ("later.example", 2.5, 3, 0, 0, "anna", 2.0, None)
    ]


def test_what_was_learned_is_copied(source: SharedStore, destination: SharedStore) -> None:
    """All but the budget of guesses, which starts again."""
    fill(source)
    learn(source.query, "shop.example")
    assert all(check.is_same for check in copy(source, destination))
    learned = read_learned(source.query)
    assert all(learned.values())
    assert read_learned(destination.query) == {**learned, "guess_budgets": []}


def test_a_run_that_was_cut_off_is_joined_in_the_copy(source: SharedStore, destination: SharedStore) -> None:
    fill(source, is_ended=False)
    copy(source, destination)
    worker = go_on(destination)
    assert destination.query("SELECT id FROM runs WHERE state = 'running'") == [(worker.run_id,)]
    assert worker.run_id == 1


def test_an_active_crawl_is_not_copied(source: SharedStore, destination: SharedStore) -> None:
    fill(source)
    go_on(source)
    with pytest.raises(StoreError, match="Process 1 on localhost is crawling in"):
        copy(source, destination)
    assert destination.query("SELECT count(*) FROM copies") == [(0,)]


def test_a_crawl_that_continued_meanwhile_is_detected(source: SharedStore, destination: SharedStore) -> None:
    fill(source)
    rows = iter([False, False, True])

    def report(step: str, table: str, done: int, total: int) -> None:
        if table == "urls" and step == "Copying" and next(rows, False):
            source.query("UPDATE domains SET version = version + 1 WHERE name = 'shop.example' RETURNING id")

    with pytest.raises(StoreError, match="was crawled while it was being copied"):
        copy(source, destination, report)
    assert destination.query("SELECT ended_at FROM copies") == [(None,)]


def test_an_unfinished_copy_of_an_earlier_moment_is_refused(
    source: SharedStore, destination: SharedStore
) -> None:
    fill(source)
    with pytest.raises(Died):
        copy(source, destination, DiesAfter(8))
    source.query("UPDATE domains SET version = version + 1 WHERE name = 'shop.example' RETURNING id")
    with pytest.raises(StoreError, match="has changed since its copy into"):
        copy(source, destination)


def test_a_copy_that_was_crawled_is_refused(source: SharedStore, destination: SharedStore) -> None:
    fill(source)
    copy(source, destination)
    go_on(destination)
    kept = read_rows(destination)
    with pytest.raises(StoreError, match="was crawled after it was copied"):
        copy(source, destination)
    assert read_rows(destination) == kept


def test_a_destination_with_another_crawl_is_refused(source: SharedStore, destination: SharedStore) -> None:
    fill(source)
    go_on(destination)
    kept = read_rows(destination)
    with pytest.raises(StoreError, match="already holds a crawl"):
        copy(source, destination)
    assert read_rows(destination) == kept


def test_a_copy_of_another_crawl_is_refused(
    source: SharedStore, destination: SharedStore, tmp_path: Path
) -> None:
    fill(source)
    with empty_store("sqlite", tmp_path / "other") as other:
        fill(other)
        other.query("UPDATE seeds SET added_at = added_at + 1 RETURNING id")
        copy(other, destination)
        with pytest.raises(StoreError, match="holds a copy of another crawl"):
            copy(source, destination)
        with pytest.raises(StoreError, match="is not a copy of the crawl in"):
            compare(source, destination)


def test_a_store_without_a_crawl_is_not_copied(source: SharedStore, destination: SharedStore) -> None:
    with pytest.raises(StoreError, match="There is no crawl in"):
        copy(source, destination)


def test_an_unfinished_copy_is_not_compared(source: SharedStore, destination: SharedStore) -> None:
    fill(source)
    with pytest.raises(Died):
        copy(source, destination, DiesAfter(8))
    with pytest.raises(StoreError, match="is incomplete"):
        compare(source, destination)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE pages SET title = 'another' WHERE url_id = 1 RETURNING 1",
        "DELETE FROM visits WHERE id = 1 RETURNING 1",
        "INSERT INTO robots VALUES ('https://x.test', 1, 200, '', 1.0, 2.0, NULL) RETURNING 1",
    ],
)
def test_a_difference_is_found(source: SharedStore, destination: SharedStore, damage: str) -> None:
    fill(source)
    copy(source, destination)
    destination.query(damage)
    wrong = [check.table for check in compare(source, destination) if not check.is_same]
    assert wrong == [word for word in ("pages", "visits", "robots") if word in damage]


def test_a_copy_with_a_difference_is_not_complete(source: SharedStore, destination: SharedStore) -> None:
    fill(source)

    def report(step: str, table: str, done: int, total: int) -> None:
        if (step, table, done) == ("Comparing", "visits", 0) or (step, table) == ("Comparing", "urls"):
            destination.query("DELETE FROM visits WHERE id = 1 RETURNING 1")

    checks = copy(source, destination, report)
    assert [check.table for check in checks if not check.is_same] == ["visits"]
    assert destination.query("SELECT ended_at FROM copies") == [(None,)]


def test_text_that_a_server_can_not_hold_is_replaced(destination: SharedStore, tmp_path: Path) -> None:
    with empty_store("sqlite", tmp_path / "source") as source:
        fill(source)
        source.query("UPDATE pages SET title = 'a' || char(0) || 'b' WHERE url_id = 1 RETURNING 1")
        assert all(check.is_same for check in copy(source, destination, no_report))
        ((title,),) = destination.query("SELECT title FROM pages WHERE url_id = 1")
        assert title == ("a\0b" if destination.place.url is None else "a\ufffdb")


def test_starting_afresh_leaves_nothing_of_the_crawl(source: SharedStore) -> None:
    fill(source)
    learn(source.query, "shop.example")
    find_backend(source.place).discard(source.place)
    assert {name for name, rows in read_rows(source).items() if rows} <= {"sources", "jobs"}
    assert not any(read_learned(source.query).values())


def test_items_are_copied_and_a_reader_of_the_log_goes_on_in_the_copy(
    source: SharedStore, destination: SharedStore
) -> None:
    show_items(source, 1, 2879.2, 19.999999)
    before = asyncio.run(read_whole_log(source.place, START))
    assert all(check.is_same for check in copy(source, destination))
    assert read_products(destination) == read_products(source) != []
    for table in ("items", "observations", "item_changes", "parsed_urls", "parser_stats"):
        query = f"SELECT * FROM {table}"
        assert destination.query(query) == source.query(query) != []
    copied = asyncio.run(read_whole_log(destination.place, START))
    assert [entry.subject_id for entry in copied] == [entry.subject_id for entry in before]
    show_items(destination, 3)
    added = asyncio.run(read_whole_log(destination.place, copied[-1].position))
    (entry,) = (entry for entry in added if entry.topic is LogTopic.ITEM)
    assert entry.subject_id not in {entry.subject_id for entry in before}
