"""Processes that work on the same store, to be run concurrently and to be killed."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import Any

from tenax.clock import SystemClock
from tenax.records.domains import Lease
from tenax.records.items import Parsing
from tenax.records.urls import NewUrl, Target
from tenax.runtime.backends import find_backend
from tenax.stores.contracts.batches import DomainWork
from tenax.stores.place import Place
from tests.support.items import failed_parsing, followed_url, found_item, parsing
from tests.support.store import ACTIVE, StoreWorker, make_fetched, make_visit, new_url

DOMAINS = 12
FOLLOWED = "https://followed.example/"
FOLLOWED_IDS = f"SELECT id FROM urls WHERE url = '{FOLLOWED}'"
LOGO = "https://cdn.example/logo.png"
# Visits have the number of their batch as duration and the size of their batch as bytes.
PARTIAL_BATCHES = (
    "SELECT worker_id, duration_s, count(*), max(wire_bytes) FROM visits GROUP BY 1, 2"
    " HAVING count(*) <> max(wire_bytes)"
)


def crawl_until_killed(place: Place, reports: Connection) -> None:
    """Send the worker's uuid, then the number of visits of every settled batch."""
    asyncio.run(_crawl(place, reports))


async def _crawl(place: Place, reports: Connection) -> None:
    async with find_backend(place).open_stores(place, SystemClock()) as stores:
        worker = await StoreWorker(stores.frontier, stores.runs, SystemClock()).start()
        await worker.add(*(f"https://d{number}.example/" for number in range(DOMAINS)))
        reports.send(worker.uuid)
        for number in range(1_000_000):
            leases = await worker.claim(4)
            works = await _visit_all(worker, leases, number)
            await worker.frontier.settle(replace(worker.make_batch(*works), has_parsers=True))
            if visits := sum(len(work.visits) for work in works):
                reports.send(visits)
            for lease in leases:
                await worker.release(lease)


async def _visit_all(worker: StoreWorker, leases: list[Lease], number: int) -> list[DomainWork]:
    wanted = [(lease.domain_id, 5) for lease in leases]
    heads = await worker.frontier.heads(wanted, has_parsers=True)
    size = sum(len(head.targets) for head in heads)
    return [
        DomainWork(
            lease=lease,
            state=ACTIVE,
            visits=[
                replace(
                    make_visit(
                        target,
                        make_fetched(
                            f"{target.url} {number} " * 50,
                            images=[(LOGO, "", "img"), (f"{target.url}{number}.jpg", "", "img")],
                        ),
                        at=worker.clock.now(),
                        discovered=_find_links(target, number),
                        wire_bytes=size,
                        duration_s=float(number),
                    ),
                    parsings=_parse(target, number),
                    parsed_by=1,
                )
                for target in head.targets
            ],
        )
        for lease, head in zip(leases, heads, strict=True)
    ]


def _find_links(target: Target, number: int) -> list[NewUrl]:
    links = [new_url(f"{target.url}{step}/") for step in "ab"]
    # A url of every process, which is due whenever another page asks for it.
    links.append(followed_url(FOLLOWED, "detail", str(number % 3), target.id))
    return links


def _parse(target: Target, number: int) -> tuple[Parsing, ...]:
    """An item of its own, and one or two that pages of all domains show."""
    shared = {f"s{target.id % 7}", f"s{(target.id + number) % 7}"}
    items = [found_item(key, price=number) for key in sorted(shared, reverse=number % 2 == 0)]
    failed = [failed_parsing(parser="other")] if target.id % 3 == 0 else []
    return (parsing(found_item(target.url, price=number % 2), *items), *failed)


def claim_everything(place: Place, gate: Any, claimed: Connection) -> None:
    """Claim until nothing is left, together with others; send the names of the domains."""
    asyncio.run(_claim(place, gate.wait, claimed))


async def _claim(place: Place, wait: Callable[[], Any], claimed: Connection) -> None:
    async with find_backend(place).open_stores(place, SystemClock()) as stores:
        worker = await StoreWorker(stores.frontier, stores.runs, SystemClock()).start()
        wait()
        names: list[str] = []
        while leases := await worker.claim(3):
            names += [lease.domain for lease in leases]
        claimed.send(names)
