"""A worker: holds leased domains, has them visited when politeness allows, settles what ends.

It is driven by events, not by a task per page: an answer, a finished store operation or a timer calls
`_pump`, which starts whatever may start and plans the next timer. Nothing in here sleeps for a domain.
"""

import asyncio
from typing import Any

from tenax.clock import Clock, Instant
from tenax.config import Settings
from tenax.crawl.domains.fair_share import FairShare
from tenax.crawl.domains.pool import Pool
from tenax.crawl.tally import WorkerTally
from tenax.crawl.visits.headroom import Headroom
from tenax.crawl.visits.outcome import OutcomeBuilder
from tenax.crawl.visits.robots_fetch import RobotsFetch
from tenax.crawl.visits.runner import VisitRunner
from tenax.crawl.visits.slots import Slots
from tenax.crawl.visits.unsettled import UnsettledVisits
from tenax.crawl.worker.operations import StoreOperations
from tenax.crawl.worker.store_sync import StoreSync
from tenax.fetch.base import Fetcher
from tenax.policy.memory import MemoryPlan
from tenax.records import RunState
from tenax.stores.base import SignOfLife
from tenax.telemetry import log
from tenax.tracing import Tracer

DOMAINS_PER_SLOT = 10
FIRST_CLAIM = 8
CLAIM_LIMIT = 64
LEAST_POLL_S = 0.05
IDLE_POLL_S = 0.5
BURY_EVERY_S = 2.0
# Somebody who pauses a run or changes the rules of a domain expects that to hold soon, also while everything
# waits for politeness.
LOOK_EVERY_S = 1.0
ALIVE_EVERY_S = 0.1
NEWS_S = 1.0


class Worker:
    def __init__(
        self,
        *,
        settings: Settings,
        memory: MemoryPlan,
        headroom: Headroom,
        store_sync: StoreSync,
        pool: Pool,
        fetcher: Fetcher,
        visitor: OutcomeBuilder,
        robots_fetch: RobotsFetch,
        tally: WorkerTally,
        watch: SignOfLife,
        clock: Clock,
        tracer: Tracer | None = None,
    ) -> None:
        self._settings = settings
        self._memory = memory
        self._headroom = headroom
        self._store_sync = store_sync
        self._pool = pool
        self._fetcher = fetcher
        self._watch = watch
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self._over: asyncio.Future[RunState] = self._loop.create_future()
        self._operations = StoreOperations(self._loop, on_done=self._pump_soon, on_error=self._fail)
        self._timer: asyncio.TimerHandle | None = None
        self._is_pump_planned = False
        self._is_draining = False
        now = clock.now()
        self._backlog = UnsettledVisits(settings.worker, memory.results, now)
        self._turns = FairShare(settings.limits.max_pages)
        concurrency = min(settings.worker.concurrency, headroom.full)
        if concurrency < settings.worker.concurrency:
            log.warning("concurrency_capped", wanted=settings.worker.concurrency, concurrency=concurrency)
        self._slots = Slots(concurrency, memory.waits, most_waiting=headroom.full - concurrency)
        self._visit_runner = VisitRunner(
            settings=settings,
            pool=pool,
            slots=self._slots,
            fetcher=fetcher,
            visitor=visitor,
            robots_fetch=robots_fetch,
            tally=tally,
            headroom=headroom,
            backlog=self._backlog,
            turns=self._turns,
            clock=clock,
            count_run_pages=lambda: store_sync.run_pages,
            on_ended=self._pump_soon,
            tracer=tracer,
        )
        self._renewed_at: Instant = now
        self._told_short = False
        self._next_claim_at: Instant = 0.0
        self._poll_s = LEAST_POLL_S
        self._next_grant_at: Instant = 0.0
        self._buried_at: Instant = 0.0

    async def run(self) -> RunState:
        """Crawl until nothing is left, the budget is used up, the run is paused, or `stop` is called."""
        # A callback that breaks a promise ends the run; it would hang otherwise.
        self._loop.set_exception_handler(self._on_broken_callback)
        ticker = self._loop.create_task(self._tick())
        self._pump()
        try:
            return await self._over
        finally:
            ticker.cancel()
            await self._drain()
            self._loop.set_exception_handler(None)

    def stop(self) -> None:
        """Start nothing more; `run` returns when what runs has ended and is durable."""
        self._end(RunState.STOPPED)

    @property
    def in_flight(self) -> int:
        return self._slots.in_flight

    # --- the pump --------------------------------------------------------------------------------

    def _pump_soon(self) -> None:
        if not self._is_pump_planned:
            self._is_pump_planned = True
            self._loop.call_soon(self._pump)

    def _pump(self) -> None:
        self._is_pump_planned = False
        if self._is_draining:
            return
        now = self._clock.now()
        self._slots.sweep()
        self._start_ready(now)
        self._run_operations(now)
        self._plan_timer(now)

    def _start_ready(self, now: Instant) -> None:
        while self._has_room():
            domain = self._pool.pop_ready(now, self._slots.list_open())
            if domain is None:
                return
            if now >= domain.lease.expires_at:
                # The process was stopped for longer than a lease: somebody else may be asking the domain.
                # The renewal will tell, and puts it back into its place.
                self._renewed_at = 0.0
                continue
            self._note_alive(now)
            self._visit_runner.start_next(domain, now)

    def _has_room(self) -> bool:
        return self._can_go_on() and self._run_pages_left() > 0

    def _can_go_on(self) -> bool:
        """Whatever more it finds, it can keep."""
        return (
            self._slots.in_flight < self._headroom.limit
            and not self._backlog.is_too_long
            and self._held_bytes() < self._memory.bodies + self._memory.results
            and self._store_sync.store_retry.trouble is None
        )

    def _may_claim(self) -> bool:
        # Without pages to spend, more domains would only be kept from others.
        is_stuck = self._store_sync.is_dry and self._run_pages_left() <= 0 and len(self._pool) > 0
        return self._slots.has_work_room and self._can_go_on() and not is_stuck

    def _wants_pages(self) -> bool:
        return self._run_pages_left() <= 0 and len(self._pool) > 0

    def _held_bytes(self) -> int:
        """Of answers that are coming in and of what was made of them."""
        return self._fetcher.held_bytes + self._backlog.bytes

    def _run_operations(self, now: Instant) -> None:
        if self._wants_settling(now):
            self._operations.start("settle", self._settle)
        if self._pool.has_hungry:
            self._operations.start("refill", self._store_sync.refill)
        if self._pool.has_given_back:
            self._operations.start("release", self._release)
        if now >= self._renew_at():
            self._operations.start("renew", self._renew)
        if now >= self._store_sync.heard_at + LOOK_EVERY_S:
            self._operations.start("look", self._store_sync.look)
        if len(self._pool) and now >= self._store_sync.rules_heard_at + LOOK_EVERY_S:
            self._operations.start("rules", self._store_sync.look_at_rules)
        if now >= self._next_claim_at and self._may_claim():
            self._operations.start("claim", self._claim)
        if now >= self._next_grant_at and self._wants_pages():
            self._operations.start("grant", self._grant)
        if self._visit_runner.has_spared and self._settings.limits.max_pages is not None:
            self._operations.start("return", self._return_pages)
        if self._store_sync.run_state is not RunState.RUNNING:
            self._end(self._store_sync.run_state)
        elif self._is_budget_used():
            self._end(RunState.BUDGET)

    def _renew_at(self) -> Instant:
        """A heartbeat comes with it: who looks on is to hear soon that the machine is short of something."""
        is_news = self._headroom.is_short != self._told_short
        return self._renewed_at + (NEWS_S if is_news else self._settings.worker.lease_s / 3)

    def _wants_settling(self, now: Instant) -> bool:
        if "settle" in self._operations or self._backlog.is_empty:
            return False
        # Only what is settled brings pages of the budget back.
        return self._store_sync.is_dry or self._backlog.is_due(now, self._settle_at())

    def _settle_at(self) -> Instant:
        return self._backlog.due_at(self._pool.next_commit_at(), is_busy=self._slots.is_busy)

    def _plan_timer(self, now: Instant) -> None:
        instants = [self._renew_at()]
        if "look" not in self._operations:
            instants.append(self._store_sync.heard_at + LOOK_EVERY_S)
        if len(self._pool) and "rules" not in self._operations:
            instants.append(self._store_sync.rules_heard_at + LOOK_EVERY_S)
        if not self._backlog.is_empty and "settle" not in self._operations:
            instants.append(self._settle_at())
        if self._may_claim() and "claim" not in self._operations:
            instants.append(self._next_claim_at)
        if self._wants_pages() and "grant" not in self._operations:
            instants.append(self._next_grant_at)
        if (paused_until := self._headroom.paused_until) is not None and paused_until > now:
            instants.append(paused_until)
        if self._has_room():
            if (ready_at := self._pool.next_ready_at(self._slots.list_open())) is not None:
                instants.append(ready_at)
            if (sweep_s := self._slots.find_sweep_s()) is not None:
                instants.append(now + sweep_s)
        if self._timer is not None:
            self._timer.cancel()
        # Never in a busy loop: an errand under way will pump when it is done.
        wait_s = max(min(instants) - now, 0.001)
        self._timer = self._loop.call_later(wait_s, self._pump_soon)

    async def _tick(self) -> None:
        """Note that the process lives, also while a request is slow to leave it."""
        while True:
            self._note_alive(self._clock.now())
            await asyncio.sleep(ALIVE_EVERY_S)

    def _note_alive(self, now: Instant) -> None:
        # Until it notes again it may send a request: a successor counts its rest from then.
        self._watch.note_alive(now + ALIVE_EVERY_S)

    # --- errands ---------------------------------------------------------------------------------

    async def _settle(self) -> None:
        self._backlog.begin_settling(self._clock.now())
        await self._store_sync.settle()
        self._backlog.end_settling(self._clock.now())
        if not self._backlog.is_heavy:
            self._fetcher.resume()

    async def _release(self) -> None:
        await self._store_sync.release()
        if not len(self._pool):
            # Perhaps this was the last of all: see at once whether anything is left.
            self._next_claim_at = 0.0
            self._poll_s = LEAST_POLL_S

    async def _renew(self) -> None:
        self._renewed_at = self._clock.now()
        self._told_short = self._headroom.is_short
        await self._store_sync.renew()

    async def _claim(self) -> None:
        now = self._clock.now()
        if now >= self._buried_at + BURY_EVERY_S:
            self._buried_at = now
            await self._store_sync.bury_dead()
        concurrency, held = self._settings.worker.concurrency, len(self._pool)
        # Those that do not answer leave nothing to do: they take nobody's place.
        room = concurrency * DOMAINS_PER_SLOT - held + min(self._pool.count_slow(), self._slots.most_waiting)
        # Few at first, then as many again: those who start at the same moment find their share untaken.
        limit = min(max(FIRST_CLAIM, held), CLAIM_LIMIT, concurrency, room)
        claimed = await self._store_sync.claim(limit) if limit > 0 else 0
        if self._turns.matter:
            can_claim = not claimed and (await self._store_sync.horizon()).can_claim
            self._turns.note_claim(claimed=claimed, limit=limit, can_claim=can_claim)
        if claimed:
            self._poll_s = LEAST_POLL_S
            return
        self._next_claim_at = self._clock.now() + self._poll_s
        self._poll_s = min(2 * self._poll_s, IDLE_POLL_S)
        if not self._is_working():
            await self._store_sync.return_pages(self._store_sync.granted)
            await self._end_if_done()

    async def _grant(self) -> None:
        limit = self._settings.limits.max_pages
        if limit is None:
            return
        # What the domains in hand can use in one round: more would be kept from others.
        wanted = sum(domain.settings.politeness.per_domain for domain in self._pool)
        await self._store_sync.grant(min(wanted, self._settings.worker.batch_pages), limit)
        if self._store_sync.is_dry:
            self._next_grant_at = self._clock.now() + IDLE_POLL_S

    async def _return_pages(self) -> None:
        """What is left when all has started that can is for whoever asks first: perhaps others have pages to
        fetch, while this worker waits for silent domains."""
        self._visit_runner.has_spared = False
        pages = max(self._run_pages_left(), 0)
        if pages:
            self._next_grant_at = self._clock.now() + 2 * IDLE_POLL_S
            await self._store_sync.return_pages(pages)

    def _is_working(self) -> bool:
        return bool(
            len(self._pool)
            or self._is_under_way()
            or self._pool.has_given_back
            or "release" in self._operations
        )

    def _is_under_way(self) -> bool:
        return self._slots.in_flight > 0 or self._visit_runner.is_reading

    async def _end_if_done(self) -> None:
        horizon = await self._store_sync.horizon()
        if self._settings.limits.max_pages is not None:
            # Hear what other workers have used of the budget: a run that has reached it ends for that.
            await self._store_sync.renew()
        if self._is_working() or self._is_budget_used():
            return
        if horizon.next_avail_at is None or (
            not horizon.is_leased_elsewhere and await self._is_far(horizon.next_avail_at)
        ):
            if await self._store_sync.find_more():
                self._next_claim_at = 0.0
            else:
                self._end(RunState.DONE)

    async def _is_far(self, next_avail_at: Instant) -> bool:
        """Whether the next url is wanted later than a run waits. One that has failed is not worth the wait
        that the rest of a site is."""
        settings, now = self._settings.politeness, self._clock.now()
        longest_at, retry_at = now + settings.longest_wait_s, now + settings.retry_patience[0]
        if next_avail_at > longest_at:
            return True
        return next_avail_at > retry_at and not await self._store_sync.has_untried(longest_at)

    # --- budgets and the end ---------------------------------------------------------------------

    def _run_pages_left(self) -> int:
        limit = self._settings.limits.max_pages
        if limit is None:
            return 1
        return self._store_sync.granted - self._backlog.pages - self._visit_runner.visits

    def _is_budget_used(self) -> bool:
        limit = self._settings.limits.max_pages
        return limit is not None and self._store_sync.run_pages >= limit

    def _end(self, state: RunState) -> None:
        self._is_draining = True
        if not self._over.done():
            self._over.set_result(state)

    def _on_broken_callback(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if (error := context.get("exception")) is not None:
            self._fail(error)

    def _fail(self, error: BaseException) -> None:
        self._is_draining = True
        if not self._over.done():
            self._over.set_exception(error)

    async def _drain(self) -> None:
        """Let running requests end, make everything durable, give every domain back."""
        self._is_draining = True
        if self._timer is not None:
            self._timer.cancel()
        store_retry = self._store_sync.store_retry
        store_retry.limit_s = min(store_retry.limit_s, self._settings.worker.drain_s)
        deadline = self._loop.time() + self._settings.worker.drain_s
        while self._is_under_way() and self._loop.time() < deadline:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
        await self._operations.wait()
        await self._store_sync.settle()
        self._pool.give_back_all()
        if self._pool.has_given_back:
            await self._store_sync.release()
