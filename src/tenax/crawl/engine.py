"""The part of one process in a run: opens it, adds seeds, runs a worker, closes it."""

import contextlib
import os
import socket
from collections.abc import Callable, Collection, Sequence
from functools import partial

from tenax.blobs.base import Blobs
from tenax.config.settings import Settings
from tenax.coordination.base import Coordination
from tenax.crawl.domains.fair_share import FairShare
from tenax.crawl.domains.guesser import Guesser
from tenax.crawl.domains.merger import Merger
from tenax.crawl.domains.pool import Pool
from tenax.crawl.insight.live_doctor import find_wait
from tenax.crawl.insight.live_report import LiveReporter
from tenax.crawl.insight.progress import WorkerSnapshot
from tenax.crawl.insight.store_probe import StoreProbe, StoreView
from tenax.crawl.reading.isolation import IsolatedReader, ReaderLimits
from tenax.crawl.reading.parser_host import ParserHost
from tenax.crawl.reading.parser_pool import ParserPool, open_pool
from tenax.crawl.run.opening import Opener
from tenax.crawl.tally import WorkerTally
from tenax.crawl.visits.activity import Activity
from tenax.crawl.visits.admission import Admission
from tenax.crawl.visits.blame import Blame
from tenax.crawl.visits.context import RunContext, VisitTools, WorkerMemory
from tenax.crawl.visits.headroom import Headroom
from tenax.crawl.visits.network_watch import NetworkWatch
from tenax.crawl.visits.outcome import OutcomeBuilder
from tenax.crawl.visits.page_budget import PageBudget
from tenax.crawl.visits.pages import PageBuilder
from tenax.crawl.visits.parsing import PageParsing
from tenax.crawl.visits.robots_fetch import RobotsFetch
from tenax.crawl.visits.sitemap_naming import SitemapNaming
from tenax.crawl.visits.sitemaps import SitemapReader
from tenax.crawl.visits.slots import Slots, count_slots
from tenax.crawl.visits.soft_404 import Soft404Guard
from tenax.crawl.visits.unsettled import UnsettledVisits
from tenax.crawl.worker.body_keeper import open_keeper
from tenax.crawl.worker.dead_workers import remove_dead_workers
from tenax.crawl.worker.ends import explain_end
from tenax.crawl.worker.heartbeat import Heartbeat, list_breakers
from tenax.crawl.worker.loop import Worker
from tenax.crawl.worker.seed_roots import SeedRoots
from tenax.crawl.worker.store_sync import StoreSync, UrlIntake
from tenax.errors import InternalError, StoreError, TenaxError
from tenax.exits import find_exit
from tenax.extract.profile import ExtractionProfile
from tenax.extract.validation import Validator
from tenax.fetch.base import Fetcher
from tenax.fetch.watched import WatchedFetcher
from tenax.policy.memory import plan_memory
from tenax.policy.merging import MergeRules
from tenax.policy.scope import Scope
from tenax.record import record
from tenax.records.jobs import Recrawl
from tenax.records.runs import RunState
from tenax.stores.backend import Stores
from tenax.stores.contracts.overview import Overview, Summary
from tenax.stores.contracts.runs import Run
from tenax.stores.contracts.vitals import ServiceBreaker
from tenax.stores.contracts.workers import DeadWorker, SignOfLife
from tenax.telemetry import log
from tenax.tracing import Tracer
from tenax.web.hrefs import Hrefs

NOT_PROBED = StoreView(overview=None)


@record
class EngineResult:
    """How this process's part in the run ended."""

    run: Run
    state: RunState
    is_run_over: bool  # False: other processes continue, or it is paused


@record
class EngineServices:
    """What an engine uses besides its store."""

    fetcher: Fetcher
    watch: SignOfLife
    coordination: Coordination
    blobs: Blobs
    tracer: Tracer | None = None
    parsers: ParserHost | None = None  # None: the run has no parsers
    read_disk: Callable[[], int | None] = lambda: None  # free bytes where the worker keeps its files


class Engine:
    def __init__(self, *, uuid: str, settings: Settings, stores: Stores, services: EngineServices) -> None:
        """`stores`: of the source or crawl whose runs it works on."""
        self._uuid = uuid
        self._settings = settings
        self._memory_plan = plan_memory(settings)
        self._stores = stores
        self._opener = Opener(settings=settings, stores=stores)
        self._services = services
        self._clock = stores.clock
        self._worker: Worker | None = None
        self._store_sync: StoreSync | None = None
        self._pool = Pool()
        fetcher = services.fetcher
        self._fetcher = WatchedFetcher(fetcher, self._clock)
        self._activity = Activity()
        self._headroom = Headroom(
            count_slots(settings.worker.concurrency), fetcher.capacity, fetcher.resize, self._clock
        )
        network = NetworkWatch(settings.network, self._pool, self._fetcher, self._clock)
        self._blame = Blame(self._headroom, network, self._clock)
        self._store_probe = StoreProbe(self._load_overview)
        self._is_stopped = False
        self._ends_run = False
        self._seed_roots: SeedRoots | None = None
        self.tally = WorkerTally(versions=services.parsers.versions if services.parsers else {})
        self._searched_at = -1  # pages, when it last looked for more urls

    async def crawl(self, seeds: Sequence[str], *, recrawl: Recrawl = Recrawl.NEW) -> EngineResult:
        """Work on a run until it is over or paused, or `stop` is called. `seeds` are addresses."""
        return await self.work(await self.open(seeds, recrawl=recrawl))

    async def open(self, seeds: Sequence[str], *, recrawl: Recrawl = Recrawl.NEW) -> Run:
        """See Opener.open. Several workers of one crawl leave this to the first of them."""
        self._services.watch.note_alive(self._clock.now())
        opened = await self._opener.open(seeds, recrawl=recrawl, is_stopped=lambda: self._is_stopped)
        self._seed_roots = opened.seed_roots
        return opened.run

    async def work(self, run: Run, *, reopens: bool = True, fails_run: bool = True) -> EngineResult:
        """Be a worker of the run until it is over or paused, or `stop` is called. `reopens` False: a run that
        is over by now stays over. `fails_run` False: after an internal error another worker tries. Raises
        TenaxError."""
        runs, watch = self._stores.runs, self._services.watch
        watch.note_alive(self._clock.now())
        await remove_dead_workers(watch, runs)
        seed_roots = self._seed_roots or await self._load_seed_roots()
        worker_id = await runs.add_worker(
            run.id,
            self._uuid,
            socket.gethostname(),
            os.getpid(),
            self._settings.worker.lease_s,
            reopens=reopens,
        )
        if worker_id is None:
            state = await runs.find_state(run.id)
            return EngineResult(run=run, state=state, is_run_over=state is not RunState.PAUSED)
        log.info("run_joined", run=run.id, worker=self._uuid, resumed=run.is_resumed)
        context = self._build_context(run, worker_id)
        try:
            state, is_over = await self._crawl(context, seed_roots)
        except BaseException as error:
            log.error("run_failed", run=run.id, worker=self._uuid, exc_info=error)
            raised = explain_end(error)
            await self._give_up(run, worker_id, raised, fails_run=fails_run)
            if raised is error:
                raise
            raise raised from error
        log.info("run_left", run=run.id, worker=self._uuid, state=state, over=is_over)
        return EngineResult(run=run, state=state, is_run_over=is_over)

    async def _crawl(self, context: RunContext, seed_roots: SeedRoots) -> tuple[RunState, bool]:
        """How the worker's part ended, and whether the run is over."""
        admission = self._build_admission(seed_roots)
        naming = SitemapNaming(settings=self._settings, admission=admission)
        memory = self._build_memory(context.run)
        heartbeat = Heartbeat(
            self._services.coordination, self._blame, self._fetcher, self._activity, self._clock
        )
        intake = self._build_intake(naming, seed_roots)
        services, body_settings = self._services, self._settings.bodies
        async with (
            open_keeper(services.blobs, self._stores.bodies, body_settings, context) as bodies,
            self._build_live_reporter(context.run),
            self._build_reader() as reader,
            open_pool(services.parsers, self._settings) as parsers,
        ):
            store_sync = StoreSync(context, self._stores, memory, intake, heartbeat, bodies)
            self._store_sync = store_sync
            tools = self._build_tools(naming, reader, parsers, store_sync)
            self._worker = Worker(context, memory, tools, store_sync)
            if self._is_stopped:
                self._worker.stop()
            state = await self._worker.run()
            await store_sync.seal_bodies()
        is_left_open = state is RunState.STOPPED and not self._ends_run
        is_over = await (store_sync.leave_open() if is_left_open else store_sync.leave(state))
        if is_over:
            await self._rate_domains(context.run)
        return state, is_over

    async def _rate_domains(self, run: Run) -> None:
        """Rank the domains for the next run. If the store cannot do that now, the next end of a run will."""
        try:
            rated = await self._stores.domains.recalculate(run.id)
        except StoreError as error:
            log.warning("domains_not_rated", run=run.id, error=str(error))
        else:
            log.info("domains_rated", run=run.id, domains=rated)

    async def _give_up(self, run: Run, worker_id: int, error: BaseException, *, fails_run: bool) -> None:
        """Free what the worker holds. If the store cannot do that, other workers will when they find it dead.
        A transient error does not end the run: it continues when a worker can work again."""
        may_pass = isinstance(error, TenaxError) and error.is_transient
        may_pass = may_pass or (isinstance(error, InternalError) and not fails_run)
        code = find_exit(error) if isinstance(error, TenaxError) else None
        remains = DeadWorker(
            uuid=self._uuid, last_alive_at=self._clock.now(), reading_url_id=None, exit_code=code
        )
        with contextlib.suppress(StoreError):
            await self._stores.runs.end_dead_workers([remains])
            if not may_pass:
                await self._stores.runs.end_run(run.id, RunState.FAILED, worker_id)

    def stop(self, *, ends_run: bool) -> None:
        """End early: running requests end, everything is made durable. Safe to call at any time, also
        repeatedly. `ends_run`: a user wants the run to end, unless other workers are active. Otherwise only
        this process leaves, and the run waits for the next one."""
        self._is_stopped = True
        self._ends_run = self._ends_run or ends_run
        if self._worker is not None:
            self._worker.stop()

    async def summarise(self, domains: Collection[str] = ()) -> Summary:
        return await self._stores.frontier.summarise(domains)

    async def look(self, *, at_store: bool) -> WorkerSnapshot:
        """A snapshot of this worker; of several workers, one with an overview of the store is enough."""
        return self._take_snapshot(await self._store_probe.look() if at_store else NOT_PROBED)

    async def _load_overview(self) -> Overview:
        settings = self._settings
        return await self._stores.frontier.overview(
            settings.politeness.delay_s, settings.limits.domain_budget
        )

    def _take_snapshot(self, view: StoreView = NOT_PROBED) -> WorkerSnapshot:
        trouble = self._store_sync.store_retry.trouble if self._store_sync else None
        return WorkerSnapshot(
            tally=self.tally,
            in_flight=self._worker.in_flight if self._worker else 0,
            domains_active=sum(domain.is_busy for domain in self._pool),
            domains_silent=self._pool.count_silent(),
            trouble=trouble or view.trouble,
            waiting_for=self._blame.trouble
            or find_wait(now=self._clock.now(), pool=self._pool, overview=view.overview),
            notice=self._services.coordination.trouble,
            breakers=tuple(self._list_breakers()),
            stall=self._activity.stall,
            overview=view.overview,
        )

    def _list_breakers(self) -> list[ServiceBreaker]:
        of_store = self._store_sync.store_retry.list_breakers() if self._store_sync else []
        return [*of_store, *list_breakers(self._services.coordination), *self._blame.list_breakers()]

    async def _load_seed_roots(self) -> SeedRoots:
        return await SeedRoots.open(self._stores.seeds, self._settings.scope.kind)

    async def _find_more(self, seed_roots: SeedRoots) -> bool:
        """Search once for the pages that were fetched since: another search would find nothing new."""
        pages, self._searched_at = self._searched_at, self.tally.pages
        return pages != self.tally.pages and await self._opener.find_more(seed_roots)

    # --- building a worker ---------------------------------------------------------------------------

    def _build_context(self, run: Run, worker_id: int) -> RunContext:
        return RunContext(
            run=run,
            worker_id=worker_id,
            settings=self._settings,
            memory=self._memory_plan,
            watch=self._services.watch,
            clock=self._clock,
            has_parsers=self._services.parsers is not None,
        )

    def _build_memory(self, run: Run) -> WorkerMemory:
        worker, max_pages = self._settings.worker, self._settings.limits.max_pages
        full = self._headroom.full
        concurrency = min(worker.concurrency, full)
        if concurrency < worker.concurrency:
            log.warning("concurrency_capped", wanted=worker.concurrency, concurrency=concurrency)
        return WorkerMemory(
            pool=self._pool,
            unsettled=UnsettledVisits(worker, self._memory_plan.results, self._clock.now()),
            slots=Slots(concurrency, self._memory_plan.waits, most_waiting=full - concurrency),
            blame=self._blame,
            fair_share=FairShare(max_pages),
            budget=PageBudget(max_pages, run.pages),
            tally=self.tally,
            activity=self._activity,
        )

    def _build_admission(self, seed_roots: SeedRoots) -> Admission:
        settings = self._settings
        # Urls of sitemaps are one link away from a home page.
        reads_sitemaps = settings.sitemaps.enabled and settings.limits.max_depth > 0
        scope = self._build_scope(seed_roots)
        return Admission(scope, self._memory_plan.links // 2, reads_sitemaps=reads_sitemaps)

    def _build_intake(self, naming: SitemapNaming, seed_roots: SeedRoots) -> UrlIntake:
        merging = naming.admission.scope.merging
        return UrlIntake(
            admission=naming.admission,
            naming=naming,
            seed_roots=seed_roots,
            find_more=partial(self._find_more, seed_roots),
            seen=self._shared,
            merger=self._build_merger(merging),
            guesser=self._build_guesser(naming.admission),
        )

    def _build_guesser(self, admission: Admission) -> Guesser | None:
        settings = self._settings
        if not (settings.archives.enabled or settings.pagination.enabled):
            return None
        return Guesser(settings, self._stores.guesses, self._clock, admission.admit_guess)

    def _build_merger(self, merging: MergeRules | None) -> Merger | None:
        if merging is None and not self._settings.traps.enabled:
            return None
        return Merger(merging or MergeRules(), self._stores.merges)

    def _build_tools(
        self,
        naming: SitemapNaming,
        reader: IsolatedReader,
        parsers: ParserPool | None,
        store_sync: StoreSync,
    ) -> VisitTools:
        settings, admission = self._settings, naming.admission
        hrefs = Hrefs(self._memory_plan.links // 2, settings.scope.kept_names)
        is_guarded = settings.validation.enabled and settings.validation.soft_404
        soft_404 = Soft404Guard(settings=settings.validation, scope=admission.scope) if is_guarded else None
        return VisitTools(
            fetcher=self._fetcher,
            robots_fetch=RobotsFetch(
                settings=settings,
                fetcher=self._fetcher,
                tally=self.tally,
                blame=self._blame,
                clock=self._clock,
                naming=naming,
                shared=self._shared,
            ),
            sitemaps=SitemapReader(
                settings=settings,
                admission=admission,
                clock=self._clock,
                find_state=store_sync.find_sitemap,
            ),
            outcomes=OutcomeBuilder(settings=settings, admission=admission, hrefs=hrefs, soft_404=soft_404),
            pages=PageBuilder(
                settings=settings,
                admission=admission,
                watch=self._services.watch,
                profile=ExtractionProfile.build(settings.extract),
                hrefs=hrefs,
                validator=Validator.build(settings.validation),
                soft_404=soft_404,
                memory_bytes=self._memory_plan.document,
                reader=reader,
            ),
            tracer=self._services.tracer,
            parsing=None
            if parsers is None
            else PageParsing(pool=parsers, admission=admission, keep=settings.scope.kept_names),
            read_disk=self._services.read_disk,
        )

    @property
    def _shared(self) -> Coordination | None:
        """What the workers of a store share; None: each has its own."""
        coordination = self._services.coordination
        return coordination if coordination.is_shared else None

    def _build_scope(self, seed_roots: SeedRoots) -> Scope:
        return Scope.build(self._settings.scope, self._settings.limits, seed_roots.roots)

    def _build_reader(self) -> IsolatedReader:
        return IsolatedReader(ReaderLimits.build(self._settings.reader))

    def _build_live_reporter(self, run: Run) -> LiveReporter:
        return LiveReporter(
            worker=self._uuid,
            run_id=run.id,
            see=self._take_snapshot,
            coordination=self._services.coordination,
            clock=self._clock,
        )
