"""One process's part in a run: opens it, seeds it, lets a worker crawl, closes it."""

import contextlib
import os
import socket
from collections.abc import Collection, Sequence
from functools import partial

from tenax.clock import Clock
from tenax.config.settings import Settings
from tenax.coordination.base import Coordination
from tenax.crawl.domains.merger import Merger
from tenax.crawl.domains.pool import Pool
from tenax.crawl.insight.doctor import diagnose
from tenax.crawl.insight.live_report import LiveReporter
from tenax.crawl.insight.progress import WorkerSnapshot
from tenax.crawl.insight.store_probe import StoreProbe, StoreView
from tenax.crawl.reading.isolation import IsolatedReader, ReaderLimits
from tenax.crawl.run.opening import Opener
from tenax.crawl.tally import WorkerTally
from tenax.crawl.visits.admission import Admission
from tenax.crawl.visits.headroom import Headroom
from tenax.crawl.visits.outcome import OutcomeBuilder
from tenax.crawl.visits.robots_fetch import RobotsFetch
from tenax.crawl.visits.slots import count_slots
from tenax.crawl.worker.heartbeat import Heartbeat, list_breakers
from tenax.crawl.worker.loop import Worker
from tenax.crawl.worker.seed_roots import SeedRoots
from tenax.crawl.worker.store_sync import StoreSync, bury_dead
from tenax.errors import StoreError, TenaxError
from tenax.extract.profile import ExtractionProfile
from tenax.fetch.base import Fetcher
from tenax.policy.memory import plan_memory
from tenax.policy.scope import Scope
from tenax.record import record
from tenax.records.jobs import Recrawl
from tenax.records.runs import RunState
from tenax.stores.contracts.domains import DomainStore
from tenax.stores.contracts.frontier import FrontierStore
from tenax.stores.contracts.merging import MergeStore
from tenax.stores.contracts.overview import Overview, Summary
from tenax.stores.contracts.refresh import RefreshStore
from tenax.stores.contracts.runs import Run, RunStore
from tenax.stores.contracts.seeds import SeedStore
from tenax.stores.contracts.vitals import ServiceBreaker
from tenax.stores.contracts.workers import DeadWorker, SignOfLife
from tenax.telemetry import log
from tenax.tracing import Tracer
from tenax.web.hrefs import Hrefs

NOT_LOOKED = StoreView(overview=None)


@record
class EngineResult:
    """How this process's part in the run ended."""

    run: Run
    state: RunState
    is_run_over: bool  # False: other processes go on, or it is paused


class Engine:
    def __init__(
        self,
        *,
        uuid: str,
        settings: Settings,
        frontier: FrontierStore,
        runs: RunStore,
        refresh: RefreshStore,
        merges: MergeStore,
        domains: DomainStore,
        seeds: SeedStore,
        fetcher: Fetcher,
        watch: SignOfLife,
        coordination: Coordination,
        clock: Clock,
        tracer: Tracer | None = None,
    ) -> None:
        self._uuid = uuid
        self._settings = settings
        self._memory = plan_memory(settings)
        self._frontier = frontier
        self._runs = runs
        self._merges = merges
        self._domains = domains
        self._seeds = seeds
        self._opener = Opener(
            settings=settings,
            frontier=frontier,
            runs=runs,
            refresh=refresh,
            merges=merges,
            seeds=seeds,
            clock=clock,
        )
        self._fetcher = fetcher
        self._watch = watch
        self._coordination = coordination
        self._shared = coordination if coordination.is_shared else None
        self._clock = clock
        self._tracer = tracer
        self._worker: Worker | None = None
        self._store_sync: StoreSync | None = None
        self._pool = Pool()
        self._headroom = Headroom(
            count_slots(settings.worker.concurrency), fetcher.capacity, fetcher.resize, clock
        )
        self._store_probe = StoreProbe(self._ask_store)
        self._is_stopped = False
        self._ends_run = False
        self._seed_roots: SeedRoots | None = None
        self.tally = WorkerTally()
        self._looked_at = -1  # pages, when it was last looked for more

    async def crawl(self, seeds: Sequence[str], *, recrawl: Recrawl = Recrawl.NEW) -> EngineResult:
        """Work on a run until it is over or paused, or `stop` is called. `seeds` are addresses."""
        return await self.work(await self.open(seeds, recrawl=recrawl))

    async def open(self, seeds: Sequence[str], *, recrawl: Recrawl = Recrawl.NEW) -> Run:
        """See Opener.open. Several workers of one crawl leave this to the first of them."""
        self._watch.note_alive(self._clock.now())
        opened = await self._opener.open(seeds, recrawl=recrawl, is_stopped=lambda: self._is_stopped)
        self._seed_roots = opened.seed_roots
        return opened.run

    async def work(self, run: Run, *, reopens: bool = True) -> EngineResult:
        """Be a worker of the run until it is over or paused, or `stop` is called. `reopens` False: one that
        is over by now stays so."""
        self._watch.note_alive(self._clock.now())
        await bury_dead(self._watch, self._runs)
        seed_roots = self._seed_roots or await self._survey()
        worker_id = await self._runs.add_worker(
            run.id,
            self._uuid,
            socket.gethostname(),
            os.getpid(),
            self._settings.worker.lease_s,
            reopens=reopens,
        )
        if worker_id is None:
            state = await self._runs.find_state(run.id)
            return EngineResult(run=run, state=state, is_run_over=state is not RunState.PAUSED)
        log.info("run_joined", run=run.id, worker=self._uuid, resumed=run.is_resumed)
        try:
            admission = Admission(self._build_scope(seed_roots), self._memory.links // 2)
            store_sync = self._store_sync = self._build_store_sync(run, worker_id, admission, seed_roots)
            async with self._build_live_reporter(run), self._build_reader() as reader:
                self._worker = self._build_worker(store_sync, admission, reader)
                if self._is_stopped:
                    self._worker.stop()
                state = await self._worker.run()
            is_left_open = state is RunState.STOPPED and not self._ends_run
            is_over = await (store_sync.leave_open() if is_left_open else store_sync.leave(state))
            if is_over:
                await self._rate_domains(run)
        except BaseException as error:
            log.error("run_failed", run=run.id, worker=self._uuid, exc_info=error)
            await self._give_up(run, worker_id, error)
            raise
        log.info("run_left", run=run.id, worker=self._uuid, state=state, over=is_over)
        return EngineResult(run=run, state=state, is_run_over=is_over)

    async def _rate_domains(self, run: Run) -> None:
        """Who comes first in the next run. If the store cannot do that now, the next end of a run will."""
        try:
            rated = await self._domains.recalculate(run.id)
        except StoreError as error:
            log.warning("domains_not_rated", run=run.id, error=str(error))
        else:
            log.info("domains_rated", run=run.id, domains=rated)

    async def _give_up(self, run: Run, worker_id: int, error: BaseException) -> None:
        """Free what the worker holds. If the store cannot even do that, those who find it dead will. Trouble
        that may pass ends nothing: the run goes on when somebody can work again."""
        may_pass = isinstance(error, TenaxError) and error.is_transient
        remains = DeadWorker(uuid=self._uuid, last_alive_at=self._clock.now(), reading_url_id=None)
        with contextlib.suppress(StoreError):
            await self._runs.bury([remains])
            if not may_pass:
                await self._runs.end_run(run.id, RunState.FAILED, worker_id)

    def stop(self, *, ends_run: bool) -> None:
        """End early: running requests end, everything is made durable. Safe to call at any time, also again.
        `ends_run`: a person wants the run to end, unless others are at it. Otherwise only a process goes
        away, and the run waits for the next one."""
        self._is_stopped = True
        self._ends_run = self._ends_run or ends_run
        if self._worker is not None:
            self._worker.stop()

    async def summarise(self, domains: Collection[str] = ()) -> Summary:
        return await self._frontier.summarise(domains)

    async def look(self, *, at_store: bool) -> WorkerSnapshot:
        """What this worker sees now; of several workers, one that looks at the store is enough."""
        return self._see(await self._store_probe.look() if at_store else NOT_LOOKED)

    async def _ask_store(self) -> Overview:
        settings = self._settings
        return await self._frontier.overview(settings.politeness.delay_s, settings.limits.domain_budget)

    def _see(self, view: StoreView = NOT_LOOKED) -> WorkerSnapshot:
        trouble = self._store_sync.store_retry.trouble if self._store_sync else None
        return WorkerSnapshot(
            tally=self.tally,
            in_flight=self._worker.in_flight if self._worker else 0,
            domains_active=sum(domain.is_busy for domain in self._pool),
            domains_silent=self._pool.count_silent(),
            trouble=trouble or view.trouble,
            waiting_for=self._headroom.trouble
            or diagnose(now=self._clock.now(), pool=self._pool, overview=view.overview),
            notice=self._coordination.trouble,
            breakers=tuple(self._list_breakers()),
            overview=view.overview,
        )

    def _list_breakers(self) -> list[ServiceBreaker]:
        of_store = self._store_sync.store_retry.list_breakers() if self._store_sync else []
        return [*of_store, *list_breakers(self._coordination), *self._headroom.list_breakers()]

    async def _survey(self) -> SeedRoots:
        return await SeedRoots.open(self._seeds, self._settings.scope.kind)

    def _build_scope(self, seed_roots: SeedRoots) -> Scope:
        return Scope.build(self._settings.scope, self._settings.limits, seed_roots.roots)

    def _build_live_reporter(self, run: Run) -> LiveReporter:
        return LiveReporter(
            worker=self._uuid,
            run_id=run.id,
            see=self._see,
            coordination=self._coordination,
            clock=self._clock,
        )

    def _build_store_sync(
        self, run: Run, worker_id: int, admission: Admission, seed_roots: SeedRoots
    ) -> StoreSync:
        return StoreSync(
            run=run,
            worker_id=worker_id,
            settings=self._settings,
            frontier=self._frontier,
            runs=self._runs,
            pool=self._pool,
            domains_bytes=self._memory.domains,
            admission=admission,
            seed_roots=seed_roots,
            watch=self._watch,
            heartbeat=Heartbeat(self._coordination, self._headroom, self._clock),
            clock=self._clock,
            find_more=partial(self._find_more, seed_roots),
            seen=self._shared,
            merger=self._build_merger(admission.scope),
        )

    def _build_reader(self) -> IsolatedReader:
        return IsolatedReader(ReaderLimits.build(self._settings.reader))

    def _build_merger(self, scope: Scope) -> Merger | None:
        return None if scope.merging is None else Merger(scope.merging, self._merges)

    async def _find_more(self, seed_roots: SeedRoots) -> bool:
        """Once for the pages that were fetched since: looking finds nothing new by itself."""
        pages, self._looked_at = self._looked_at, self.tally.pages
        return pages != self.tally.pages and await self._opener.find_more(seed_roots)

    def _build_worker(self, store_sync: StoreSync, admission: Admission, reader: IsolatedReader) -> Worker:
        return Worker(
            settings=self._settings,
            memory=self._memory,
            headroom=self._headroom,
            store_sync=store_sync,
            pool=self._pool,
            fetcher=self._fetcher,
            visitor=OutcomeBuilder(
                settings=self._settings,
                admission=admission,
                watch=self._watch,
                profile=ExtractionProfile.build(self._settings.extract),
                hrefs=Hrefs(self._memory.links // 2, self._settings.scope.kept_names),
                memory_bytes=self._memory.document,
                reader=reader,
            ),
            robots_fetch=RobotsFetch(
                settings=self._settings,
                fetcher=self._fetcher,
                tally=self.tally,
                headroom=self._headroom,
                clock=self._clock,
                shared=self._shared,
            ),
            tally=self.tally,
            watch=self._watch,
            clock=self._clock,
            tracer=self._tracer,
        )
