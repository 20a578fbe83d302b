"""The only builder: puts concrete backends behind the contracts. Doors ask here for what they need."""

import asyncio
import contextlib
import uuid
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from importlib import import_module
from typing import Any, TypeVar, cast

from tenax import failpoints
from tenax.clock import Clock, MachineClock, SystemClock
from tenax.config import DispatchKind, Settings
from tenax.coordination.address import parse_address
from tenax.coordination.base import UrlName, WorkerReport
from tenax.coordination.keys import build_names
from tenax.coordination.members import Member, read_members
from tenax.coordination.memory import MemoryCoordination
from tenax.coordination.redis import RedisCoordination
from tenax.crawl.engine import Engine
from tenax.crawl.insight.explain import Explanation, explain
from tenax.crawl.run.opening import Opened, Opener
from tenax.crawl.worker import store_sync as store_sync
from tenax.errors import ConfigError, StoreError
from tenax.extract.profile import ExtractionProfile
from tenax.fetch.base import Fetcher, SharedAddresses
from tenax.fetch.curl import CurlFetcher
from tenax.fetch.descriptors import raise_limit
from tenax.fetch.overrides import parse_resolve
from tenax.fetch.own_headers import parse_headers
from tenax.job_records import NO_SOURCE, Recrawl
from tenax.jobs.dispatch.base import check_broker
from tenax.policy.memory import plan_memory
from tenax.policy.roots import Roots
from tenax.policy.scope import Scope
from tenax.private_files import make_folder
from tenax.record import record
from tenax.records import ListedSeed, NewUrl
from tenax.stores.access import Access, open_access
from tenax.stores.backend import Backend, Stores
from tenax.stores.base import LastRun, ResumeResult, Summary
from tenax.stores.hot.crawls import DEFAULT_NAME, Crawl, CrawlSummary
from tenax.stores.hot.domains import DomainStore
from tenax.stores.hot.seeds import ImportedSeeds
from tenax.stores.hot.takeover import TakeoverResult
from tenax.stores.layout import LOGS_NAME, WORKERS_NAME
from tenax.stores.place import Place
from tenax.stores.presence import Presence
from tenax.stores.reading import Work, read_store
from tenax.stores.secrets.sealing import Vault
from tenax.telemetry import configure_logging
from tenax.tracing import Tracer, check_tracing
from tenax.web.urls import domain_of

T = TypeVar("T")

SERVER_CACHE_BYTES = 10_000_000


def check_settings(settings: Settings) -> None:
    """Find what the types of the settings cannot see, before anything is created. Raises ConfigError."""
    Scope.build(settings.scope, settings.limits, Roots(settings.scope.kind))
    ExtractionProfile.build(settings.extract)
    parse_resolve(settings.fetch.resolve)
    parse_headers(settings.fetch)
    plan_memory(settings)
    if settings.redis.url is not None:
        parse_address(settings.redis.url)
    check_tracing(settings.tracing)
    if settings.dispatch.kind is DispatchKind.CELERY:
        check_broker(settings.dispatch)
    if not settings.fetch.format_user_agent().isprintable():
        raise ConfigError("The user agent and the contact must be one line of printable characters.")


def open_fetcher(
    settings: Settings, clock: Clock | None = None, shared: SharedAddresses | None = None
) -> Fetcher:
    """To be entered as a context manager. `clock`: what answers are timed by; this machine's by default."""
    raise_limit()
    memory = plan_memory(settings)
    return CurlFetcher(
        settings.fetch,
        clock or SystemClock(),
        settings.fetch.format_user_agent(),
        max_held_bytes=memory.bodies,
        max_connections=memory.connections_count,
        concurrency=settings.worker.concurrency,
        shared=shared,
    )


@contextlib.asynccontextmanager
async def open_coordination(
    settings: Settings, stores: Stores, source_id: int = NO_SOURCE
) -> AsyncIterator[RedisCoordination | MemoryCoordination]:
    """What the workers on a store share; without Redis, each has its own. `source_id`: whose run they work
    on."""
    if settings.redis.url is None:
        yield MemoryCoordination(stores.clock)
        return
    names = build_names(await stores.identify(), settings.fetch)
    address = parse_address(settings.redis.url)
    async with RedisCoordination(address, settings.redis, names, stores.clock, source_id) as redis:
        yield redis


@contextlib.asynccontextmanager
async def open_engine(
    place: Place, settings: Settings, clock: MachineClock | None = None, source_id: int = NO_SOURCE
) -> AsyncIterator[Engine]:
    """An engine on a store, for runs of this source or crawl. A data directory is created where there is
    none. `clock`: this machine's."""
    with _translating(place):
        configure_logging(place.folder / LOGS_NAME)
    name = str(uuid.uuid4())
    async with (
        find_backend(place).open_stores(place, clock or SystemClock(), plan_memory(settings).store) as every,
        open_coordination(settings, every, source_id) as coordination,
        open_fetcher(settings, every.clock, coordination if coordination.is_shared else None) as fetcher,
        open_tracer(settings, name) as tracer,
    ):
        stores = every.of_source(source_id)
        with Presence(place.folder / WORKERS_NAME, name) as presence:
            yield Engine(
                uuid=name,
                settings=settings,
                frontier=stores.frontier,
                runs=stores.runs,
                refresh=stores.refresh,
                merges=stores.merges,
                domains=stores.domains,
                seeds=stores.seeds,
                fetcher=fetcher,
                watch=presence,
                coordination=coordination,
                clock=stores.clock,
                tracer=tracer,
            )


@contextlib.contextmanager
def _translating(place: Place) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(f"Cannot use the data directory {place.folder}: {error.strerror}.") from error


@contextlib.asynccontextmanager
async def open_tracer(settings: Settings, worker: str) -> AsyncIterator[Tracer | None]:
    """None: no traces are wanted."""
    if settings.tracing.url is None:
        yield None
        return
    tracer = Tracer(settings.tracing, worker)
    try:
        yield tracer
    finally:
        await asyncio.to_thread(tracer.close)


async def refill_seen(
    place: Place, settings: Settings, iter_names: Work[Iterable[Mapping[int, list[UrlName]]]]
) -> int:
    """Make the seen filter hold these urls of the store and no others; returns how many. Workers may go on
    meanwhile: a url that is missing for a moment is asked of the store."""
    backend = find_backend(place)
    backend.refuse_missing(place)
    async with (
        backend.open_stores(place, SystemClock()) as stores,
        open_coordination(settings, stores) as redis,
    ):
        if not isinstance(redis, RedisCoordination):
            raise ConfigError("There is no Redis to fill: name it with --redis or TENAX_REDIS__URL.")
        await redis.clear_seen()
        loop = asyncio.get_running_loop()

        def fill(connection: Any) -> int:
            known = 0
            for by_source in iter_names(connection):
                for source_id, names in by_source.items():
                    filled = redis.refill_seen(names, source_id)
                    asyncio.run_coroutine_threadsafe(filled, loop).result()
                    known += len(names)
            return known

        # Readers of a store wait for it; in a thread of their own they keep nobody else waiting.
        return await asyncio.to_thread(read_store, place, fill)


@record
class RedisView:
    """A Redis as somebody sees it who looks on."""

    trouble: str | None
    reports: list[WorkerReport]  # of the workers of the runs that were asked for


async def look_at_redis(settings: Settings, store: str, runs: Sequence[int]) -> RedisView:
    """`store`: its identity."""
    clock = SystemClock()
    names = build_names(store, settings.fetch)
    async with RedisCoordination(
        parse_address(settings.redis.url or ""), settings.redis, names, clock
    ) as redis:
        trouble = await redis.check()
        reports = [report for run_id in runs for report in await redis.list_reports(run_id)]
        return RedisView(trouble=trouble, reports=reports)


async def bury_dead(place: Place) -> None:
    """Free what workers of this machine held whose process is gone."""
    backend = find_backend(place)
    async with backend.open_stores(place, SystemClock()) as stores:
        await _bury_dead(place, stores)


async def _bury_dead(place: Place, stores: Stores) -> None:
    # Not entered: whoever only buries shows no sign of life.
    await store_sync.bury_dead(Presence(place.folder / WORKERS_NAME, ""), stores.runs)


async def list_crawls(place: Place) -> list[CrawlSummary]:
    """The oldest first; none also where there is no store yet, which is not made."""
    backend = find_backend(place)
    if not backend.has_store(place):
        return []
    async with backend.open_stores(place, SystemClock()) as stores:
        return await stores.crawls.list()


@record
class Prepared:
    """A crawl that a person is about to go on with."""

    crawl: Crawl
    last: LastRun | None  # its newest run
    taking: TakeoverResult  # what came from others
    others: tuple[CrawlSummary, ...]  # that have something to do, and are left alone


async def prepare_crawl(
    place: Place, name: str, seeds: Sequence[str], first_seed: str | None = None
) -> Prepared:
    """Make the crawl of that name, where there is none, and let it have its domains: see CrawlStore.ensure.
    Raises SourceExists and DomainsBusy. Killed at any moment, it may be repeated."""
    with _translating(place):
        make_folder(place.folder / LOGS_NAME)
    async with find_backend(place).open_stores(place, SystemClock()) as stores:
        crawl = await stores.crawls.ensure(name, first_seed)
        runs = stores.of_source(crawl.id).runs
        # What they held would be theirs until their leases end.
        await _bury_dead(place, stores)
        failpoints.reach("take.before")
        taking = await runs.take({domain_of(seed) for seed in seeds})
        failpoints.reach("take.after")
        snapshots = await stores.crawls.list()
        return Prepared(
            crawl=crawl,
            last=await runs.find_last(),
            taking=taking,
            others=tuple(each for each in snapshots if each.id != crawl.id and each.has_work),
        )


async def list_open_runs(place: Place) -> list[LastRun]:
    """Those under way or paused, of all sources, the oldest first; none also where there is no store yet,
    which is not made."""
    backend = find_backend(place)
    if not backend.has_store(place):
        return []
    async with backend.open_stores(place, SystemClock()) as stores:
        return await stores.runs.list_open()


async def start_run(
    place: Place,
    stores: Stores,
    settings: Settings,
    seeds: Sequence[str],
    *,
    recrawl: Recrawl = Recrawl.NEW,
) -> Opened | None:
    """Open a run for workers that wait for one; see Opener.start. `stores`: of the crawl. `seeds` are
    addresses."""
    opener = Opener(
        settings=settings,
        frontier=stores.frontier,
        runs=stores.runs,
        refresh=stores.refresh,
        merges=stores.merges,
        seeds=stores.seeds,
        clock=stores.clock,
    )
    await _bury_dead(place, stores)
    return await opener.start(seeds, recrawl=recrawl)


async def order_of_store(place: Place, work: Work[T]) -> T:
    """Have an order carried out, in one transaction, whoever crawls there meanwhile."""
    backend = find_backend(place)
    backend.refuse_missing(place)
    async with open_access(place, readers=1) as access:
        return await access.write(work)


async def order_in_steps(place: Place, work: Callable[[Access, Clock], Awaitable[T]]) -> T:
    """Have an order carried out that takes many transactions, whoever crawls there meanwhile. `work` gets the
    clock that the store goes by."""
    backend = find_backend(place)
    backend.refuse_missing(place)
    async with (
        backend.open_stores(place, SystemClock()) as stores,
        open_access(place, readers=1) as access,
    ):
        return await work(access, stores.clock)


async def rotate_secrets(place: Place) -> int:
    """Seal all secrets with a new key, or with the first of those that the environment names; returns how
    many had another one. Killed at any moment, it may be repeated. Raises SecretError."""
    # Found by name: it brings SQLAlchemy along, which no crawl needs.
    rotation = import_module("tenax.stores.commands.secrets")
    find_backend(place).refuse_missing(place)
    rotation.begin_rotation(place)
    vault = Vault.of(place)
    number: int = await order_of_store(place, lambda connection: rotation.seal_anew(connection, vault))
    rotation.end_rotation(place)
    return number


async def scrub_secrets(place: Place) -> bool:
    """See Backend.scrub."""
    backend = find_backend(place)
    backend.refuse_missing(place)
    return await backend.scrub(place)


async def add_by_hand(stores: Stores, urls: Sequence[NewUrl], crawl: str | None) -> int:
    """Add urls to the crawl of that name. Without one, each goes to whoever has its domain; of unknown
    domains, to the only crawl that is under way, or the only one, or `default`. Returns how many were new.
    Raises SourceExists."""
    owners: dict[str, int] = {}
    if crawl is None:
        owners = await stores.crawls.find_owners({url.domain for url in urls})
    by_owner: dict[int | None, list[NewUrl]] = {}
    for url in urls:
        by_owner.setdefault(owners.get(url.domain), []).append(url)
    added = 0
    for owner, part in by_owner.items():
        source_id = await _find_hand(stores, crawl) if owner is None else owner
        added += await stores.of_source(source_id).frontier.add_urls(part, stores.clock.now())
    return added


async def _find_hand(stores: Stores, crawl: str | None) -> int:
    if crawl is None:
        snapshots = await stores.crawls.list()
        for chosen in ([each for each in snapshots if each.run_id is not None], snapshots):
            if len(chosen) == 1:
                return chosen[0].id
    return (await stores.crawls.ensure(crawl or DEFAULT_NAME)).id


async def resume_run(place: Place, run_id: int) -> ResumeResult:
    """See RunStore.resume."""
    backend = find_backend(place)
    backend.refuse_missing(place)
    async with backend.open_stores(place, SystemClock()) as stores:
        return await resume_in(place, stores, run_id)


async def resume_in(place: Place, stores: Stores, run_id: int) -> ResumeResult:
    """The same, where the store is open."""
    await _bury_dead(place, stores)
    return await stores.runs.resume(run_id)


async def summarise(place: Place, source_id: int, domains: Collection[str]) -> Summary:
    """What a crawl has; see FrontierStore.summarise."""
    async with find_backend(place).open_stores(place, SystemClock()) as stores:
        return await stores.of_source(source_id).frontier.summarise(domains)


async def import_seeds(
    place: Place, crawl: str, source: str, chunks: AsyncIterator[Sequence[ListedSeed]]
) -> ImportedSeeds:
    """Bring a list of seeds into a store, for the crawl of that name, a transaction per chunk. Stopped at any
    moment, it may be repeated from its beginning: what is there already stays as it is. Raises
    SourceExists."""
    imported = ImportedSeeds(seeds=0, domains=0, ranked=0)
    # Before a data directory is made: perhaps there is nothing to put into it.
    chunk = await anext(chunks, None)
    async with find_backend(place).open_stores(place, SystemClock()) as stores:
        seeds = stores.seeds_of((await stores.crawls.ensure(crawl)).id)
        while chunk is not None:
            imported = imported.plus(await seeds.import_seeds(chunk, source, stores.clock.now()))
            chunk = await anext(chunks, None)
    return imported


def read_redis(url: str, key: str) -> AsyncIterator[Sequence[Member]]:
    """The members of a list, set or sorted set, in small parts."""
    return read_members(parse_address(url), key)


async def explain_url(place: Place, url: str, defaults: Settings) -> Explanation:
    """Where a url stands in a crawl."""
    backend = find_backend(place)
    backend.refuse_missing(place)
    async with backend.open_stores(place, SystemClock()) as stores:
        return await explain(url, stores.lookup, stores.seeds_of, defaults, stores.clock.wall())


@contextlib.asynccontextmanager
async def open_domains(place: Place) -> AsyncIterator[DomainStore]:
    """For those who look after the domains of a crawl, also while it goes on."""
    backend = find_backend(place)
    backend.refuse_missing(place)
    async with backend.open_stores(place, SystemClock()) as stores:
        yield stores.domains


def find_backend(place: Place) -> Backend:
    # Found by name: a crawl into a file need not import the driver of a server.
    return cast(Backend, import_module(f"tenax.stores.{place.backend}.backend"))
