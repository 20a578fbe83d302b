"""Retries of the urls that show an item, items of a kind or a domain, or invalid items."""

from collections.abc import AsyncIterator
from functools import partial

from tenax.clock import Clock
from tenax.record import record, replace
from tenax.stores.access import Access
from tenax.stores.commands.retries import NONE, Report, Retried, count_urls, ignore_report, retry_urls
from tenax.stores.queries.filters import Filter
from tenax.stores.queries.invalid_items import load_urls_of_invalid
from tenax.stores.queries.items import load_shown_by

ITEMS_AT_ONCE = 500


@record
class ShownItems:
    """Which items: one, or those of a kind, a source and a domain, as far as they are given."""

    item_id: int | None = None
    kind: str | None = None
    source: str | None = None
    domain: str | None = None
    is_invalid: bool = False  # those that break their schema, instead of the items; not with an id


async def retry_shown(
    access: Access, clock: Clock, only: ShownItems, *, most: int | None = None, report: Report = ignore_report
) -> Retried:
    """Queue the urls that show these items, as retry_urls does. `most`: as in retry_given_up. Raises
    UsageError for an unknown source or domain."""
    done = NONE
    async for some in _iter_shown(access, only):
        if most is not None and done.urls >= most:
            return replace(done, is_complete=False)
        done = done.plus(await retry_urls(access, clock, some))
        report(done)
    return done


async def count_shown(
    access: Access, only: ShownItems, *, most: int | None = None, report: Report = ignore_report
) -> Retried:
    """What `retry_shown` would queue now, with the same parameters."""
    done = NONE
    async for some in _iter_shown(access, only):
        if most is not None and done.urls >= most:
            return replace(done, is_complete=False)
        done = done.plus(await count_urls(access, some))
        report(done)
    return done


async def _iter_shown(access: Access, only: ShownItems) -> AsyncIterator[list[str]]:
    """Addresses, each once: a list shows many items."""
    named = Filter(source=only.source, domain=only.domain, item_kind=only.kind)
    seen: set[int] = set()
    after: int | None = 0
    while after is not None:
        if only.is_invalid:
            load = partial(load_urls_of_invalid, only=named, after=after, limit=ITEMS_AT_ONCE)
        else:
            load = partial(load_shown_by, only=named, item_id=only.item_id, after=after, limit=ITEMS_AT_ONCE)
        found, after = await access.read(load)
        yield [url for id, url in found if id not in seen]
        seen.update(id for id, _ in found)
