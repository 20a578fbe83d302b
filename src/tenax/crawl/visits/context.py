"""What the parts of one worker share: the run it works on, what it holds in memory, what a visit needs."""

from collections.abc import Callable

from tenax.clock import Clock
from tenax.config.settings import Settings
from tenax.crawl.domains.fair_share import FairShare
from tenax.crawl.domains.pool import Pool
from tenax.crawl.tally import WorkerTally
from tenax.crawl.visits.activity import Activity
from tenax.crawl.visits.blame import Blame
from tenax.crawl.visits.outcome import OutcomeBuilder
from tenax.crawl.visits.page_budget import PageBudget
from tenax.crawl.visits.pages import PageBuilder
from tenax.crawl.visits.parsing import PageParsing
from tenax.crawl.visits.robots_fetch import RobotsFetch
from tenax.crawl.visits.sitemaps import SitemapReader
from tenax.crawl.visits.slots import Slots
from tenax.crawl.visits.unsettled import UnsettledVisits
from tenax.fetch.watched import WatchedFetcher
from tenax.policy.memory import MemoryPlan
from tenax.record import record
from tenax.stores.contracts.runs import Run
from tenax.stores.contracts.workers import SignOfLife
from tenax.tracing import Tracer


@record
class RunContext:
    """The run that a worker has joined, and as whom."""

    run: Run
    worker_id: int
    settings: Settings
    memory: MemoryPlan
    watch: SignOfLife
    clock: Clock
    has_parsers: bool = False


@record
class WorkerMemory:
    """What a worker holds in memory. Its members are mutable, and all parts of the worker share them."""

    pool: Pool
    unsettled: UnsettledVisits
    slots: Slots
    blame: Blame
    fair_share: FairShare
    budget: PageBudget
    tally: WorkerTally
    activity: Activity


@record
class VisitTools:
    """What turns a url into an outcome."""

    fetcher: WatchedFetcher
    robots_fetch: RobotsFetch
    outcomes: OutcomeBuilder
    pages: PageBuilder
    sitemaps: SitemapReader
    tracer: Tracer | None
    read_disk: Callable[[], int | None]  # free bytes where the worker keeps its files; None: unknown
    parsing: PageParsing | None = None  # None: the run has no parsers
