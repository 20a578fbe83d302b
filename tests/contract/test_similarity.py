"""Near-duplicates: they are found where batches are settled, marked with their original, decided again."""

import asyncio

import pytest

from tenax.config.crawl import SimilaritySettings
from tenax.record import replace
from tenax.records.domains import Lease
from tenax.records.urls import RefusalReason, Target
from tenax.records.visits import Gone, Outcome, Refused, Unchanged
from tenax.stores.contracts.batches import DomainWork
from tests.support.store import (
    ACTIVE,
    StoreUnderTest,
    StoreWorker,
    find_wrong_counters,
    make_fetched,
    make_visit,
)

BASE = 0x0123_4567_89AB_CDEF
ON = SimilaritySettings(enabled=True)
NEVER_KEPT = SimilaritySettings(enabled=True, keep=False)

# Each within three bits of BASE, one in every band but the last; and one that is not.
TWO_BITS = BASE ^ 1 << 3 ^ 1 << 20
THREE_BITS = BASE ^ 1 << 3 ^ 1 << 20 ^ 1 << 40
FOUR_BITS = BASE ^ 1 << 3 ^ 1 << 20 ^ 1 << 40 ^ 1 << 60


class Site:
    """One domain whose urls are visited by name."""

    def __init__(self, store: StoreUnderTest, worker: StoreWorker, lease: Lease) -> None:
        self.store, self.worker, self.lease = store, worker, lease

    async def visit(self, settings: SimilaritySettings = ON, /, **outcomes: Outcome) -> None:
        """Settle visits to these urls in one batch."""
        head = await self.worker.head(self.lease)
        targets = {target.url.rpartition("/")[2]: target for target in head.targets}
        visits = [
            make_visit(targets.get(name) or self._find(name), outcome, at=self.worker.clock.now())
            for name, outcome in outcomes.items()
        ]
        batch = self.worker.make_batch(DomainWork(lease=self.lease, state=ACTIVE, visits=visits))
        await self.worker.frontier.settle(replace(batch, similarity=settings))

    def _find(self, name: str) -> Target:
        """A url whose page is visited again."""
        ((url_id, url, key, content_hash, misses),) = self.store.query(
            f"SELECT id, url, key, content_hash, misses FROM urls WHERE url LIKE '%/{name}'"
        )
        return Target(
            id=url_id, url=url, key=key, depth=1, priority=50, attempts=0, hops=0, crashes=0, is_seed=False,
            etag=None, last_modified=None, content_hash=content_hash, misses=misses,
        )  # fmt: skip

    def marks(self) -> dict[str, str | None]:
        """Stored pages, and the pages that they nearly repeat."""
        rows = self.store.query(
            "SELECT u.url, o.url FROM pages p JOIN urls u ON u.id = p.url_id"
            " LEFT JOIN urls o ON o.id = p.near_url_id"
        )
        return {_name(url): None if original is None else _name(original) for url, original in rows}

    def fate(self, name: str) -> tuple[str, str | None, str | None]:
        ((fate, reason, to_url),) = self.store.query(
            f"SELECT fate, reason, to_url FROM urls WHERE url LIKE '%/{name}'"
        )
        return fate, reason, None if to_url is None else _name(to_url)


def _name(url: str) -> str:
    return url.rpartition("/")[2]


def page(simhash: int | None = BASE, text: str | None = None) -> Outcome:
    signed = None if simhash is None else simhash - (1 << 64) if simhash >> 63 else simhash
    return make_fetched(text or f"text {simhash}", simhash=signed)


async def start(store: StoreUnderTest, worker: StoreWorker) -> Site:
    await worker.add(*(f"https://a.example/{name}" for name in "abcd"))
    return Site(store, worker, await worker.claim_one())


@pytest.fixture
def site(store: StoreUnderTest, worker: StoreWorker, runner: asyncio.Runner) -> Site:
    return runner.run(start(store, worker))


@pytest.mark.parametrize("simhash", [BASE, TWO_BITS, THREE_BITS, THREE_BITS ^ 1 << 40 ^ 1 << 63])
async def test_a_page_within_three_bits_is_marked(site: Site, simhash: int) -> None:
    await site.visit(a=page(BASE))
    await site.visit(b=page(simhash, "another text"))
    assert site.marks() == {"a": None, "b": "a"}
    assert site.fate("b") == ("fetched", None, None)


async def test_a_page_beyond_three_bits_is_not(site: Site) -> None:
    await site.visit(a=page(BASE))
    await site.visit(b=page(FOUR_BITS))
    assert site.marks() == {"a": None, "b": None}


async def test_the_distance_can_be_set(site: Site) -> None:
    await site.visit(a=page(BASE))
    await site.visit(SimilaritySettings(enabled=True, distance=1), b=page(TWO_BITS))
    assert site.marks() == {"a": None, "b": None}


async def test_pages_of_one_batch_are_compared(site: Site) -> None:
    await site.visit(a=page(BASE), b=page(TWO_BITS), c=page(FOUR_BITS))
    assert site.marks() == {"a": None, "b": "a", "c": None}


async def test_the_nearest_original_is_named(site: Site) -> None:
    await site.visit(a=page(BASE), b=page(BASE ^ 0xF))
    await site.visit(c=page(BASE ^ 0x7))
    assert site.marks()["c"] == "b"


async def test_a_near_duplicate_is_never_an_original(site: Site) -> None:
    await site.visit(a=page(BASE), b=page(BASE ^ 0x7))
    await site.visit(c=page(BASE ^ 0x3F))
    assert site.marks()["c"] is None


async def test_other_domains_do_not_count(site: Site) -> None:
    await site.visit(a=page(BASE))
    await site.worker.add("https://b.example/z")
    other = Site(site.store, site.worker, await site.worker.claim_one())
    await other.visit(z=page(BASE, "another text"))
    assert site.marks() == {"a": None, "z": None}


async def test_a_page_with_the_same_text_is_a_duplicate_as_before(site: Site) -> None:
    text = "the same " * 30
    await site.visit(a=page(BASE, text))
    await site.visit(b=page(BASE, text))
    assert site.marks() == {"a": None, "b": None}
    assert site.fate("b") == ("duplicate", "content", "a")


async def test_a_page_that_names_another_as_canonical_is_not_compared(site: Site) -> None:
    await site.visit(a=page(BASE))
    await site.visit(b=make_fetched("b", canonical="https://a.example/a", simhash=BASE))
    assert site.marks()["b"] is None


async def test_pages_without_a_simhash_are_not_compared(site: Site) -> None:
    await site.visit(a=page(None, "a"), b=page(None, "b"))
    assert site.marks() == {"a": None, "b": None}


async def test_nothing_is_compared_when_it_is_switched_off(site: Site) -> None:
    off = SimilaritySettings(enabled=False)
    await site.visit(off, a=page(BASE))
    await site.visit(off, b=page(TWO_BITS))
    assert site.marks() == {"a": None, "b": None}


async def test_a_near_duplicate_need_not_be_kept(site: Site) -> None:
    await site.visit(NEVER_KEPT, a=page(BASE), b=page(TWO_BITS))
    assert site.marks() == {"a": None}
    assert site.fate("b") == ("duplicate", "near", "a")
    assert site.store.query("SELECT content_hash, etag FROM urls WHERE url LIKE '%/b'") == [(None, None)]
    assert find_wrong_counters(site.store.query) == []


async def test_what_was_not_kept_is_stored_once_it_is_another_page(site: Site) -> None:
    await site.visit(NEVER_KEPT, a=page(BASE), b=page(TWO_BITS))
    await site.visit(NEVER_KEPT, b=page(~BASE & (1 << 64) - 1))
    assert site.marks() == {"a": None, "b": None}
    assert site.fate("b") == ("fetched", None, None)
    assert site.store.query("SELECT pages_crawled FROM domains") == [(2,)]


async def test_a_page_that_is_stored_already_stays(site: Site) -> None:
    await site.visit(NEVER_KEPT, a=page(BASE), b=page(FOUR_BITS))
    await site.visit(NEVER_KEPT, b=page(TWO_BITS))
    assert site.marks() == {"a": None, "b": "a"}


async def test_a_page_that_has_changed_is_decided_again(site: Site) -> None:
    await site.visit(a=page(BASE), b=page(TWO_BITS))
    await site.visit(b=page(FOUR_BITS))
    assert site.marks() == {"a": None, "b": None}
    await site.visit(b=page(THREE_BITS))
    assert site.marks() == {"a": None, "b": "a"}


async def test_copies_of_a_page_that_has_changed_stand_for_themselves(site: Site) -> None:
    await site.visit(a=page(BASE), b=page(TWO_BITS))
    await site.visit(a=page(~BASE & (1 << 64) - 1))
    assert site.marks() == {"a": None, "b": None}
    await site.visit(c=page(BASE, "c"))
    assert site.marks()["c"] == "b"


async def test_the_original_stays_the_original_when_it_is_visited_again(site: Site) -> None:
    await site.visit(a=page(BASE), b=page(TWO_BITS))
    await site.visit(a=page(BASE))
    assert site.marks() == {"a": None, "b": "a"}


async def test_both_visited_again_in_one_batch_stay_what_they_are(site: Site) -> None:
    await site.visit(a=page(BASE), b=page(TWO_BITS))
    await site.visit(b=page(TWO_BITS), a=page(BASE))
    assert site.marks() == {"a": None, "b": "a"}


async def test_a_copy_whose_original_is_gone_stands_for_itself(site: Site) -> None:
    await site.visit(a=page(BASE), b=page(TWO_BITS))
    for _ in range(3):
        await site.visit(a=Gone(status=410))
    assert site.fate("a")[0] == "gone"
    assert site.marks()["b"] == "a"
    await site.visit(b=Unchanged())
    assert site.marks()["b"] is None


async def test_an_unchanged_copy_stays_with_its_original(site: Site) -> None:
    await site.visit(a=page(BASE), b=page(TWO_BITS))
    await site.visit(b=Unchanged())
    assert site.marks() == {"a": None, "b": "a"}


async def test_an_unchanged_original_keeps_its_copies(site: Site) -> None:
    await site.visit(a=page(BASE), b=page(TWO_BITS))
    await site.visit(a=Unchanged())
    assert site.marks() == {"a": None, "b": "a"}


async def test_of_two_that_stand_for_themselves_the_first_remains(site: Site) -> None:
    exact = SimilaritySettings(enabled=True, distance=0)
    await site.visit(exact, a=page(BASE), b=page(TWO_BITS))
    await site.visit(a=page(BASE))
    assert site.marks() == {"a": None, "b": None}
    await site.visit(b=page(TWO_BITS))
    assert site.marks() == {"a": None, "b": "a"}


async def test_no_page_is_marked_with_one_that_is_marked(site: Site) -> None:
    await site.visit(SimilaritySettings(enabled=True, distance=0), a=page(BASE), b=page(BASE ^ 0x7))
    await site.visit(c=page(BASE ^ 0x3F))
    assert site.marks()["c"] == "b"
    await site.visit(b=page(BASE ^ 0x7))
    assert site.marks() == {"a": None, "b": "a", "c": None}


async def test_a_batch_that_is_settled_twice_changes_nothing(site: Site) -> None:
    await site.visit(a=page(BASE), b=page(TWO_BITS))
    site.worker.batches -= 1
    await site.visit(c=page(BASE, "c"))
    assert site.marks() == {"a": None, "b": "a"}


async def test_near_duplicates_are_counted(site: Site) -> None:
    await site.visit(a=page(BASE), b=page(TWO_BITS), c=page(FOUR_BITS))
    assert site.store.query("SELECT sum(near_duplicates) FROM stats") == [(1,)]


async def test_a_page_whose_original_asks_not_to_be_stored_stands_for_itself(site: Site) -> None:
    await site.visit(a=page(BASE), b=page(TWO_BITS))
    await site.visit(a=Refused(reason=RefusalReason.NOINDEX, detail="robots: noindex"))
    assert site.marks() == {"b": None}
    await site.visit(c=page(THREE_BITS))
    assert site.marks() == {"b": None, "c": "b"}
