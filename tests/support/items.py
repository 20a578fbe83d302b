"""Items as parsers find them, and visits that show them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import orjson

from tenax.clock import Instant
from tenax.records.domains import Lease
from tenax.records.items import ErrorCategory, FollowUp, FoundItem, LoggedError, Parsing, Trial
from tenax.records.urls import NewUrl, Target
from tenax.records.visits import Outcome, Visit
from tenax.stores.contracts.batches import Batch, DomainWork, Settled
from tests.support.store import ACTIVE, StoreWorker, hash_text, make_fetched, make_visit, new_url

PARSER, VERSION = "products", "1"
PARSED_BY = 77


def found_item(
    key: str,
    *,
    kind: str = "product",
    confidence: float | None = None,
    faults: tuple[str, ...] = (),
    **fields: Any,
) -> FoundItem:
    data = orjson.dumps(fields, option=orjson.OPT_SORT_KEYS).decode()
    return FoundItem(
        kind=kind,
        key=key,
        data=data,
        content_hash=hash_text(data),
        confidence=confidence,
        faults=faults,
    )


def parsing(*items: FoundItem, parser: str = PARSER, version: str = VERSION) -> Parsing:
    return Parsing(parser=parser, version=version, items=items)


def failed_parsing(message: str = "no price", *, fingerprint: int = 5, parser: str = PARSER) -> Parsing:
    error = LoggedError(
        category=ErrorCategory.HANDLER,
        type="ValueError",
        message=message,
        stack="shop.py:3 product",
        fingerprint=fingerprint,
        parser=parser,
    )
    return Parsing(parser=parser, version=VERSION, error=error)


def followed_url(url: str, parser: str, data: str, from_id: int) -> NewUrl:
    found = new_url(url, discovered_from=from_id)
    return replace(found, follow_up=FollowUp(parser=parser, data=data))


class ItemWorker:
    """A worker of a run with parsers, which holds its domains as long as a test lasts."""

    def __init__(self, worker: StoreWorker) -> None:
        self.worker = worker
        self.leases: dict[str, Lease] = {}
        self.targets: dict[str, Target] = {}

    async def begin(self, *urls: str) -> "ItemWorker":
        """Add the urls, and claim and load what there is."""
        await self.worker.add(*urls)
        await self.load()
        return self

    async def load(self) -> None:
        for lease in await self.worker.claim():
            self.leases[lease.domain] = lease
        wanted = [(lease.domain_id, 100) for lease in self.leases.values()]
        for head in await self.worker.frontier.heads(wanted, has_parsers=True):
            self.targets |= {target.url: target for target in head.targets}

    async def visit_again(self, url: str) -> None:
        """Queue the url if it was visited."""
        if await self.worker.frontier.requeue([url]):
            await self.load()

    def make_visit(
        self,
        url: str,
        *parsings: Parsing,
        outcome: Outcome | None = None,
        at: Instant | None = None,
        follow: Sequence[NewUrl] = (),
        trials: Sequence[Trial] = (),
        parsed_by: int | None = PARSED_BY,
    ) -> Visit:
        at = self.worker.clock.now() if at is None else at
        visit = make_visit(self.targets[url], outcome or make_fetched(), at=at, discovered=follow)
        return replace(visit, parsings=parsings, trials=tuple(trials), parsed_by=parsed_by)

    def make_batch(self, *visits: Visit) -> Batch:
        works = [
            DomainWork(lease=lease, state=ACTIVE, visits=own)
            for lease in self.leases.values()
            if (own := [visit for visit in visits if f"//{lease.domain}/" in visit.target.url])
        ]
        return replace(self.worker.make_batch(*works), has_parsers=True)

    async def settle(self, *visits: Visit) -> Settled:
        return await self.worker.frontier.settle(self.make_batch(*visits))

    async def show(self, url: str, *items: FoundItem, at: Instant | None = None) -> None:
        """The url shows these items."""
        await self.settle(self.make_visit(url, parsing(*items), at=at))
