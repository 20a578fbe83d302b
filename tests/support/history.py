"""A crawl with a history: the one of stores.py, followed by further runs, ranked seeds and changes.

news.example was crawled and refreshed: of its pages one was unchanged, one had changed and one was new, all
at the same instant; later one was gone. Two are copies of each other, two others nearly so. Two runs ended;
the third was left by a worker that has been silent since.
"""

import asyncio
import time
from typing import Any

from tenax.config.settings import Settings
from tenax.records.runs import RunState
from tenax.records.urls import ListedSeed
from tenax.records.visits import Gone, Outcome, Unchanged
from tenax.runtime.actions import write_store
from tenax.runtime.backends import find_backend
from tenax.stores.backend import Stores
from tenax.stores.commands.item_audits import keep_audit
from tenax.stores.contracts.refresh import RefreshBudget
from tenax.stores.jobs.tasks import add_task
from tenax.stores.place import Place
from tenax.stores.schema.sitemaps import sitemaps
from tenax.stores.schema.traps import traps
from tests.support.audits import make_audit, make_finding
from tests.support.clock import FakeClock
from tests.support.item_rows import ItemRows, add_shop, find_source
from tests.support.product_rows import add_stock_changes, fill_products
from tests.support.store import LEASE_S, StoreWorker, make_fetched, make_visit
from tests.support.stores import CRAWL, fill_place

NEWS = "https://news.example"
PATHS = ("boats", "cars", "trains", "boats?copy")
# On each of its pages, a link to one of them.
HOME_LINK = (f"{NEWS}/boats", "nofollow", "boats and more", "a")
DAY_S = 86_400.0


def fill_with_history(place: Place, clock: FakeClock) -> None:
    fill_place(place, clock)
    clock.advance(DAY_S)
    asyncio.run(_add_history(place, clock))
    asyncio.run(write_store(place, lambda connection: _add_rest(connection, clock)))


async def _add_history(place: Place, clock: FakeClock) -> None:
    async with find_backend(place).open_stores(place, clock) as opened:
        stores = opened.of_source((await opened.crawls.ensure(CRAWL)).id)
        second = await _join(stores, clock, "second")
        await second.add(*(f"{NEWS}/{path}" for path in PATHS))
        await _visit_news(
            second, {path: make_fetched(_write(path[:4]), title=path, links=[HOME_LINK]) for path in PATHS}
        )
        revisits: dict[str, Outcome] = {
            "boats": Unchanged(),
            "cars": make_fetched(_write("bikes"), title="bikes", simhash=7),
            "trains": Gone(status=410),
            "late": make_fetched(_write("late"), title="late", simhash=5, markdown="# Late\n\nnews\n"),
        }
        clock.advance(60 * DAY_S)
        await stores.refresh.promote(RefreshBudget(domains=10, per_domain=100, limit=100, idle_s=1.0))
        await second.add(f"{NEWS}/late")
        await _visit_news(second, revisits)
        clock.advance(60 * DAY_S)
        # `boats?copy` is still queued: revisits of a domain with queued urls are not scheduled.
        await _visit_news(second, {"boats?copy": Unchanged()})
        await stores.refresh.promote(RefreshBudget(domains=10, per_domain=100, limit=100, idle_s=1.0))
        await _visit_news(second, {"trains": Gone(status=410)})
        await stores.runs.end_run(second.run_id, RunState.DONE, second.id)
        ranked = [ListedSeed(url=f"https://{name}.example/", rank=rank) for rank, name in enumerate("abc", 1)]
        await stores.seeds.import_seeds(ranked, "tranco", clock.now())
        clock.advance(DAY_S)
        await _join(stores, clock, "third")


def _add_rest(connection: Any, clock: FakeClock) -> None:
    # Recent ones: servers delete old entries of logs.
    rows = ItemRows(connection, find_source(connection, "news.example"), run_id=2, start=time.time() - DAY_S)
    boat, _ = add_shop(rows, f"{NEWS}/boats", f"{NEWS}/cars")
    rows.add_item(f"{NEWS}/late", "late", {"name": "A late boat", "price": 30})
    fill_products(connection)
    add_stock_changes(connection, boat, rows.start)
    for source in ("shop", None, "shop"):
        keep_audit(connection, source, make_audit(clock.now(), make_finding(), make_finding(kind="boat")))
    rows.add_invalid(f"{NEWS}/cars", "trike", {"name": "Trike"}, ["price: is missing."])
    for number in (1, 2, 3):
        add_task(connection, number, "crawl", 5, clock.now())
        connection.execute(sitemaps.insert().values(url_id=number, domain_id=1, origin="robots"))
        connection.execute(
            traps.insert().values(
                domain_id=1,
                shape=f"/calendar-{number}/{{n}}",
                state="slowed",
                rule="endless",
                first_seen_at=clock.now(),
                last_seen_at=clock.now(),
                changed_at=clock.now(),
            )
        )


def _write(subject: str) -> str:
    return f"All the news that there is about {subject}. " * 20


async def _join(stores: Stores, clock: FakeClock, name: str) -> StoreWorker:
    worker = StoreWorker(stores.frontier, stores.runs, clock)
    worker.run_id = (await stores.runs.open_run(Settings().model_dump_json())).id
    worker.id = (
        await stores.runs.add_worker(worker.run_id, f"worker-of-{name}-run", "localhost", 4243, LEASE_S) or 0
    )
    return worker


async def _visit_news(worker: StoreWorker, outcomes: dict[str, Outcome]) -> None:
    leases = await worker.claim()
    lease = next(each for each in leases if each.domain == "news.example")
    targets = {each.url.removeprefix(f"{NEWS}/"): each for each in (await worker.head(lease)).targets}
    visits = [make_visit(targets[path], outcome, at=worker.clock.now()) for path, outcome in outcomes.items()]
    await worker.settle_visits(lease, visits)
    for each in leases:
        await worker.release(each)
