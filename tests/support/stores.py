"""A small crawl in a data directory, created through the store's own methods, for tests that read stores.

shop.example was crawled: two pages, a redirect, a missing page, a refusal, a failure to be retried and two
queued urls; its titles and links are hostile. down.example is unreachable. later.example was never requested.
"""

import asyncio
from dataclasses import replace
from pathlib import Path

from tenax.config.settings import Settings
from tenax.records.domains import DomainState, DomainStatus, Lease, Pace, RobotsRecord
from tenax.records.requests import FailureKind
from tenax.records.runs import RunState
from tenax.records.urls import RefusalReason
from tenax.records.visits import Gone, Outcome, Redirected, Refused
from tenax.runtime.backends import find_backend
from tenax.stores.contracts.batches import DomainWork, RobotsVisit
from tenax.stores.place import Place
from tenax.stores.sqlite.connection.database import SqliteDatabase
from tests.support.clock import START, FakeClock
from tests.support.store import LEASE_S, StoreWorker, make_failed, make_fetched, make_visit, new_url

CRAWL = "shop"
SHOP = "https://shop.example"
ESCAPE_TITLE = "\x1b]0;owned\x07 [bold]markup[/bold] \u202eevil"
FORMULA_ANCHOR = '=HYPERLINK("http://evil.example/","gift")'
ROBOTS_BODY = b"User-agent: *\nDisallow: /secret/\nCrawl-delay: 2\nSitemap: https://shop.example/map.xml\n"
IMAGES = [(f"{SHOP}/boat.jpg", "=A boat", "picture"), (f"{SHOP}/card.png", "", "og:image")]
GAP_S = 2.0


def fill_store(data: Path, *, is_ended: bool = True) -> None:
    """Fill the store. `is_ended` False leaves the run like a killed process does, with a lease on
    later.example."""
    fill_place(Place(folder=data), FakeClock(), is_ended=is_ended)


def fill_place(place: Place, clock: FakeClock, *, is_ended: bool = True) -> None:
    asyncio.run(_fill(place, clock, is_ended))


def make_empty_store(data: Path) -> None:
    asyncio.run(_open_and_close(data))


async def _open_and_close(data: Path) -> None:
    async with SqliteDatabase(data / "tenax.db", FakeClock()):
        pass


async def _fill(place: Place, clock: FakeClock, is_ended: bool) -> None:
    async with find_backend(place).open_stores(place, clock) as stores:
        crawl = await stores.crawls.ensure(CRAWL)
        own = stores.of_source(crawl.id)
        frontier, runs = own.frontier, own.runs
        worker = StoreWorker(frontier, runs, clock)
        run = await runs.open_run(Settings().model_dump_json())
        worker.run_id = run.id
        added = await runs.add_worker(run.id, "worker-of-fill-store", "localhost", 4242, LEASE_S)
        assert added is not None
        worker.id = added
        await frontier.add_urls([new_url(f"{SHOP}/", depth=0, is_seed=True)], clock.now())
        await _crawl_shop(worker, clock)
        await worker.add("https://down.example/")
        await _fail_down(worker, clock)
        await worker.add("https://later.example/")
        if not is_ended:
            await _claim_named(worker, "later.example")
        else:
            await runs.end_run(run.id, RunState.STOPPED, worker.id)


async def _crawl_shop(worker: StoreWorker, clock: FakeClock) -> None:
    lease = await worker.claim_one()
    await worker.settle_robots(lease, _robots_visit(clock))
    paths = ("a", "gone", "old", "secret/plans", "flaky", "wait-1", "wait-2")
    (home,) = (await worker.head(lease)).targets
    links = [
        (f"{SHOP}/a", "", FORMULA_ANCHOR, "a"),
        (f"{SHOP}/gone", "nofollow", "gone", "a"),
    ]
    found = [new_url(f"{SHOP}/{path}", discovered_from=home.id) for path in paths]
    clock.advance(GAP_S)
    visit = make_visit(
        home,
        make_fetched("Welcome. " * 40, title=ESCAPE_TITLE, links=links, images=IMAGES),
        at=clock.now(),
        discovered=found,
    )
    await worker.settle_visits(lease, [visit], state=_pace(clock))
    by_path = {target.url.removeprefix(f"{SHOP}/"): target for target in (await worker.head(lease)).targets}
    outcomes: dict[str, Outcome] = {
        "a": make_fetched("=1+1 says the first line\nand the second", title="-2+3"),
        "gone": Gone(status=404),
        "old": Redirected(status=301, to_url=f"{SHOP}/a"),
        "secret/plans": Refused(reason=RefusalReason.ROBOTS, detail="line 2: Disallow: /secret/"),
        "flaky": make_failed(retry_at=START + 3600),
    }
    for path, outcome in outcomes.items():
        clock.advance(GAP_S)
        visit = make_visit(by_path[path], outcome, at=clock.now())
        await worker.settle_visits(lease, [visit], state=_pace(clock))
    await worker.release(lease, state=_pace(clock), ready_at=clock.now() + GAP_S)


def _pace(clock: FakeClock) -> DomainState:
    pace = Pace(robots_delay_s=GAP_S, last_start_at=clock.now(), last_answer_at=clock.now())
    return DomainState(status=DomainStatus.ACTIVE, pace=pace)


def _robots_visit(clock: FakeClock) -> RobotsVisit:
    record = RobotsRecord(
        origin=SHOP, status=200, body=ROBOTS_BODY, fetched_at=clock.now(), expires_at=clock.now() + 3600
    )
    return RobotsVisit(record=record, at=clock.now(), duration_s=0.1, wire_bytes=80, status=200, error=None)


async def _fail_down(worker: StoreWorker, clock: FakeClock) -> None:
    lease = await _claim_named(worker, "down.example")
    state = DomainState(
        status=DomainStatus.UNREACHABLE,
        block_code="dns_failure",
        block_reason="the name \x1b[31mdoes not exist",
        next_crawl_after=START + 10 * 365 * 86400,
    )
    (target,) = (await worker.head(lease)).targets
    failed = replace(make_failed(kind=FailureKind.NO_SUCH_HOST), status=None)
    visit = make_visit(target, failed, at=clock.now(), wire_bytes=0)
    await worker.settle(DomainWork(lease=lease, state=state, visits=[visit]))
    await worker.release(lease, state=state)


async def _claim_named(worker: StoreWorker, name: str) -> Lease:
    return next(lease for lease in await worker.claim() if lease.domain == name)
