"""Settling a second visit: what becomes of a page that is stored."""

from collections.abc import Sequence

import pytest

from tenax.records.domains import Lease
from tenax.records.requests import FailureKind
from tenax.records.urls import RefusalReason, Target
from tenax.records.visits import Gone, Outcome, Redirected, Refused, Skipped, Unchanged
from tenax.stores.contracts.batches import DomainWork
from tenax.stores.contracts.refresh import RefreshBudget
from tests.support.clock import START, FakeClock
from tests.support.store import (
    ACTIVE,
    Rows,
    StoreUnderTest,
    StoreWorker,
    find_wrong_counters,
    make_failed,
    make_fetched,
    make_visit,
)

A = "https://a.example/"
LONG = "A text that is long enough to be a page of its own. " * 10
MISSING = Gone(status=404)
DENIED = Refused(reason=RefusalReason.ROBOTS, detail="line 2")
NOINDEX = Refused(reason=RefusalReason.NOINDEX, detail="the page asks not to be kept")
DAY_S, WEEKS_S = 86_400.0, 40 * 86_400.0


class Site:
    """A domain whose pages are visited again and again."""

    def __init__(self, worker: StoreWorker, store: StoreUnderTest, clock: FakeClock) -> None:
        self._worker = worker
        self._store = store
        self._clock = clock
        self.lease: Lease | None = None

    async def visit(self, outcomes: dict[str, Outcome]) -> None:
        """In the order given, one transaction for all."""
        targets = await self._take()
        visits = [
            make_visit(targets[A + path], outcome, at=self._clock.now()) for path, outcome in outcomes.items()
        ]
        assert self.lease is not None
        await self._worker.settle_visits(self.lease, visits)

    async def visit_again(self, outcome: Outcome, path: str = "") -> None:
        """All pages come up; this one is visited."""
        await self.leave()
        self._clock.advance(WEEKS_S)
        await self._store.refresh.promote(RefreshBudget(domains=10, per_domain=100, limit=100, idle_s=1.0))
        await self.visit({path: outcome})

    async def leave(self) -> None:
        if self.lease is not None:
            await self._worker.release(self.lease)
            self.lease = None

    async def _take(self) -> dict[str, Target]:
        if self.lease is None:
            self.lease = await self._worker.claim_one()
        return {target.url: target for target in (await self._worker.head(self.lease)).targets}

    def url(self, *columns: str, path: str = "") -> tuple[object, ...]:
        return self._store.query(f"SELECT {', '.join(columns)} FROM urls WHERE url = '{A + path}'")[0]

    def changes(self) -> Rows:
        return self._store.query("SELECT kind, old_bytes, new_bytes, title FROM changes ORDER BY id")

    def pages(self) -> Rows:
        return self._store.query("SELECT body_bytes, title FROM pages ORDER BY url_id")


@pytest.fixture
def site(worker: StoreWorker, store: StoreUnderTest, clock: FakeClock) -> Site:
    return Site(worker, store, clock)


async def start(site: Site, worker: StoreWorker, *paths: str, text: str = LONG) -> None:
    await worker.add(*(A + path for path in paths))
    await site.visit({path: make_fetched(text) for path in paths})


async def test_a_page_that_is_the_same_is_no_change(
    site: Site, worker: StoreWorker, store: StoreUnderTest
) -> None:
    await start(site, worker, "")
    await site.visit_again(make_fetched(LONG, title="A new title", etag='"e2"'))
    assert site.changes() == []
    assert site.pages() == [(len(LONG), "A new title")]
    assert site.url("fate", "etag", "unchanged_count", "due_at") == ("fetched", '"e2"', 1, None)
    assert find_wrong_counters(store.query) == []


async def test_a_change_is_noted_with_what_was_before(
    site: Site, worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await start(site, worker, "")
    await site.visit_again(Unchanged())
    await site.visit_again(make_fetched("short now", title="Short"))
    assert site.changes() == [("changed", len(LONG), 9, "Short")]
    rows = store.query(
        "SELECT c.new_hash = p.content_hash, c.old_hash = c.new_hash, c.at FROM changes c, pages p"
    )
    assert [(bool(row[0]), bool(row[1]), row[2]) for row in rows] == [(True, False, clock.now())]
    assert site.url("unchanged_count") == (0,)
    assert store.query("SELECT pages_changed, pages_crawled FROM domains") == [(1, 1)]
    assert find_wrong_counters(store.query) == []


async def test_a_batch_that_comes_again_notes_a_change_once(
    site: Site, worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await start(site, worker, "")
    await site.leave()
    clock.advance(WEEKS_S)
    await store.refresh.promote(RefreshBudget(domains=10, per_domain=100, limit=100, idle_s=1.0))
    lease = await worker.claim_one()
    (target,) = (await worker.head(lease)).targets
    visit = make_visit(target, make_fetched("another"), at=clock.now())
    batch = worker.make_batch(DomainWork(lease=lease, state=ACTIVE, visits=[visit]))
    for _ in range(2):
        await worker.frontier.settle(batch)
    assert len(site.changes()) == 1
    assert find_wrong_counters(store.query) == []


async def test_a_new_page_leaves_no_row_but_when_it_came(
    site: Site, worker: StoreWorker, store: StoreUnderTest
) -> None:
    await start(site, worker, "")
    await site.visit_again(make_fetched("another"))
    assert store.query("SELECT first_fetched_at FROM pages") == [(START,)]
    assert [row[0] for row in site.changes()] == ["changed"]


TROUBLES: dict[str, Outcome] = {
    "failed for good": make_failed(),
    "forbidden": make_failed(kind=FailureKind.FORBIDDEN),
    "robots.txt": DENIED,
    "missing once": MISSING,
    "redirected once": Redirected(status=302, to_url=A + "login"),
    "no HTML once": Skipped(status=200, content_type="text/plain"),
}


@pytest.mark.parametrize("outcome", TROUBLES.values(), ids=list(TROUBLES))
async def test_trouble_leaves_the_page_and_its_url_as_they_were(
    outcome: Outcome, site: Site, worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await start(site, worker, "")
    before = site.url("fate", "reason", "to_url", "status", "fetched_at", "etag", "content_hash", "attempts")
    pages = site.pages()
    await site.visit_again(outcome)
    after = site.url("fate", "reason", "to_url", "status", "fetched_at", "etag", "content_hash", "attempts")
    assert after == before
    assert (site.pages(), site.changes()) == (pages, [])
    detail, due_at, revisit_at = site.url("detail", "due_at", "revisit_at")
    assert detail
    assert due_at is None
    assert isinstance(revisit_at, float)
    assert clock.now() < revisit_at <= clock.now() + DAY_S
    assert find_wrong_counters(store.query) == []


async def test_the_next_good_visit_forgets_the_trouble(site: Site, worker: StoreWorker) -> None:
    await start(site, worker, "")
    await site.visit_again(MISSING)
    await site.visit_again(Unchanged())
    assert site.url("detail", "misses", "unchanged_count") == (None, 0, 1)
    await site.visit_again(MISSING)
    assert site.url("fate") == ("fetched",)


async def test_a_failure_that_is_tried_again_stays_queued(
    site: Site, worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await start(site, worker, "")
    await site.visit_again(make_failed(retry_at=(again_at := clock.now() + WEEKS_S + 9)))
    assert site.url("fate", "due_at", "attempts", "revisit_at") == ("fetched", again_at, 1, None)
    assert store.query("SELECT queued FROM domains") == [(1,)]
    clock.advance(10)
    await site.visit({"": make_failed()})
    assert site.url("fate", "due_at", "attempts") == ("fetched", None, 0)
    assert find_wrong_counters(store.query) == []


GOINGS: dict[str, tuple[Outcome, tuple[object, ...]]] = {
    "gone": (MISSING, ("gone", None, 404)),
    "redirected": (Redirected(status=301, to_url=A + "to"), ("redirected", A + "to", 301)),
    "skipped": (Skipped(status=200, content_type="text/plain"), ("skipped", None, 200)),
}


@pytest.mark.parametrize(("outcome", "left"), GOINGS.values(), ids=list(GOINGS))
async def test_a_page_that_is_missing_twice_is_gone_and_what_it_said_is_kept(
    outcome: Outcome,
    left: tuple[object, ...],
    site: Site,
    worker: StoreWorker,
    store: StoreUnderTest,
    clock: FakeClock,
) -> None:
    await start(site, worker, "")
    await site.visit_again(MISSING)
    await site.visit_again(outcome)
    assert site.url("fate", "to_url", "status") == left
    assert site.url("fetched_at", "etag", "last_modified") == (clock.now(), None, None)
    assert site.changes() == [("gone", len(LONG), None, "A title")]
    assert site.pages() == [(len(LONG), "A title")]
    assert find_wrong_counters(store.query) == []


@pytest.mark.parametrize("text", [LONG, "something else"])
async def test_a_page_that_comes_back_is_new_again(
    text: str, site: Site, worker: StoreWorker, store: StoreUnderTest
) -> None:
    await start(site, worker, "")
    for outcome in (MISSING, MISSING, MISSING, make_fetched(text)):
        await site.visit_again(outcome)
    assert site.url("fate", "misses") == ("fetched", 0)
    assert [row[0] for row in site.changes()] == ["gone", "new"]
    assert store.query("SELECT pages_crawled, pages_changed FROM domains") == [(1, 1)]
    assert find_wrong_counters(store.query) == []


async def test_trouble_does_not_bring_a_page_back(site: Site, worker: StoreWorker) -> None:
    await start(site, worker, "")
    for outcome in (MISSING, MISSING, make_failed(), Unchanged()):
        await site.visit_again(outcome)
    assert site.url("fate", "misses") == ("gone", 2)


async def test_a_page_that_is_gone_stays_so_when_its_domain_is_reset_and_fails(
    site: Site, worker: StoreWorker, store: StoreUnderTest
) -> None:
    await start(site, worker, "")
    await site.visit_again(MISSING)
    await site.visit_again(MISSING)
    await site.leave()
    await store.domains.reset("a.example", "once more")
    await site.visit({"": make_failed()})
    assert site.url("fate", "due_at") == ("gone", None)
    assert find_wrong_counters(store.query) == []


async def test_a_page_that_asks_not_to_be_kept_any_more_is_not_kept(
    site: Site, worker: StoreWorker, store: StoreUnderTest
) -> None:
    await start(site, worker, "")
    await site.visit_again(NOINDEX)
    assert site.pages() == []
    assert site.url("fate", "reason", "content_hash", "revisit_at") == ("refused", "noindex", None, None)
    assert site.changes() == [("gone", len(LONG), None, "A title")]
    assert store.query("SELECT pages_crawled FROM domains") == [(0,)]
    assert find_wrong_counters(store.query) == []


# --- duplicates ----------------------------------------------------------------------------------


async def start_twins(site: Site, worker: StoreWorker) -> tuple[str, str]:
    """Two pages with one text; returns the paths of the original and of the copy."""
    await start(site, worker, "x", "y")
    fates = {path: site.url("fate", path=path)[0] for path in ("x", "y")}
    assert sorted(map(str, fates.values())) == ["duplicate", "fetched"]
    return ("x", "y") if fates["x"] == "fetched" else ("y", "x")


@pytest.mark.parametrize("outcome", [Unchanged(), make_failed(), MISSING, DENIED])
async def test_a_copy_stays_a_copy_whatever_a_visit_finds(
    outcome: Outcome, site: Site, worker: StoreWorker
) -> None:
    original, copy = await start_twins(site, worker)
    await site.visit_again(outcome, copy)
    assert site.url("fate", "reason", "to_url", path=copy) == ("duplicate", "content", A + original)


@pytest.mark.parametrize("is_copy_first", [True, False])
async def test_twins_that_are_fetched_again_do_not_become_copies_of_each_other(
    is_copy_first: bool, site: Site, worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    original, copy = await start_twins(site, worker)
    await site.leave()
    clock.advance(WEEKS_S)
    await store.refresh.promote(RefreshBudget(domains=10, per_domain=100, limit=100, idle_s=1.0))
    order: Sequence[str] = (copy, original) if is_copy_first else (original, copy)
    await site.visit({path: make_fetched(LONG) for path in order})
    assert site.url("fate", "to_url", path=original) == ("fetched", None)
    assert site.url("fate", "to_url", path=copy) == ("duplicate", A + original)


async def test_nothing_is_a_copy_of_a_page_that_is_gone(site: Site, worker: StoreWorker) -> None:
    await start(site, worker, "")
    await site.visit_again(MISSING)
    await site.visit_again(MISSING)
    await worker.add(A + "new")
    await site.visit({"new": make_fetched(LONG)})
    assert site.url("fate", path="new") == ("fetched",)
