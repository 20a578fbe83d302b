"""The loop of a worker: holds leased domains, starts their visits when politeness allows, has them settled.

It is driven by events, not by a task per page: an answer, a finished store operation or a timer calls
`_pump`, which starts whatever may start and sets the next timer. Nothing in here sleeps for a domain.
"""

import asyncio
import contextlib
from collections.abc import Iterator
from typing import Any

from tenax import failpoints
from tenax.clock import Instant
from tenax.crawl.visits.context import RunContext, VisitTools, WorkerMemory
from tenax.crawl.visits.runner import VisitRunner
from tenax.crawl.worker.agenda import Agenda
from tenax.crawl.worker.diagnosis import WatchedParts
from tenax.crawl.worker.loop_guard import LoopGuard
from tenax.crawl.worker.operations import OperationKind, StoreOperation, StoreOperations
from tenax.crawl.worker.self_watch import SelfWatch
from tenax.crawl.worker.store_sync import StoreSync
from tenax.errors import InternalError, TenaxError
from tenax.exits import find_exit
from tenax.records.runs import RunState
from tenax.telemetry import log

ALIVE_EVERY_S = 0.1
# For a worker that ends itself, besides the time for requests in flight: to settle and to give back.
LEAVE_S = 30.0
NO_PARSERS = "The process that runs the parsers of the worker died; run the same command to continue."


class Worker:
    def __init__(
        self, context: RunContext, memory: WorkerMemory, tools: VisitTools, store_sync: StoreSync
    ) -> None:
        self._settings = context.settings
        self._watch = context.watch
        self._clock = context.clock
        self._memory = memory
        self._pool = memory.pool
        self._slots = memory.slots
        self._fetcher = tools.fetcher
        self._store_sync = store_sync
        self._loop = asyncio.get_running_loop()
        self._over: asyncio.Future[RunState] = self._loop.create_future()
        self._operations = StoreOperations(self._loop, on_done=self._on_operation_done, on_error=self._fail)
        self._actions: dict[OperationKind, StoreOperation] = {
            OperationKind.CLAIM: self._find_work,
            OperationKind.REFILL: store_sync.refill,
            OperationKind.SETTLE: store_sync.settle,
            OperationKind.RENEW: store_sync.renew,
            OperationKind.RELEASE: store_sync.release,
            OperationKind.CHECK_RUN: store_sync.check_run,
            OperationKind.CHECK_RULES: store_sync.check_rules,
            OperationKind.GRANT: store_sync.grant,
            OperationKind.RETURN_PAGES: store_sync.return_spare_pages,
            OperationKind.CHECK_NETWORK: memory.blame.network.check,
        }
        self._agenda = Agenda(context, memory, tools.fetcher, store_sync, self._operations)
        self._visit_runner = VisitRunner(context, memory, tools, on_ended=self._pump_soon)
        self._self_watch = SelfWatch(
            WatchedParts(
                context=context,
                memory=memory,
                agenda=self._agenda,
                operations=self._operations,
                store_retry=store_sync.store_retry,
                fetcher=tools.fetcher,
                check_store=store_sync.check_store,
                read_disk=tools.read_disk,
                wake=self._pump_soon,
                end=self._end_itself,
            )
        )
        if tools.parsing is not None:
            tools.parsing.pool.on_gone = lambda: self._end_itself(InternalError(NO_PARSERS))
        self._guard: LoopGuard | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._is_pump_planned = False
        self._is_draining = False

    async def run(self) -> RunState:
        """Crawl until nothing is left, the budget is used up, the run is paused, or `stop` is called."""
        # A callback that raises ends the run; it would hang otherwise.
        self._loop.set_exception_handler(self._on_broken_callback)
        with self._guarded():
            ticker = self._loop.create_task(self._tick())
            ticker.add_done_callback(self._on_tick_ended)
            self._pump()
            try:
                return await self._over
            finally:
                self._self_watch.stop()
                await self._drain()
                ticker.cancel()
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
        self._memory.blame.network.note_silence(self._slots.is_silent, now)
        self._start_ready(now)
        for kind in self._agenda.iter_due(now):
            self._operations.start(kind, self._actions[kind])
        if self._store_sync.run_state is not RunState.RUNNING:
            self._end(self._store_sync.run_state)
        elif self._memory.budget.is_used_up:
            self._end(RunState.BUDGET)
        self._set_timer(now)

    def _start_ready(self, now: Instant) -> None:
        if failpoints.is_reached("schedule.lost"):
            return
        while self._agenda.has_room():
            domain = self._pool.pop_ready(now, self._slots.list_open())
            if domain is None:
                return
            if now >= domain.lease.expires_at:
                # The process was stopped for longer than a lease: another worker may have the domain. The
                # renewal finds out, and schedules it again.
                self._store_sync.request_renewal()
                continue
            self._note_alive(now)
            self._visit_runner.start_next(domain, now)

    def _set_timer(self, now: Instant) -> None:
        if self._timer is not None:
            self._timer.cancel()
        # Never in a busy loop: an active operation pumps when it is done.
        wait_s = max(self._agenda.find_next_at(now) - now, 0.001)
        self._timer = self._loop.call_later(wait_s, self._pump_soon)

    def _on_operation_done(self, kind: OperationKind) -> None:
        if kind is OperationKind.SETTLE and not self._memory.unsettled.is_heavy:
            self._fetcher.resume()
        elif kind is OperationKind.RELEASE:
            self._agenda.note_release()
        self._pump_soon()

    async def _tick(self) -> None:
        """Note that the process is alive, even while a request is slow to leave it."""
        is_watched = self._settings.watchdog.enabled
        while True:
            self._note_alive(self._clock.now())
            if self._guard is not None:
                self._guard.beat()
            if is_watched and not self._is_draining:
                self._self_watch.tick(ALIVE_EVERY_S)
            await asyncio.sleep(ALIVE_EVERY_S)

    def _on_tick_ended(self, ticker: asyncio.Task[None]) -> None:
        if not ticker.cancelled() and (error := ticker.exception()) is not None:
            self._fail(error)

    @contextlib.contextmanager
    def _guarded(self) -> Iterator[None]:
        watchdog = self._settings.watchdog
        if not watchdog.enabled:
            yield
            return
        with LoopGuard(watchdog.blocked_s, self._watch.note_exit) as self._guard:
            yield

    def _end_itself(self, error: TenaxError) -> None:
        """Give everything back and leave: another process continues."""
        log.error("worker_ends_itself", code=int(find_exit(error)), reason=str(error))
        if self._guard is not None:
            self._guard.exit_within(self._settings.worker.drain_s + LEAVE_S, find_exit(error))
        self._fail(error)

    def _note_alive(self, now: Instant) -> None:
        # Until the next note it may send a request: a successor counts its rest from then.
        self._watch.note_alive(now + ALIVE_EVERY_S)

    # --- work, and the end of it -------------------------------------------------------------------

    async def _find_work(self) -> None:
        """Claim more domains. Without any, and with nothing in flight, find out whether the run is over."""
        claimed = await self._store_sync.claim(self._agenda.count_claimable())
        self._agenda.note_claim(claimed, self._clock.now())
        if not claimed and not self._is_working():
            await self._store_sync.return_pages(self._memory.budget.granted)
            await self._end_if_done()

    def _is_working(self) -> bool:
        return bool(
            len(self._pool)
            or self._is_in_flight()
            or self._pool.has_given_back
            or OperationKind.RELEASE in self._operations
        )

    def _is_in_flight(self) -> bool:
        return self._slots.in_flight > 0 or self._visit_runner.is_reading

    async def _end_if_done(self) -> None:
        horizon = await self._store_sync.horizon()
        if self._memory.budget.max_pages is not None:
            # Learn what other workers have used of the budget: a run that has reached it ends for that.
            await self._store_sync.renew()
        if self._is_working() or self._memory.budget.is_used_up:
            return
        if horizon.next_avail_at is None or (
            not horizon.is_leased_elsewhere and await self._is_far(horizon.next_avail_at)
        ):
            if await self._store_sync.find_more():
                self._agenda.claim_soon()
            else:
                self._end(RunState.DONE)

    async def _is_far(self, next_avail_at: Instant) -> bool:
        """Whether the next url is due later than a run waits. It does not wait as long for a url that has
        failed as for the rest of a site."""
        settings, now = self._settings.politeness, self._clock.now()
        longest_at, retry_at = now + settings.longest_wait_s, now + settings.retry_wait[0]
        if next_avail_at > longest_at:
            return True
        return next_avail_at > retry_at and not await self._store_sync.has_untried(longest_at)

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
        self._visit_runner.stop_reading()
        if self._timer is not None:
            self._timer.cancel()
        self._store_sync.store_retry.hurry(self._settings.worker.drain_s)
        deadline = self._loop.time() + self._settings.worker.drain_s
        while self._is_in_flight() and self._loop.time() < deadline:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
        await self._operations.wait()
        await self._store_sync.settle()
        self._pool.give_back_all()
        if self._pool.has_given_back:
            await self._store_sync.release()
