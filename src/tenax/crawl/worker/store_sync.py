"""A worker's dealings with the store: claim, refill, settle, renew, release. One of each at a time."""

import random
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from tenax import failpoints
from tenax.clock import Clock, Instant
from tenax.config import Settings
from tenax.coordination.base import SeenFilter
from tenax.crawl.domains.known_keys import KEY_BYTES
from tenax.crawl.domains.leased_domain import LeasedDomain
from tenax.crawl.domains.merger import Merger
from tenax.crawl.domains.pool import Pool
from tenax.crawl.visits.admission import Admission
from tenax.crawl.visits.seen import drop_seen, list_foreign
from tenax.crawl.worker.heartbeat import Heartbeat
from tenax.crawl.worker.seed_roots import SeedRoots
from tenax.crawl.worker.store_retry import StoreRetry
from tenax.records import Fetched, RunState
from tenax.stores.base import (
    Batch,
    DomainWork,
    FrontierStore,
    Release,
    RemainingWork,
    Run,
    RunStore,
    Settled,
    SignOfLife,
)
from tenax.telemetry import log

T = TypeVar("T")

TYPICAL_DOMAIN_BYTES = 30_000
SITE_YIELD_S = 1.0


async def bury_dead(watch: SignOfLife, runs: RunStore) -> None:
    """Free what workers held whose process is gone."""
    dead = watch.find_dead()
    if not dead:
        return
    freed = await runs.bury(dead)
    for worker in dead:
        watch.forget(worker)
    log.info("dead_workers_buried", workers=[worker.uuid for worker in dead], domains=freed)


class StoreSync:
    """Keeps the pool and the store in step. Waits out trouble with the store, and says so."""

    def __init__(
        self,
        *,
        run: Run,
        worker_id: int,
        settings: Settings,
        frontier: FrontierStore,
        runs: RunStore,
        pool: Pool,
        domains_bytes: int,
        admission: Admission,
        seed_roots: SeedRoots,
        watch: SignOfLife,
        heartbeat: Heartbeat,
        clock: Clock,
        find_more: Callable[[], Awaitable[bool]],
        seen: SeenFilter | None = None,
        merger: Merger | None = None,
    ) -> None:
        """`find_more`: see Opener.find_more."""
        self._run = run
        self._find_more = find_more
        self._seen = seen
        self._merger = merger
        self._worker_id = worker_id
        self._settings = settings
        self._frontier = frontier
        self._runs = runs
        self._pool = pool
        self._domains_bytes = domains_bytes
        self._admission = admission
        self._seed_roots = seed_roots
        self._batches = 0
        self._pages = 0  # settled
        self._watch = watch
        self._heartbeat = heartbeat
        self._clock = clock
        self._is_empty_handed = False  # the last claim brought nothing while nothing was in hand
        self.granted = 0  # pages of the run's budget that may still be settled
        self.is_dry = False  # nothing was granted when it was last asked for
        self.run_pages = run.pages  # of all workers, as last heard
        self.run_state = run.state
        self.heard_at = clock.now()  # of the run's state
        self.rules_heard_at = clock.now()  # of the domains in hand
        self.store_retry = StoreRetry(clock, settings.worker.disk_full_wait_s)

    async def claim(self, limit: int) -> int:
        """Lease more domains; returns how many came and stay."""
        worker = self._settings.worker
        room = self._domains_bytes - self._pool.weight_bytes
        limit = min(limit, room // TYPICAL_DOMAIN_BYTES)
        if limit <= 0:
            return 0
        # A look costs the busy workers nothing; a claim in vain takes the store's only write lock.
        if self._is_empty_handed and not (await self.horizon()).can_claim:
            return 0
        failpoints.reach("claim.before")
        leases = await self._patiently(
            lambda: self._frontier.claim(
                self._worker_id,
                self._run.id,
                limit,
                worker.lease_s,
                self._settings.politeness.site_gap_s,
            )
        )
        failpoints.reach("claim.after")
        self._is_empty_handed = not (leases or len(self._pool))
        if not leases:
            return 0
        await self._refresh_scope([lease.domain for lease in leases])
        now = self._clock.now()
        known_limit = (room - limit * TYPICAL_DOMAIN_BYTES) // KEY_BYTES
        loaded = await self._patiently(lambda: self._frontier.load(leases, worker.queue_head, known_limit))
        domains = [LeasedDomain(each, self._settings, now, random.random()) for each in loaded]
        if (merger := self._merger) is not None:
            await self._patiently(lambda: merger.begin(domains))
        for domain in domains:
            self._pool.add(domain, now)
        self._pool.lighten(self._domains_bytes)
        return sum(domain.is_held for domain in domains)

    async def grant(self, wanted: int, limit: int) -> None:
        """Have pages of the run's budget set aside, as far as others leave any."""
        grant = await self._patiently(lambda: self._runs.grant(self._worker_id, self._run.id, wanted, limit))
        self.granted += grant.pages
        self.is_dry = not grant.pages
        self.run_pages = grant.run_pages
        self._hear(grant.run_state)

    async def return_pages(self, pages: int) -> None:
        """Leave so many that were granted to others: there is nothing in hand to spend them on."""
        self.granted -= pages
        if pages:
            await self._patiently(lambda: self._runs.return_pages(self._worker_id, pages))

    async def _refresh_scope(self, claimed: Iterable[str]) -> None:
        """Take in seeds that came since, and whether the domains at hand are in scope."""
        if await self._patiently(self._seed_roots.refresh):
            self._admission.forget_sent()
        domains = [*claimed, *(domain.name for domain in self._pool)]
        await self._patiently(lambda: self._seed_roots.hold(domains))

    async def look(self) -> None:
        """Hear what has become of the run, without taking the store's write lock."""
        self._hear(await self._patiently(lambda: self._runs.find_state(self._run.id)))

    async def look_at_rules(self) -> None:
        """Hear what a person has changed about domains in hand, without taking the store's write lock."""
        self.rules_heard_at = self._clock.now()
        for domain_id, version, rules in await self._patiently(
            lambda: self._frontier.list_rules(self._worker_id)
        ):
            domain = self._pool.get(domain_id)
            if domain is not None and domain.lease.version == version and domain.rules != rules:
                log.info("rules_changed", domain=domain.name)
                self._pool.apply_rules(domain, rules, self._clock.now(), random.random())

    def _hear(self, state: RunState) -> None:
        self.run_state = state
        self.heard_at = self._clock.now()

    async def bury_dead(self) -> None:
        await self._patiently(lambda: bury_dead(self._watch, self._runs))

    async def horizon(self) -> RemainingWork:
        return await self._patiently(lambda: self._frontier.horizon(self._worker_id))

    async def has_untried(self, before: Instant) -> bool:
        return await self._patiently(lambda: self._frontier.has_untried(before))

    async def find_more(self) -> bool:
        """Nothing is left that the frontier tells of: whether others have left anything."""
        return await self._patiently(self._find_more)

    async def refill(self) -> None:
        hungry = self._pool.start_refill()
        in_hand = [domain.list_in_hand() for domain in hungry]
        head = self._settings.worker.queue_head
        wanted = [(domain.lease.domain_id, head + len(domain.taken)) for domain in hungry]
        heads = await self._patiently(lambda: self._frontier.heads(wanted))
        if (merger := self._merger) is not None:
            found_heads = heads
            heads = await self._patiently(lambda: merger.mark(hungry, found_heads))
        now = self._clock.now()
        for domain, before, found in zip(hungry, in_hand, heads, strict=True):
            if domain.is_held:
                domain.refill(found, before)
                self._pool.end_refill(domain, now)

    async def settle(self) -> None:
        """Make everything durable that has ended."""
        dirty = [domain for domain in self._pool if domain.is_dirty]
        if not dirty:
            return
        handed = [domain.hand_over() for domain in dirty]
        works = await self._patiently(lambda: self._seed_roots.drop_outside(handed))
        if self._seen is not None:
            works = await drop_seen(works, self._seen)
        self._batches += 1
        batch = Batch(
            number=self._batches,
            run_id=self._run.id,
            worker_id=self._worker_id,
            lease_s=self._settings.worker.lease_s,
            works=works,
            refresh=self._settings.refresh,
            vitals=self._heartbeat.take(self._pages + _count_pages(works), self._pool.count_silent()),
            local_failures=self._heartbeat.take_local_failures(),
        )
        failpoints.reach("settle.before")
        settled = await self._patiently(lambda: self._frontier.settle(batch))
        failpoints.reach("settle.after")
        if self._seen is not None:
            self._seen.remember(list_foreign(works, settled.lost))
        self._take_in(settled, dirty)
        now = self._clock.now()
        for domain, work in zip(dirty, works, strict=True):
            if domain.is_held:
                domain.mark_settled(work.visits, settled.expires_at)
                self._pool.settled(domain, now)
        pages = _count_pages(work for work in works if work.lease.domain_id not in settled.lost)
        self._pages += pages
        if self.granted:
            self.granted -= pages
        self._share_out(settled)
        self._pool.lighten(self._domains_bytes)

    async def renew(self) -> None:
        """Prolong all leases, also expired ones that nobody has claimed since."""
        domains = list(self._pool)
        leases = [domain.lease for domain in domains]
        lease_s = self._settings.worker.lease_s
        vitals = self._heartbeat.take(self._pages, self._pool.count_silent())
        settled = await self._patiently(
            lambda: self._frontier.renew(self._worker_id, self._run.id, leases, lease_s, vitals)
        )
        self._take_in(settled, domains)
        for domain in domains:
            domain.lease = replace(domain.lease, expires_at=settled.expires_at)
            self._pool.schedule(domain)
        self._share_out(settled)

    async def release(self) -> None:
        """Give back what is to leave. The pool has forgotten it already."""
        leaving = self._pool.take_given_back()
        # Others of its site come first.
        yields_s = 0.0 if self._settings.politeness.site_gap_s is None else SITE_YIELD_S
        releases = [
            Release(
                lease=domain.lease,
                state=domain.state,
                ready_at=domain.ready_at + yields_s,
                is_parked=domain.is_spent,
            )
            for domain in leaving
        ]
        failpoints.reach("release.before")
        await self._patiently(lambda: self._frontier.release(releases))
        failpoints.reach("release.after")

    async def leave_open(self) -> bool:
        """The worker's part in the run is over. The run goes on while anything is left of it; says whether it
        is over."""
        is_done = (await self.horizon()).next_avail_at is None
        return await self.leave(RunState.DONE if is_done else RunState.PAUSED)

    async def leave(self, state: RunState) -> bool:
        """The worker's part in the run is over; says whether the run is."""
        # One that died a moment ago and held nothing would keep the run open.
        await self.bury_dead()
        return await self._patiently(lambda: self._runs.end_run(self._run.id, state, self._worker_id))

    def _share_out(self, settled: Settled) -> None:
        if settled.share is not None:
            self._pool.shed(settled.share)

    def _take_in(self, settled: Settled, domains: Sequence[LeasedDomain]) -> None:
        """`domains` are those that the store was told about: one may be leased anew by now."""
        self.run_pages = settled.run_pages
        self._hear(settled.run_state)
        for domain in domains:
            if domain.lease.domain_id in settled.lost and domain.is_held:
                log.warning("lease_lost", domain=domain.name)
                self._pool.lose(domain)
        if settled.lost:
            self._admission.forget_sent()

    async def _patiently(self, attempt: Callable[[], Awaitable[T]]) -> T:
        return await self.store_retry.insist(attempt)


def _count_pages(works: Iterable[DomainWork]) -> int:
    return sum(isinstance(visit.outcome, Fetched) for work in works for visit in work.visits)
