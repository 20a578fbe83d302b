"""Follows the feeds of sources: looks for them, polls them at their interval, queues their entries.

Any number of servers may do this concurrently: the store decides which server polls which feed. If a server
dies halfway, nothing is lost: the feed is polled again once the lock has expired, and its entries are stored
only once.
"""

import asyncio
import uuid
from dataclasses import replace
from functools import partial
from typing import Final

from tenax.config.settings import Settings
from tenax.errors import ConfigError, StoreError
from tenax.failpoints import reach
from tenax.fetch.base import Fetcher
from tenax.jobs.feeds.conclusion import FeedConclusion, FeedPoll, conclude, fail, give_up
from tenax.jobs.feeds.fetcher import FeedFetcher, Sleep
from tenax.jobs.feeds.plan import FeedPlan, plan_feeds
from tenax.jobs.feeds.requests import FeedClaim, FeedPostponed, FeedRequests
from tenax.records.feeds import FeedState
from tenax.records.jobs import Source
from tenax.records.requests import Failure, Response
from tenax.records.urls import RefusalReason
from tenax.records.visits import Refused
from tenax.stores.access import Access
from tenax.stores.backend import Stores
from tenax.stores.feeds.feeds import (
    FeedFinding,
    add_feeds,
    claim_feeds,
    is_due,
    release_feed,
    remove_feeds,
    save_finding,
)
from tenax.stores.jobs.sources import list_sources
from tenax.telemetry import log

POLL_EVERY_S: Final = 5.0
SOURCES_EVERY_S: Final = 60.0
BATCH: Final = 8


class FeedPoller:
    """Polls feeds. `fetcher` has no headers of its own; each request carries those of its source."""

    def __init__(
        self,
        settings: Settings,
        access: Access,
        stores: Stores,
        fetcher: Fetcher,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._settings = settings
        self._access = access
        self._stores = stores
        self._clock = stores.clock
        self._fetcher = fetcher
        self._feed_fetcher = FeedFetcher(stores.clock, sleep)
        self._plans: dict[int, FeedPlan] = {}

    async def repeat(self) -> None:
        """Poll until cancelled."""
        refreshed_at = -SOURCES_EVERY_S
        loop = asyncio.get_running_loop()
        while True:
            try:
                if loop.time() - refreshed_at >= SOURCES_EVERY_S:
                    refreshed_at = loop.time()
                    await self.refresh_sources()
                while await self.poll():
                    pass
            except StoreError as error:
                log.warning("feeds_not_polled", error=str(error))
            await asyncio.sleep(POLL_EVERY_S)

    async def refresh_sources(self) -> None:
        """Apply changes to sources: where to look for feeds, and whose feeds are no longer wanted."""
        found = [source for source in await self._access.read(list_sources) if source.enabled]
        known = {source.id for source in found}
        self._plans = {id: plan for id, plan in self._plans.items() if id in known}
        for source in found:
            plan = self._plans.get(source.id)
            if plan is None or plan.version != source.version:
                await self._apply_source(source)
        unwanted = [id for id, plan in self._plans.items() if not plan.wants_feeds]
        await self._access.write(partial(remove_feeds, source_ids=unwanted))

    async def _apply_source(self, source: Source) -> None:
        try:
            plan = plan_feeds(source, self._settings, self._access.vault)
        except ConfigError as error:
            log.warning("source_not_understood", source=source.name, error=str(error))
            return
        if plan.wants_feeds:
            places, now = plan.list_places(), self._clock.now()
            await self._access.write(
                lambda connection: add_feeds(connection, source.id, places, plan.interval_s, now)
            )
        self._plans[source.id] = plan

    async def poll(self) -> int:
        """Poll the feeds that are due, several concurrently; returns how many."""
        now = self._clock.now()
        if not await self._access.read(partial(is_due, now=now)):
            return 0
        token = str(uuid.uuid4())
        plans = {id: plan for id, plan in self._plans.items() if plan.wants_feeds}
        terms = {id: plan.terms for id, plan in plans.items()}
        taken = await self._access.write(lambda connection: claim_feeds(connection, token, BATCH, terms, now))
        reach("feeds.taken")
        async with asyncio.TaskGroup() as group:
            for each in taken:
                claimed = FeedClaim(taken=each, token=token, plan=plans[each.feed.source_id])
                group.create_task(self._try(claimed))
        return len(taken)

    async def _try(self, claimed: FeedClaim) -> None:
        try:
            try:
                await self._poll_feed(claimed)
            except StoreError:
                raise
            except Exception as error:
                await self._record_crash(claimed, error)
        except StoreError as error:
            # Its lock expires, and it is polled again.
            log.warning("feed_not_polled", url=claimed.feed.url, error=str(error))

    async def _record_crash(self, claimed: FeedClaim, error: Exception) -> None:
        """A bug that one feed triggered: the other feeds are polled all the same."""
        log.error("feed_failed", url=claimed.feed.url, exc_info=error)
        detail = f"internal error: {type(error).__name__}"
        await self._save(claimed, fail(self._make_poll(claimed), detail), 0)

    def _make_poll(self, claimed: FeedClaim) -> FeedPoll:
        return FeedPoll(feed=claimed.feed, interval_s=claimed.plan.interval_s, at=self._clock.now())

    async def _poll_feed(self, claimed: FeedClaim) -> None:
        requests = FeedRequests(self._access, self._fetcher, self._clock, claimed)
        answer = await self._feed_fetcher.fetch(claimed.feed, claimed.plan, requests)
        await requests.end()
        if isinstance(answer, FeedPostponed):
            await self._release(claimed, answer.wait_s)
        else:
            await self._settle(claimed, answer)

    async def _settle(self, claimed: FeedClaim, answer: Response | Failure | Refused) -> None:
        poll = self._make_poll(claimed)
        if isinstance(answer, Refused):
            concluded = FeedConclusion(finding=_conclude_refusal(poll, answer))
        else:
            # Parsing a hostile feed may take a second.
            concluded = await asyncio.to_thread(conclude, poll, answer)
        wanted = list(claimed.plan.admit(concluded.entries))
        # Before the finding is saved: a server that dies in between polls the same entries again.
        frontier = self._stores.of_source(claimed.feed.source_id).frontier
        added = await frontier.add_urls(wanted, poll.at) if wanted else 0
        reach("feeds.added")
        await self._save(claimed, concluded.finding, added)

    async def _save(self, claimed: FeedClaim, found: FeedFinding, added: int) -> None:
        feed, now = claimed.feed, self._clock.now()
        counted = replace(found, entries_new=added)
        saved = await self._access.write(
            lambda connection: save_finding(connection, feed, claimed.token, counted, now)
        )
        if saved:
            log.info("feed_polled", url=feed.url, state=found.state, entries_new=added, error=found.error)

    async def _release(self, claimed: FeedClaim, wait_s: float) -> None:
        until = self._clock.now() + wait_s
        await self._access.write(
            lambda connection: release_feed(connection, claimed.feed, claimed.token, until)
        )


def _conclude_refusal(poll: FeedPoll, refusal: Refused) -> FeedFinding:
    """robots.txt disallows it. A guessed address is given up; a known feed may be allowed again later."""
    if poll.feed.kind is None and refusal.reason is RefusalReason.ROBOTS:
        return give_up(poll.feed, refusal.detail, FeedState.ABSENT)
    return fail(poll, refusal.detail)
