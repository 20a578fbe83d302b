"""Settling: every outcome leaves the right rows."""

from dataclasses import dataclass, replace

import pytest

from tenax.records.domains import DomainState, DomainStatus, RobotsRecord
from tenax.records.requests import FailureKind
from tenax.records.runs import RunState
from tenax.records.urls import Fate, Priority, RefusalReason
from tenax.records.visits import Gone, Outcome, Redirected, Refused, Skipped, Unchanged
from tenax.stores.contracts.batches import RobotsVisit
from tenax.stores.hot.packing import unpack_links, unpack_text
from tenax.web.identity import url_key
from tests.support.clock import START, FakeClock
from tests.support.store import (
    ACTIVE,
    LEASE_S,
    StoreUnderTest,
    StoreWorker,
    find_wrong_counters,
    make_failed,
    make_fetched,
    make_visit,
    new_url,
)

A = "https://a.example/"
B = "https://b.example/"
LONG = "A text that is long enough to be a page of its own. " * 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    fate: Fate
    reason: str | None = None
    detail: str | None = None
    to_url: str | None = None
    due_at: float | None = None
    attempts: int = 0
    status: int | None = None
    is_fetched: bool = True  # an answer came: fetched_at is known
    has_page: bool = False


CRASH = FailureKind.CRASH
CASES: dict[str, tuple[Outcome, Expected]] = {
    "fetched": (make_fetched(), Expected(fate=Fate.FETCHED, status=200, has_page=True)),
    "its own canonical": (
        make_fetched(canonical=A),
        Expected(fate=Fate.FETCHED, status=200, has_page=True),
    ),
    "another canonical": (
        make_fetched(canonical=A + "c"),
        Expected(fate=Fate.DUPLICATE, reason="canonical", to_url=A + "c", status=200, has_page=True),
    ),
    "redirected": (
        Redirected(status=301, to_url=A + "r"),
        Expected(fate=Fate.REDIRECTED, to_url=A + "r", status=301),
    ),
    "skipped": (
        Skipped(status=200, content_type="image/png"),
        Expected(fate=Fate.SKIPPED, reason="type", detail="image/png", status=200),
    ),
    "gone": (Gone(status=410), Expected(fate=Fate.GONE, status=410)),
    "refused": (
        Refused(reason=RefusalReason.ROBOTS, detail="line 3"),
        Expected(fate=Fate.REFUSED, reason="robots", detail="line 3", is_fetched=False),
    ),
    "failed, to be tried again": (
        make_failed(retry_at=START + 9),
        Expected(
            fate=Fate.RETRYING,
            reason="http_status",
            detail="the server answered 500",
            due_at=START + 9,
            attempts=1,
            status=500,
            is_fetched=False,
        ),
    ),
    "rate limited": (
        make_failed(retry_at=START + 9, kind=FailureKind.RATE_LIMITED, counts_as_attempt=False),
        Expected(
            fate=Fate.RETRYING,
            reason="rate_limited",
            detail="the server answered 500",
            due_at=START + 9,
            status=500,
            is_fetched=False,
        ),
    ),
    "failed for good": (
        make_failed(),
        Expected(
            fate=Fate.DEAD,
            reason="http_status",
            detail="the server answered 500",
            attempts=1,
            status=500,
            is_fetched=False,
        ),
    ),
    "reader killed": (
        make_failed(kind=FailureKind.READER),
        Expected(
            fate=Fate.DEAD,
            reason="reader",
            detail="the server answered 500",
            attempts=1,
            status=500,
            is_fetched=False,
        ),
    ),
    "crashed": (
        make_failed(kind=CRASH),
        Expected(
            fate=Fate.QUARANTINED,
            reason="crash",
            detail="the server answered 500",
            attempts=1,
            status=500,
            is_fetched=False,
        ),
    ),
}


@pytest.mark.parametrize(("outcome", "expected"), CASES.values(), ids=list(CASES))
async def test_an_outcome_gives_the_url_its_fate(
    outcome: Outcome, expected: Expected, worker: StoreWorker, store: StoreUnderTest
) -> None:
    await worker.add(A)
    await worker.visit_next(await worker.claim_one(), outcome)
    columns = "fate, reason, detail, to_url, due_at, attempts, status, fetched_at IS NOT NULL"
    ((*found, is_fetched),) = store.query(f"SELECT {columns} FROM urls")
    wanted = expected
    assert found == [
        wanted.fate, wanted.reason, wanted.detail, wanted.to_url, wanted.due_at, wanted.attempts,
        wanted.status,
    ]  # fmt: skip
    assert bool(is_fetched) is wanted.is_fetched
    assert store.query("SELECT count(*) FROM pages") == [(wanted.has_page,)]


async def test_a_text_that_another_page_of_the_domain_has_is_a_duplicate(
    worker: StoreWorker, store: StoreUnderTest
) -> None:
    await worker.add(A, A + "copy")
    lease = await worker.claim_one()
    original = await worker.visit_next(lease, make_fetched(LONG))
    copy = await worker.visit_next(lease, make_fetched(LONG))
    rows = store.query(f"SELECT fate, reason, to_url FROM urls WHERE id = {copy.id}")
    assert rows == [("duplicate", "content", original.url)]


async def test_duplicates_are_found_inside_a_batch(worker: StoreWorker, store: StoreUnderTest) -> None:
    await worker.add(A, A + "x", A + "y")
    lease = await worker.claim_one()
    targets = (await worker.head(lease)).targets
    visits = [make_visit(target, make_fetched(LONG), at=START) for target in targets]
    await worker.settle_visits(lease, visits)
    rows = store.query("SELECT fate, to_url FROM urls ORDER BY id")
    assert rows == [("fetched", None)] + [("duplicate", targets[0].url)] * 2


async def test_short_texts_are_no_duplicates(worker: StoreWorker, store: StoreUnderTest) -> None:
    await worker.add(A, A + "x")
    lease = await worker.claim_one()
    await worker.visit_next(lease, make_fetched("Not found"))
    await worker.visit_next(lease, make_fetched("Not found"))
    assert store.query("SELECT DISTINCT fate FROM urls") == [("fetched",)]


async def test_the_same_text_in_another_domain_is_no_duplicate(
    worker: StoreWorker, store: StoreUnderTest
) -> None:
    await worker.add(A, B)
    for lease in await worker.claim():
        await worker.visit_next(lease, make_fetched(LONG))
    assert store.query("SELECT DISTINCT fate FROM urls") == [("fetched",)]


async def test_a_page_keeps_what_was_extracted(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await worker.add(A)
    link = (A + "x", "next", "More…", "a")
    await worker.visit_next(await worker.claim_one(), make_fetched(LONG, links=[link]))
    ((title, links_count, content, fetched_at),) = store.query(
        "SELECT title, links_count, content, fetched_at FROM pages"
    )
    assert (title, links_count, fetched_at) == ("A title", 1, clock.now())
    assert unpack_text(content) == LONG
    assert unpack_links(content) == [[A + "x", "next", "More…", "a"]]


async def test_an_unchanged_page_keeps_its_content_and_its_validators(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    target = await worker.visit_next(lease, make_fetched(LONG, etag='"e7"'))
    known = replace(target, etag='"e7"', last_modified="m", content_hash=5)
    clock.advance(100)
    await worker.settle_visits(lease, [make_visit(known, Unchanged(), at=clock.now())])
    assert store.query("SELECT fate, etag, last_modified, content_hash, fetched_at FROM urls") == [
        ("fetched", '"e7"', "Tue, 01 Jul 2025 00:00:00 GMT", url_key(LONG), clock.now())
    ]
    assert store.query("SELECT count(*) FROM pages") == [(1,)]
    assert store.query("SELECT outcome, status FROM visits") == [("fetched", 200), ("unchanged", 304)]


async def test_a_page_fetched_again_remembers_when_it_changed(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    target = await worker.visit_next(lease, make_fetched("one"))
    clock.advance(100)
    await worker.settle_visits(lease, [make_visit(target, make_fetched("one"), at=clock.now())])
    assert store.query("SELECT fetched_at - changed_at FROM pages") == [(100.0,)]
    await worker.settle_visits(lease, [make_visit(target, make_fetched("two"), at=clock.now())])
    assert store.query("SELECT fetched_at - changed_at FROM pages") == [(0.0,)]


async def test_a_url_that_was_refused_made_no_request(worker: StoreWorker, store: StoreUnderTest) -> None:
    await worker.add(A)
    await worker.visit_next(await worker.claim_one(), Refused(reason=RefusalReason.ROBOTS, detail="line 3"))
    assert store.query("SELECT count(*) FROM visits") == [(0,)]


async def test_discovered_urls_stand_in_the_queues_of_their_domains(
    worker: StoreWorker, store: StoreUnderTest
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    found = [new_url(A + "x"), new_url(B, priority=Priority.HIGH), new_url(A)]
    await worker.visit_next(lease, make_fetched(), discovered=found)
    assert [target.url for target in (await worker.head(lease)).targets] == [A + "x"]
    assert (await worker.claim_one()).domain == "b.example"


@pytest.mark.parametrize("hostile", ["nul \x00 inside", "\U0010ffff", "x" * 1_000_000])
async def test_no_text_of_a_page_can_spoil_a_batch(
    hostile: str, worker: StoreWorker, store: StoreUnderTest
) -> None:
    await worker.add(A)
    link = (A, hostile, hostile, "a")
    page = make_fetched(title=hostile, etag=hostile, links=[link])
    await worker.visit_next(await worker.claim_one(), page)
    assert store.query("SELECT fate FROM urls") == [("fetched",)]


async def test_settling_renews_the_leases(worker: StoreWorker, clock: FakeClock) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    clock.advance(LEASE_S - 1)
    settled = await worker.settle_visits(lease, [])
    assert settled.expires_at == clock.now() + LEASE_S
    clock.advance(LEASE_S - 1)
    assert await worker.claim() == []


async def test_settling_says_how_the_run_stands(worker: StoreWorker, store: StoreUnderTest) -> None:
    await worker.add(A, A + "x")
    lease = await worker.claim_one()
    await worker.visit_next(lease, make_fetched())
    settled = await worker.settle_visits(lease, [])
    assert (settled.run_pages, settled.run_state) == (1, RunState.RUNNING)
    await worker.runs.end_run(worker.run_id, RunState.STOPPED, worker.id)
    assert (await worker.settle_visits(lease, [])).run_state is RunState.STOPPED


async def test_a_visit_that_took_long_does_not_set_the_last_crawl_back(
    worker: StoreWorker, store: StoreUnderTest
) -> None:
    await worker.add(A, A + "x")
    lease = await worker.claim_one()
    quick, slow = (await worker.head(lease)).targets
    await worker.settle_visits(lease, [make_visit(quick, make_fetched(), at=START + 5)])
    await worker.settle_visits(lease, [make_visit(slow, make_fetched(), at=START)])
    await worker.settle_visits(lease, [])
    assert store.query("SELECT last_crawled_at FROM domains") == [(START + 5,)]


async def test_a_block_remembers_when_it_began(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    blocked = DomainState(status=DomainStatus.BLOCKED, block_code="forbidden")
    await worker.add(A)
    lease = await worker.claim_one()
    for state, began_at in ((blocked, START), (blocked, START), (ACTIVE, None)):
        await worker.settle_visits(lease, [], state=state)
        assert store.query("SELECT first_blocked_at FROM domains") == [(began_at,)]
        clock.advance(10)


async def test_a_robots_txt_that_another_worker_fetched_is_kept_without_a_visit(
    store: StoreUnderTest, worker: StoreWorker, clock: FakeClock
) -> None:
    await worker.add("https://a.example/")
    lease = await worker.claim_one()
    record = RobotsRecord(
        origin="https://a.example", status=200, body=b"#", fetched_at=START, expires_at=START + 3600
    )
    reuse = RobotsVisit(
        record=record, at=START, duration_s=0, wire_bytes=0, status=200, error=None, made_request=False
    )
    await worker.settle_robots(lease, reuse)
    (loaded,) = await worker.frontier.load([lease], 10, 10)
    assert loaded.robots == [record]
    assert store.query("SELECT count(*) FROM visits") == [(0,)]
    assert store.query("SELECT requests FROM domains") == [(0,)]
    assert store.query("SELECT requests FROM runs") == [(0,)]


async def test_a_url_that_redirects_to_another_of_its_addresses_is_asked_there(
    worker: StoreWorker, store: StoreUnderTest
) -> None:
    await worker.add(A + "p?b=1&a=2")
    lease = await worker.claim_one()
    moved = Redirected(status=302, to_url=A + "p?a=2&b=1", asked_again_at=START + 1)
    await worker.visit_next(lease, moved)
    rows = store.query("SELECT url, fate, due_at, hops, attempts, to_url FROM urls")
    assert rows == [(A + "p?a=2&b=1", "queued", START + 1, 1, 0, None)]
    assert find_wrong_counters(store.query) == []
    assert await worker.add(A + "p?b=1&a=2") == 0


async def test_a_stored_page_survives_a_redirect_to_another_of_its_addresses(
    worker: StoreWorker, store: StoreUnderTest
) -> None:
    await worker.add(A + "p?b&a")
    lease = await worker.claim_one()
    await worker.visit_next(lease, make_fetched(LONG))
    await worker.release(lease)
    await store.domains.reset("a.example", "again")
    lease = await worker.claim_one()
    moved = Redirected(status=302, to_url=A + "p?a&b", asked_again_at=START + 1)
    await worker.visit_next(lease, moved)
    assert store.query("SELECT url, fate, due_at, misses FROM urls") == [
        (A + "p?a&b", "fetched", START + 1, 0)
    ]
    assert store.query("SELECT count(*) FROM pages") == [(1,)]
