"""Opens a run: applies its seeds and rules, and queues what is to be visited again. That needs no fetcher:
workers join the run later.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Collection, Sequence

from tenax import failpoints
from tenax.config.settings import Settings
from tenax.crawl.run.readmission import (
    SCOPE_REASONS,
    list_lifted,
    list_wanted,
    readmit,
    reclassify,
    rules_changed,
)
from tenax.crawl.run.refresh import promote_due
from tenax.crawl.run.retracing import retrace
from tenax.crawl.worker.seed_roots import SeedRoots
from tenax.errors import DomainsBusy
from tenax.policy.scope import Scope
from tenax.record import record
from tenax.records.jobs import Recrawl
from tenax.stores.backend import Stores
from tenax.stores.contracts.runs import LastRun, Run
from tenax.stores.contracts.takeover import TakeoverResult
from tenax.stores.hot.seeds import make_seed
from tenax.telemetry import log
from tenax.web.urls import domain_of

SEEDS_AT_ONCE = 1000
AHEAD_S = {Recrawl.DUE: 0.0, Recrawl.ALL: float("inf")}


@record
class Opened:
    run: Run
    seed_roots: SeedRoots
    taking: TakeoverResult  # what was taken over from other crawls


def _never() -> bool:
    return False


@record
class Opener:
    settings: Settings
    stores: Stores  # of the crawl or source

    async def open(
        self,
        seeds: Sequence[str],
        *,
        recrawl: Recrawl = Recrawl.NEW,
        is_stopped: Callable[[], bool] = _never,
    ) -> Opened:
        """Continue the run that is active or paused, or start one, with these seeds and settings. `seeds`
        are addresses. Repeating is safe: a process that dies in the middle has opened nothing. DomainsBusy:
        another run crawls the domains of the seeds, or those of earlier seeds if none are given."""
        domains = {domain_of(seed) for seed in seeds}
        taking = await self.stores.runs.take(domains)
        earlier = await self.stores.runs.find_last()
        await self.stores.frontier.add_urls([make_seed(seed) for seed in seeds], self.stores.clock.now())
        seed_roots = await SeedRoots.open(self.stores.seeds, self.settings.scope.kind)
        # Before the run takes over the settings: if the process dies in between, the change is still visible.
        is_changed = earlier is not None and rules_changed(earlier.settings_json, self.settings)
        is_mixed = (await self.stores.runs.find_sharing()).is_mixed
        if is_changed or is_mixed:
            await self._apply_rules(seed_roots, is_changed=is_changed, is_mixed=is_mixed)
        if earlier is not None:
            await self._reopen_dead(earlier)
            await self._reopen_skipped(earlier)
        failpoints.reach("open.before")
        run = await self.stores.runs.open_run(self.settings.model_dump_json(), domains)
        failpoints.reach("open.after")
        await self._promote(run, recrawl, is_stopped)
        return Opened(run=run, seed_roots=seed_roots, taking=taking)

    async def start(self, seeds: Sequence[str], *, recrawl: Recrawl = Recrawl.NEW) -> Opened | None:
        """Start a run; None: one is active or paused, and nothing was done. Of two concurrent calls one is
        refused. A process that dies in the middle leaves a paused run with the settings of the last one.
        DomainsBusy: see `open`; no run was started."""
        reservation = await self.stores.runs.reserve_run()
        if reservation is None:
            return None
        async with self._giving_up(reservation.run):
            return await self.open(seeds, recrawl=recrawl)

    async def find_more(self, seed_roots: SeedRoots) -> bool:
        """When a run has nothing left: whether domains with urls set aside have become free, or pages that
        other crawls have fetched lead to new urls. Those are queued then."""
        sharing = await self.stores.runs.find_sharing()
        returned = added = 0
        if sharing.has_aside:
            # The run is active, so it has all the domains that it needs.
            with contextlib.suppress(DomainsBusy):
                returned = (await self.stores.runs.take()).returned
        if sharing.is_mixed:
            added = await self._retrace(await self._build_scope(seed_roots), seed_roots)
        return bool(returned or added)

    async def launch(
        self, execution_id: int, starts: Sequence[str], *, roots: Collection[str], recrawl: Recrawl
    ) -> Run:
        """Start the run of an execution, unless it was started: repeating is safe, even after a crash. It
        begins with `starts`, which are visited again if they were before; `roots` are all seeds of the
        source, and no other urls count as seeds. DomainsBusy: nothing was done."""
        reservation = await self.stores.runs.reserve_run(execution_id)
        if reservation is None:
            raise DomainsBusy("Another run of this source is active or paused.")
        if reservation.is_opened:
            return reservation.run
        async with self._giving_up(reservation.run):
            await self.stores.runs.take({domain_of(start) for start in starts})
            await self.stores.seeds.replace_seeds(roots)
            # Before its seeds activate a domain: only domains with nothing else to do are refreshed.
            await self._promote(reservation.run, recrawl)
            await self.stores.frontier.requeue(starts)
            if len(starts) == len(roots):
                await self._requeue_targets()
            return (await self.open(starts)).run

    @contextlib.asynccontextmanager
    async def _giving_up(self, reserved: Run) -> AsyncIterator[None]:
        """Withdraw the reservation if its domains are busy."""
        try:
            yield
        except DomainsBusy:
            await self.stores.runs.withdraw(reserved.id)
            raise

    async def _apply_rules(self, seed_roots: SeedRoots, *, is_changed: bool, is_mixed: bool) -> None:
        scope = await self._build_scope(seed_roots)
        # In domains that other crawls share, urls may be merged by their rules.
        await reclassify(scope.merging, self.stores.merges)
        if is_mixed:
            if is_changed:
                await self.stores.runs.reopen_refused(SCOPE_REASONS)
            await self._retrace(scope, seed_roots)
        else:
            added = await readmit(scope, seed_roots, self.stores)
            log.info("rules_changed", urls_added=added)

    async def _retrace(self, scope: Scope, seed_roots: SeedRoots) -> int:
        added = await retrace(scope, seed_roots, self.stores)
        log.info("links_retraced", urls_added=added)
        return added

    async def _build_scope(self, seed_roots: SeedRoots) -> Scope:
        # In a thread: a server keeps answering requests.
        return await asyncio.to_thread(
            Scope.build, self.settings.scope, self.settings.limits, seed_roots.roots
        )

    async def _reopen_dead(self, earlier: LastRun) -> None:
        """Reopen urls that were given up because of limits that are higher now."""
        if lifted := list_lifted(earlier.settings_json, self.settings):
            reopened = await self.stores.runs.reopen_dead(sorted(lifted))
            log.info("limits_raised", urls_reopened=reopened)

    async def _reopen_skipped(self, earlier: LastRun) -> None:
        """Reopen documents of types that were not read then."""
        if wanted := list_wanted(earlier.settings_json, self.settings):
            reopened = await self.stores.runs.reopen_skipped(sorted(wanted))
            log.info("content_types_added", urls_reopened=reopened)

    async def _promote(self, run: Run, recrawl: Recrawl, is_stopped: Callable[[], bool] = _never) -> None:
        if recrawl is Recrawl.NEW:
            return
        promoted = await promote_due(
            self.stores.refresh, self.settings, run.pages, is_stopped, AHEAD_S[recrawl]
        )
        log.info("refresh_planned", run=run.id, urls=promoted)

    async def _requeue_targets(self) -> None:
        """Requeue the targets of redirected seeds too."""
        after_id = 0
        while True:
            seeds, after_id = await self.stores.seeds.load_seeds(after_id, SEEDS_AT_ONCE)
            await self.stores.frontier.requeue(seeds)
            if len(seeds) < SEEDS_AT_ONCE:
                return
