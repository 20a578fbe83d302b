"""A crawl of hostile pages: every text that a page can supply is an attack."""

import asyncio
from dataclasses import replace

from tenax.runtime.backends import find_backend
from tenax.stores.place import Place
from tests.support.clock import FakeClock
from tests.support.store import StoreWorker, make_failed, make_fetched, make_visit

EVIL = "https://evil.example"
SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(1)>"
BIDI = "\u202egnp.exe\u2066\u200b"
CONTROL = "\x1b]0;owned\x07\x1b[31m\x08\x7f\x9b"
LINES = "first\r\nSet-Cookie: a=b\r\n\r\n2026-01-01 fetched everything\u2028\u2029\x85"
JAVASCRIPT = "javascript:alert(document.cookie)"
FORMULAS = ("=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1")
LONG = "title " * 20_000
TEXTS = (SCRIPT, BIDI, CONTROL, LINES, JAVASCRIPT, *FORMULAS, LONG)


def fill_with_hostile_pages(place: Place, clock: FakeClock) -> None:
    asyncio.run(_fill(place, clock))


async def _fill(place: Place, clock: FakeClock) -> None:
    async with find_backend(place).open_stores(place, clock) as stores:
        worker = await StoreWorker(stores.frontier, stores.runs, clock).start()
        await worker.add(*(f"{EVIL}/{number}" for number in range(len(TEXTS) + 1)))
        lease = await worker.claim_one()
        *targets, last = (await worker.head(lease)).targets
        visits = [
            make_visit(
                target,
                make_fetched(
                    f"{text} {number}",
                    title=text,
                    links=[(JAVASCRIPT, text[:500], text[:500], "a")],
                    images=[(f"{EVIL}/{number}.png", text[:500], "img")],
                ),
                at=clock.now(),
            )
            for number, (target, text) in enumerate(zip(targets, TEXTS, strict=True))
        ]
        visits.append(make_visit(last, replace(make_failed(), detail=LINES + CONTROL), at=clock.now()))
        await worker.settle_visits(lease, visits)
        await worker.release(lease)
