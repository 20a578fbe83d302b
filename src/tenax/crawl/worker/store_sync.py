"""Keeps a worker in step with the store: claim, refill, settle, renew, release. One of each at a time."""

import random
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from tenax import failpoints
from tenax.clock import Instant
from tenax.coordination.base import SeenFilter
from tenax.crawl.domains.guesser import Guesser
from tenax.crawl.domains.known_keys import KEY_BYTES
from tenax.crawl.domains.leased_domain import LeasedDomain
from tenax.crawl.domains.merger import Merger
from tenax.crawl.visits.admission import Admission
from tenax.crawl.visits.context import RunContext, WorkerMemory
from tenax.crawl.visits.seen import drop_seen, list_foreign
from tenax.crawl.visits.sitemap_naming import SitemapNaming
from tenax.crawl.worker.body_keeper import BodyKeeper, Places
from tenax.crawl.worker.dead_workers import remove_dead_workers
from tenax.crawl.worker.heartbeat import Heartbeat
from tenax.crawl.worker.seed_roots import SeedRoots
from tenax.crawl.worker.store_retry import StoreRetry
from tenax.crawl.worker.user_decisions import apply_rules, apply_traps
from tenax.record import record
from tenax.records.runs import RunState
from tenax.records.sitemaps import SitemapState
from tenax.records.visits import Fetched
from tenax.stores.backend import Stores
from tenax.stores.contracts.batches import Batch, DomainWork, QueueHead, Release, Settled
from tenax.stores.contracts.overview import RemainingWork
from tenax.telemetry import log

T = TypeVar("T")

TYPICAL_DOMAIN_BYTES = 30_000
SITE_YIELD_S = 1.0
DEAD_WORKERS_EVERY_S = 2.0
DRY_REST_S = 0.5  # until the next request for pages of the budget


@record
class UrlIntake:
    """Where a run's urls come from, and which are let in."""

    admission: Admission
    naming: SitemapNaming
    seed_roots: SeedRoots
    find_more: Callable[[], Awaitable[bool]]  # see Opener.find_more
    seen: SeenFilter | None  # shared by the workers of a store
    merger: Merger | None  # where there are merge rules
    guesser: Guesser | None = None  # where archives or pages of lists are guessed


class StoreSync:
    """The only part of a worker that talks to the store. Waits out trouble with it, and reports it."""

    def __init__(
        self,
        context: RunContext,
        stores: Stores,
        memory: WorkerMemory,
        intake: UrlIntake,
        heartbeat: Heartbeat,
        bodies: BodyKeeper | None = None,
    ) -> None:
        """`bodies`: None if the run stores none."""
        self._context = context
        self._settings = context.settings
        self._clock = context.clock
        self._frontier = stores.frontier
        self._runs = stores.runs
        self._sitemaps = stores.sitemaps
        self._memory = memory
        self._pool = memory.pool
        self._budget = memory.budget
        self._intake = intake
        self._heartbeat = heartbeat
        self._bodies = bodies
        self._batches = 0
        self._pages = 0  # settled
        self._is_empty_handed = False  # the last claim brought nothing while the pool was empty
        self._dead_removed_at: Instant = 0.0
        now = self._clock.now()
        self.run_state = context.run.state
        self.run_checked_at = now
        self.rules_checked_at = now  # of leased domains
        self.renewed_at = now
        # What the last renewal said: whether this machine is short of something, and this worker stalled.
        self.reported = (False, False)
        self.store_retry = StoreRetry(
            self._clock, self._settings.worker.disk_full_wait_s, lambda: memory.blame.network.is_waiting
        )

    # --- domains -----------------------------------------------------------------------------------

    async def claim(self, limit: int) -> int:
        """Lease more domains; returns how many came and stay."""
        now = self._clock.now()
        if now >= self._dead_removed_at + DEAD_WORKERS_EVERY_S:
            self._dead_removed_at = now
            await self._remove_dead_workers()
        claimed = await self._claim(limit)
        fair_share = self._memory.fair_share
        if fair_share.is_limited:
            can_claim = not claimed and (await self.horizon()).can_claim
            fair_share.note_claim(claimed=claimed, limit=limit, can_claim=can_claim)
        return claimed

    async def _claim(self, limit: int) -> int:
        worker, domains_bytes = self._settings.worker, self._context.memory.domains
        room = domains_bytes - self._pool.weight_bytes
        # At a second per request, a worker is as fast as it has domains; known keys only save some work.
        room += self._pool.forget_known(limit * TYPICAL_DOMAIN_BYTES - room)
        limit = min(limit, room // TYPICAL_DOMAIN_BYTES)
        if limit <= 0:
            return 0
        # Reading costs the busy workers nothing; a claim takes the store's only write lock, even if it fails.
        if self._is_empty_handed and not (await self.horizon()).can_claim:
            return 0
        failpoints.reach("claim.before")
        leases = await self._retry(
            lambda: self._frontier.claim(
                self._context.worker_id,
                self._context.run.id,
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
        now, has_parsers = self._clock.now(), self._context.has_parsers
        limits = (worker.queue_head, (room - limit * TYPICAL_DOMAIN_BYTES) // KEY_BYTES)
        loaded = await self._retry(lambda: self._frontier.load(leases, *limits, has_parsers=has_parsers))
        domains = [LeasedDomain(each, self._settings, now, random.random()) for each in loaded]
        if (merger := self._intake.merger) is not None:
            await self._retry(lambda: merger.begin(domains))
        if (guesser := self._intake.guesser) is not None:
            await self._retry(lambda: guesser.begin(domains))
        self._memory.activity.actions += 1
        for domain in domains:
            if missing := self._intake.naming.list_missing(domain):
                domain.found += missing
                self._memory.unsettled.add()
            self._pool.add(domain, now)
        self._pool.lighten(domains_bytes)
        return sum(domain.is_held for domain in domains)

    async def _refresh_scope(self, claimed: Iterable[str]) -> None:
        """Apply seeds that were added since, and learn whether the domains in the pool are in scope."""
        seed_roots = self._intake.seed_roots
        if await self._retry(seed_roots.refresh):
            self._intake.admission.forget_sent()
        domains = [*claimed, *(domain.name for domain in self._pool)]
        await self._retry(lambda: seed_roots.hold(domains))

    async def refill(self) -> None:
        """Load more urls for domains whose queue is empty."""
        hungry = self._pool.start_refill()
        in_hand = [domain.list_in_hand() for domain in hungry]
        head = self._settings.worker.queue_head
        wanted = [(domain.lease.domain_id, head + len(domain.taken)) for domain in hungry]
        heads = await self._retry(lambda: self._frontier.heads(wanted, has_parsers=self._context.has_parsers))
        if (merger := self._intake.merger) is not None:
            found_heads = heads
            heads = await self._retry(lambda: merger.mark(hungry, found_heads))
        await self._search_archives(hungry, heads)
        now = self._clock.now()
        for domain, before, found in zip(hungry, in_hand, heads, strict=True):
            if domain.is_held:
                domain.refill(found, before)
                self._pool.end_refill(domain, now)

    async def _search_archives(self, domains: Sequence[LeasedDomain], heads: Sequence[QueueHead]) -> None:
        guesser = self._intake.guesser
        if guesser is not None and await self._retry(lambda: guesser.search(domains, heads)):
            # Their domains can only go on when what was guessed is in the store.
            self._memory.unsettled.is_urgent = True

    async def renew(self) -> None:
        """Prolong all leases, including expired ones that no other worker has claimed since."""
        self.renewed_at = self._clock.now()
        self.reported = (self._memory.blame.is_short, self._memory.activity.stall is not None)
        domains = list(self._pool)
        leases = [domain.lease for domain in domains]
        vitals = self._heartbeat.take(self._pages, self._pool.count_silent())
        context, lease_s = self._context, self._settings.worker.lease_s
        settled = await self._retry(
            lambda: self._frontier.renew(context.worker_id, context.run.id, leases, lease_s, vitals)
        )
        self._apply(settled, domains)
        for domain in domains:
            domain.lease = replace(domain.lease, expires_at=settled.expires_at)
            self._pool.schedule(domain)
        self._share_out(settled)

    def request_renewal(self) -> None:
        """A lease has expired: renew at once."""
        self.renewed_at = 0.0

    async def release(self) -> None:
        """Give domains back. The pool has forgotten them already."""
        # Other domains of the same site come first.
        yields_s = 0.0 if self._settings.politeness.site_gap_s is None else SITE_YIELD_S
        releases = [
            Release(
                lease=domain.lease,
                state=domain.state,
                ready_at=domain.ready_at + yields_s,
                is_parked=domain.is_spent,
            )
            for domain in self._pool.take_given_back()
        ]
        failpoints.reach("release.before")
        await self._retry(lambda: self._frontier.release(releases))
        self._memory.activity.actions += 1
        failpoints.reach("release.after")

    # --- visits --------------------------------------------------------------------------------------

    async def settle(self) -> None:
        """Make everything durable that has ended."""
        self._memory.unsettled.begin_settling(self._clock.now())
        dirty = [domain for domain in self._pool if domain.is_dirty]
        if dirty:
            await self._settle(dirty)
        self._memory.unsettled.end_settling(self._clock.now())

    async def _settle(self, dirty: Sequence[LeasedDomain]) -> None:
        seen = self._intake.seen
        handed = [domain.hand_over() for domain in dirty]
        works = await self._retry(lambda: self._intake.seed_roots.drop_outside(handed))
        if seen is not None:
            works = await drop_seen(works, seen)
        bodies = self._bodies
        places = None if bodies is None else await self._retry(lambda: bodies.write(works))
        batch = self._build_batch(works, places)
        failpoints.reach("settle.before")
        settled = await self._retry(lambda: self._frontier.settle(batch))
        failpoints.reach("settle.after")
        if bodies is not None:
            await self._retry(bodies.end_batch)
        self._memory.activity.actions += 1
        if seen is not None:
            seen.remember(list_foreign(works, settled.lost))
        self._apply(settled, dirty)
        now = self._clock.now()
        for domain, work in zip(dirty, works, strict=True):
            if domain.is_held:
                domain.mark_settled(work.visits, settled.expires_at, work.slowed)
                self._pool.settled(domain, now)
                await self._adopt_learned(domain)
        pages = _count_pages(work for work in works if work.lease.domain_id not in settled.lost)
        self._pages += pages
        if self._budget.granted:
            self._budget.granted -= pages
        self._share_out(settled)
        self._pool.lighten(self._context.memory.domains)

    async def _adopt_learned(self, domain: LeasedDomain) -> None:
        """A merge rule was learned and is stored: the domain is given back, and leased anew with the rule."""
        merger = self._intake.merger
        if merger is not None and domain.guard is not None and domain.guard.has_learned:
            await self._retry(lambda: merger.classify(domain))
            if domain.is_held:
                self._pool.drain(domain)

    async def find_sitemap(self, url_id: int) -> SitemapState:
        """What is known of a sitemap that is about to be read."""
        return await self._retry(lambda: self._sitemaps.find_state(url_id))

    def _build_batch(self, works: Sequence[DomainWork], places: Places | None) -> Batch:
        self._batches += 1
        return Batch(
            number=self._batches,
            run_id=self._context.run.id,
            worker_id=self._context.worker_id,
            lease_s=self._settings.worker.lease_s,
            works=works,
            refresh=self._settings.refresh,
            similarity=self._settings.similarity,
            vitals=self._heartbeat.take(self._pages + _count_pages(works), self._pool.count_silent()),
            local_failures=self._heartbeat.take_local_failures(),
            new_urls_per_s=self._settings.limits.new_urls_per_s,
            has_parsers=self._context.has_parsers,
            places=places,
        )

    # --- the run ---------------------------------------------------------------------------------------

    async def check_store(self) -> None:
        """The cheapest query there is, once: it tells whether the store answers."""
        await self._runs.find_state(self._context.run.id)

    async def check_run(self) -> None:
        """Learn the state of the run, without taking the store's write lock."""
        self._note_run_state(await self._retry(lambda: self._runs.find_state(self._context.run.id)))

    async def check_rules(self) -> None:
        """Apply rules of leased domains that a user has changed, without taking the store's write lock."""
        self.rules_checked_at = self._clock.now()
        worker_id = self._context.worker_id
        rules = await self._retry(lambda: self._frontier.list_rules(worker_id))
        apply_rules(self._pool, rules, self._clock.now())
        if self._settings.traps.enabled:
            traps = await self._retry(lambda: self._frontier.list_decided_traps(worker_id))
            apply_traps(self._pool, traps)

    async def grant(self) -> None:
        """Have pages of the run's budget set aside, as far as other workers leave any."""
        limit = self._budget.max_pages
        if limit is None:
            return
        # What the pool can use in one round: more would be kept from other workers.
        per_round = sum(domain.settings.politeness.per_domain for domain in self._pool)
        wanted = min(per_round, self._settings.worker.batch_pages)
        context = self._context
        grant = await self._retry(lambda: self._runs.grant(context.worker_id, context.run.id, wanted, limit))
        self._budget.granted += grant.pages
        self._budget.is_dry = not grant.pages
        self._budget.run_pages = grant.run_pages
        self._note_run_state(grant.run_state)
        if self._budget.is_dry:
            self._budget.next_grant_at = self._clock.now() + DRY_REST_S

    async def return_pages(self, pages: int) -> None:
        """Leave this many granted pages to other workers: there is nothing here to spend them on."""
        self._budget.granted -= pages
        if pages:
            await self._retry(lambda: self._runs.return_pages(self._context.worker_id, pages))

    async def return_spare_pages(self) -> None:
        """Return what is left when everything has started that can: other workers may have pages to fetch,
        while this one waits for silent domains."""
        self._budget.has_spare = False
        pages = max(self._budget.count_left(self._memory.unsettled.possible_pages), 0)
        if pages:
            self._budget.next_grant_at = self._clock.now() + 2 * DRY_REST_S
            await self.return_pages(pages)

    async def horizon(self) -> RemainingWork:
        return await self._retry(lambda: self._frontier.horizon(self._context.worker_id))

    async def has_untried(self, before: Instant) -> bool:
        return await self._retry(lambda: self._frontier.has_untried(before))

    async def find_more(self) -> bool:
        """The frontier is empty: whether other crawls have left anything for this run."""
        return await self._retry(self._intake.find_more)

    async def seal_bodies(self) -> None:
        """Everything is settled: no other worker has to take over the segment."""
        if self._bodies is not None:
            await self._retry(self._bodies.seal)

    async def leave_open(self) -> bool:
        """End the worker's part in the run. The run goes on while anything is left of it; returns whether it
        is over."""
        is_done = (await self.horizon()).next_avail_at is None
        return await self.leave(RunState.DONE if is_done else RunState.PAUSED)

    async def leave(self, state: RunState) -> bool:
        """End the worker's part in the run; returns whether the run is over."""
        # A worker that died a moment ago and held nothing would keep the run open.
        await self._remove_dead_workers()
        context = self._context
        return await self._retry(lambda: self._runs.end_run(context.run.id, state, context.worker_id))

    async def _remove_dead_workers(self) -> None:
        await self._retry(lambda: remove_dead_workers(self._context.watch, self._runs))

    def _note_run_state(self, state: RunState) -> None:
        self.run_state = state
        self.run_checked_at = self._clock.now()

    def _share_out(self, settled: Settled) -> None:
        if settled.share is not None:
            self._pool.shed(settled.share)

    def _apply(self, settled: Settled, domains: Sequence[LeasedDomain]) -> None:
        """`domains`: those that were sent to the store. One may have been leased again by now."""
        self._budget.run_pages = settled.run_pages
        self._note_run_state(settled.run_state)
        for domain in domains:
            if domain.lease.domain_id in settled.lost and domain.is_held:
                log.warning("lease_lost", domain=domain.name)
                self._pool.lose(domain)
        if settled.lost:
            self._intake.admission.forget_sent()

    async def _retry(self, attempt: Callable[[], Awaitable[T]]) -> T:
        return await self.store_retry.run(attempt)


def _count_pages(works: Iterable[DomainWork]) -> int:
    return sum(isinstance(visit.outcome, Fetched) for work in works for visit in work.visits)
