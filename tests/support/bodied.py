"""A store whose page has a stored body."""

import asyncio

from tenax.blobs.frames import pack_body
from tenax.blobs.local import LocalBlobs
from tenax.clock import SystemClock
from tenax.config.bodies import BodySettings
from tenax.crawl.worker.body_keeper import BodyKeeper, SegmentOwner
from tenax.record import replace
from tenax.runtime.backends import find_backend
from tenax.stores.contracts.batches import DomainWork
from tenax.stores.layout import BODIES_NAME
from tenax.stores.place import Place
from tests.support.store import ACTIVE, StoreWorker, make_fetched, make_visit

URL = "https://bodied.example/"
BODY = b"<html><script>alert(1)</script>\xff\x00</html>"
HEADS = (b"GET / HTTP/1.1\r\nHost: bodied.example", b"HTTP/1.1 200 OK\r\nContent-Type: text/html")


def store_body(place: Place, machine: str) -> int:
    """Returns the id of the url."""
    return asyncio.run(_store_body(place, machine))


async def _store_body(place: Place, machine: str) -> int:
    async with find_backend(place).open_stores(place, SystemClock()) as stores:
        worker = await StoreWorker(stores.frontier, stores.runs, stores.clock).start()
        await worker.add(URL)
        (lease,) = [each for each in await worker.claim() if each.domain == "bodied.example"]
        target = (await worker.head(lease)).targets[0]
        visit = make_visit(target, make_fetched("text"), at=stores.clock.now())
        work = DomainWork(lease=lease, state=ACTIVE, visits=[replace(visit, body=pack_body(BODY, HEADS))])
        owner = SegmentOwner(machine=machine, worker_id=worker.id)
        blobs = LocalBlobs(place.folder / BODIES_NAME)
        keeper = BodyKeeper(blobs, stores.bodies, BodySettings(store=True), stores.clock, owner)
        places = await keeper.write([work])
        await worker.frontier.settle(replace(worker.make_batch(work), places=places))
        await keeper.seal()
        return target.id
