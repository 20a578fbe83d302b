"""Items as parsers find them, and visits that show them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import orjson

from tenax.clock import Instant
from tenax.records.domains import Lease
from tenax.records.items import ErrorCategory, FollowUp, FoundItem, LoggedError, Parsing, Trial
from tenax.records.urls import NewUrl, Target
from tenax.records.visits import Outcome, Visit
from tenax.stores.contracts.batches import Batch, DomainWork, Settled
from tests.support.store import ACTIVE, Rows, StoreWorker, hash_text, make_fetched, make_visit, new_url

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


# What must never be found, whatever was killed and when: the sentence and the query that finds it.
_UNTRUTHS = {
    "has another number of changes": """
        SELECT i.id, i.changes FROM items i
        WHERE i.changes <> (SELECT count(*) FROM item_changes c WHERE c.item_id = i.id)
    """,
    "was not new exactly once": """
        SELECT i.id, i.key FROM items i
        WHERE 1 <> (SELECT count(*) FROM item_changes c WHERE c.item_id = i.id AND c.kind = 'new')
    """,
    "is gone although a page shows it, or there although none does": """
        SELECT i.id, i.gone_at FROM items i
        WHERE (i.gone_at IS NULL) <> EXISTS (SELECT 1 FROM observations o WHERE o.item_id = i.id)
    """,
    "is not its newest observation": """
        SELECT i.id, i.url_id, o.url_id FROM items i JOIN observations o ON o.item_id = i.id
        WHERE i.url_id <> o.url_id AND o.at > (
            SELECT n.at FROM observations n WHERE n.item_id = i.id AND n.url_id = i.url_id
        )
    """,
    "differs from the observation that it is": """
        SELECT i.id, i.content_hash, o.content_hash FROM items i
        JOIN observations o ON o.item_id = i.id AND o.url_id = i.url_id
        WHERE i.content_hash <> o.content_hash OR o.data IS NOT NULL AND o.data <> i.data
    """,
    "has an observation without data that differs from it": """
        SELECT i.id, o.url_id FROM items i JOIN observations o ON o.item_id = i.id
        WHERE o.data IS NULL AND o.content_hash <> i.content_hash
    """,
    "is an observation of nothing": """
        SELECT o.id, o.item_id FROM observations o
        WHERE NOT EXISTS (SELECT 1 FROM items i WHERE i.id = o.item_id)
    """,
    "is a change that the log does not have once": """
        SELECT c.id, c.kind FROM item_changes c
        WHERE 1 <> (SELECT count(*) FROM change_log l WHERE l.topic = 'item' AND l.subject_id = c.id)
    """,
    "is a product without its row, or the row of something else": """
        SELECT i.id, p.item_id FROM items i FULL JOIN products p ON p.item_id = i.id
        WHERE p.item_id IS NULL AND i.kind = 'product' OR i.id IS NULL
            OR p.item_id IS NOT NULL AND i.kind <> 'product'
    """,
    "is not what the row of its product says": """
        SELECT i.id FROM items i JOIN products p ON p.item_id = i.id
        WHERE p.source_id <> i.source_id OR p.domain_id <> i.domain_id OR p.url_id <> i.url_id
            OR p.updated_at <> i.changed_at OR p.created_at <> i.first_seen_at
            OR coalesce(p.gone_at, 0) <> coalesce(i.gone_at, 0)
    """,
    "is a change of a product, but none of its item": """
        SELECT p.id FROM product_changes p
        WHERE NOT EXISTS (
            SELECT 1 FROM item_changes c
            WHERE c.id = p.id AND c.item_id = p.item_id AND c.kind = p.kind AND c.at = p.at
        )
    """,
    "is new, gone or back, but not as a product": """
        SELECT c.id, c.kind FROM item_changes c JOIN items i ON i.id = c.item_id
        WHERE i.kind = 'product' AND c.kind <> 'changed'
            AND NOT EXISTS (SELECT 1 FROM product_changes p WHERE p.id = c.id)
    """,
    "is a group with another number of errors": """
        SELECT g.id, g.count FROM error_groups g WHERE g.count <> (
            SELECT count(*) FROM errors e WHERE e.source_id = g.source_id AND e.fingerprint = g.fingerprint
        )
    """,
    "is an error without a group": """
        SELECT e.id, e.message FROM errors e WHERE NOT EXISTS (
            SELECT 1 FROM error_groups g WHERE g.source_id = e.source_id AND g.fingerprint = e.fingerprint
        )
    """,
    "are other items than parsers were counted with": """
        SELECT sum(items), (SELECT coalesce(sum(items), 0) FROM parser_stats) FROM runs
        HAVING sum(items) <> (SELECT coalesce(sum(items), 0) FROM parser_stats)
    """,
}


def find_untrue_items(query: Callable[[str], Rows]) -> list[str]:
    """What the rows about items say wrongly."""
    untrue = [f"{row}: {what}" for what, sql in _UNTRUTHS.items() for row in query(sql)]
    return untrue + list(_replay(query))


def _replay(query: Callable[[str], Rows]) -> Iterator[str]:
    """Items that are not what their history leads to."""
    state: dict[int, dict[str, Any]] = {}
    for item_id, fields in query("SELECT item_id, fields FROM item_changes ORDER BY id"):
        told = state.setdefault(item_id, {})
        for name, (old, new) in orjson.loads(fields or "{}").items():
            if told.get(name) != old:
                yield f"item {item_id}: {name} was {told.get(name)}, but its history says {old}"
            told[name] = new
    for item_id, data in query("SELECT id, data FROM items"):
        told = {name: value for name, value in state.get(item_id, {}).items() if value is not None}
        if told != orjson.loads(data):
            yield f"item {item_id} is {data}, but its history says {told}"
