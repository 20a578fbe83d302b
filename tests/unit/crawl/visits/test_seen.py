"""Links to other domains and the seen filter: what is known is dropped, what was committed is remembered."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from tenax.coordination.base import UrlName
from tenax.coordination.memory import MemoryCoordination
from tenax.crawl.domains.pool import Pool
from tenax.crawl.visits.seen import drop_seen, list_foreign
from tenax.crawl.worker.store_sync import StoreSync
from tenax.errors import StoreError
from tenax.records.runs import RunState
from tenax.records.urls import NewUrl
from tenax.records.visits import Gone, Visit
from tenax.stores.contracts.batches import Batch, DomainWork, Settled
from tests.support.clock import START, FakeClock
from tests.support.crawling import make_domain, make_target
from tests.support.store import make_visit, new_url
from tests.unit.crawl.worker.test_store_sync import make_store_sync

OWN, FOREIGN, OTHER = "http://a.test/1", "http://b.test/1", "http://c.test/1"


def visit(*found: NewUrl) -> Visit:
    return make_visit(make_target(), Gone(status=404), at=START, discovered=list(found))


def work(*found: str) -> DomainWork:
    domain = make_domain()
    return DomainWork(lease=domain.lease, state=domain.state, visits=[visit(*map(new_url, found))])


def name(url: str) -> UrlName:
    new = new_url(url)
    return new.domain, new.key


def build_filter(*known: str) -> MemoryCoordination:
    seen = MemoryCoordination(FakeClock())
    seen.remember([name(url) for url in known])
    return seen


def drop(works: list[DomainWork], seen: MemoryCoordination) -> list[str]:
    kept = asyncio.run(drop_seen(works, seen))
    return [url.url for work in kept for visit in work.visits for url in visit.discovered]


def test_a_foreign_url_that_the_store_holds_is_dropped() -> None:
    assert drop([work(OWN, FOREIGN, OTHER)], build_filter(FOREIGN)) == [OWN, OTHER]


def test_a_url_that_the_filter_does_not_know_goes_to_the_store() -> None:
    assert drop([work(OWN, FOREIGN)], build_filter()) == [OWN, FOREIGN]


def test_urls_of_the_own_domain_are_not_asked_for() -> None:
    assert list_foreign([work(OWN)]) == []


def test_a_seed_goes_to_the_store_however_well_it_is_known() -> None:
    domain = make_domain()
    seed = new_url(FOREIGN, is_seed=True)
    works = [DomainWork(lease=domain.lease, state=domain.state, visits=[visit(seed)])]
    assert drop(works, build_filter(FOREIGN)) == [FOREIGN]


def test_what_was_not_written_is_not_remembered() -> None:
    assert list_foreign([work(FOREIGN)], lost={1}) == []


# --- settling ------------------------------------------------------------------------------------


class RecordingFrontier:
    """Settles as the test says, and notes what the filter knew at that moment."""

    def __init__(self, seen: MemoryCoordination, *, lost: Sequence[int] = (), fails: bool = False) -> None:
        self._seen = seen
        self._lost = frozenset(lost)
        self._fails = fails
        self.was_known: set[UrlName] = set()

    async def settle(self, batch: Batch) -> Settled:
        self.was_known = await self._seen.find_seen([name(FOREIGN)])
        if self._fails:
            raise StoreError
        return Settled(lost=self._lost, run_pages=0, expires_at=START + 60, run_state=RunState.RUNNING)


def settle(frontier: RecordingFrontier, seen: MemoryCoordination) -> None:
    domain = make_domain()
    domain.visits.append(visit(new_url(FOREIGN)))
    pool = Pool()
    pool.add(domain, START)
    store_sync: StoreSync = make_store_sync(pool, frontier, seen=seen)
    asyncio.run(store_sync.settle())


def knows(seen: MemoryCoordination) -> bool:
    return bool(asyncio.run(seen.find_seen([name(FOREIGN)])))


def test_a_url_is_remembered_after_its_commit_and_not_before() -> None:
    seen: Any = build_filter()
    frontier = RecordingFrontier(seen)
    settle(frontier, seen)
    assert frontier.was_known == set()
    assert knows(seen)


def test_a_commit_that_fails_leaves_nothing_remembered() -> None:
    seen = build_filter()
    with pytest.raises(StoreError):
        settle(RecordingFrontier(seen, fails=True), seen)
    assert not knows(seen)


def test_the_urls_of_a_lost_lease_are_not_remembered() -> None:
    seen = build_filter()
    settle(RecordingFrontier(seen, lost=[1]), seen)
    assert not knows(seen)
