"""A worker's dealings with the store, where its answers may be older than what happened meanwhile."""

import asyncio
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

from tenax.config.crawl import LimitSettings, ScopeKind, ScopeSettings
from tenax.config.settings import Settings
from tenax.coordination.base import SeenFilter
from tenax.crawl.domains.leased_domain import LeasedDomain
from tenax.crawl.domains.pool import Pool
from tenax.crawl.visits.admission import Admission
from tenax.crawl.visits.outcome import refuse
from tenax.crawl.visits.sitemap_naming import SitemapNaming
from tenax.crawl.worker.seed_roots import SeedRoots
from tenax.crawl.worker.store_sync import StoreSync, UrlIntake
from tenax.errors import StoreFull
from tenax.policy.roots import Roots
from tenax.policy.scope import Scope
from tenax.records.domains import Lease
from tenax.records.urls import RefusalReason
from tenax.records.visits import Refused
from tenax.stores.contracts.batches import Batch, QueueHead, Settled
from tests.support.clock import START, FakeClock
from tests.support.crawling import make_context, make_domain, make_heartbeat, make_memory, make_target


class SlowFrontier:
    """Reads the head at once and hands it over after the domain has gone on."""

    def __init__(self, domain: LeasedDomain) -> None:
        self._domain = domain

    async def heads(self, wanted: Sequence[tuple[int, int]], *, has_parsers: bool) -> list[QueueHead]:
        found = [QueueHead(targets=tuple(self._domain.queue), next_due_at=None) for _ in wanted]
        target = self._domain.take()
        refusal = Refused(reason=RefusalReason.ROBOTS, detail="")
        self._domain.mark_settled([refuse(target, refusal, START)], START + 60)
        return found


def make_store_sync(
    pool: Pool, frontier: object, domains_bytes: int = 10**9, seen: SeenFilter | None = None
) -> StoreSync:
    roots = Roots(ScopeKind.DOMAIN)
    clock = FakeClock(START)
    admission = Admission(Scope.build(ScopeSettings(), LimitSettings(), roots))
    intake = UrlIntake(
        admission=admission,
        naming=SitemapNaming(settings=Settings(), admission=admission),
        seed_roots=SeedRoots(cast(Any, None), roots, 0),
        find_more=cast(Any, None),
        seen=seen,
        merger=None,
    )
    stores = cast(Any, SimpleNamespace(frontier=frontier, runs=None, sitemaps=None))
    context = make_context(clock, domains_bytes=domains_bytes)
    return StoreSync(context, stores, make_memory(clock, pool), intake, make_heartbeat(clock))


def test_a_url_settled_while_the_store_answers_is_not_queued_again() -> None:
    domain = make_domain()
    pool = Pool()
    pool.add(domain, START)
    domain.queue.append(make_target(id=7))
    asyncio.run(make_store_sync(pool, SlowFrontier(domain)).refill())
    assert [target.id for target in domain.queue] == []


def test_a_worker_whose_memory_is_full_claims_nothing() -> None:
    pool = Pool()
    pool.add(make_domain(queue=[make_target()]), START)
    store_sync = make_store_sync(pool, None, domains_bytes=pool.weight_bytes)
    assert asyncio.run(store_sync.claim(10)) == 0


class EmptyFrontier:
    """Has no domain to claim."""

    def __init__(self) -> None:
        self.asked_for: list[int] = []

    async def claim(self, worker_id: int, run_id: int, limit: int, *_: object) -> list[Lease]:
        self.asked_for.append(limit)
        return []


def test_a_claim_makes_room_by_forgetting_known_keys() -> None:
    pool, frontier = Pool(), EmptyFrontier()
    domain = make_domain(queue=[make_target()], known=range(100_000))
    pool.add(domain, START)
    store_sync = make_store_sync(pool, frontier, domains_bytes=pool.weight_bytes)
    asyncio.run(store_sync.claim(10))
    assert (frontier.asked_for, domain.known) == ([10], None)


def test_a_domain_with_long_urls_has_a_shorter_queue_in_memory() -> None:
    targets = [make_target(id=number, url=f"http://a.test/{number}/" + "x" * 1_900) for number in range(64)]
    domain = make_domain(queue=targets)
    assert 1 <= len(domain.queue) < 20
    assert domain.weight_bytes < 50_000


class FullFrontier:
    """Can be read, and takes nothing."""

    async def heads(self, wanted: Sequence[tuple[int, int]], *, has_parsers: bool) -> list[QueueHead]:
        return [QueueHead(targets=(), next_due_at=None) for _ in wanted]

    async def settle(self, batch: Batch) -> Settled:
        raise StoreFull


def test_a_store_that_can_be_read_is_still_in_trouble_while_it_takes_nothing() -> None:
    domain = make_domain(queue=[make_target(id=7)])
    refusal = Refused(reason=RefusalReason.ROBOTS, detail="")
    domain.visits.append(refuse(domain.take(), refusal, START))
    pool = Pool()
    pool.add(domain, START)
    store_sync = make_store_sync(pool, FullFrontier())

    async def read_meanwhile() -> None:
        settling = asyncio.create_task(store_sync.settle())
        await asyncio.sleep(0)
        assert pool.has_hungry
        await store_sync.refill()
        assert store_sync.store_retry.trouble is not None
        settling.cancel()
        await asyncio.gather(settling, return_exceptions=True)
        assert store_sync.store_retry.trouble is None

    asyncio.run(read_meanwhile())
