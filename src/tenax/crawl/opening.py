"""Opens a run: takes in its seeds and its rules, and queues what is to be visited again. Nobody need fetch
for that: workers come and join.
"""

from collections.abc import Callable, Sequence

from tenax.clock import Clock
from tenax.config import Settings
from tenax.crawl.readmission import readmit, rules_changed
from tenax.crawl.refresh import promote_due
from tenax.crawl.surveyor import Surveyor
from tenax.policy.scope import Scope
from tenax.stores.base import FrontierStore, RefreshStore, Run, RunStore
from tenax.stores.seed_lists import SeedStore, make_seed
from tenax.telemetry import log
from tenax.values import record


@record(frozen=True, slots=True, kw_only=True)
class Opened:
    run: Run
    surveyor: Surveyor


def _never() -> bool:
    return False


@record(frozen=True, slots=True, kw_only=True)
class Opener:
    settings: Settings
    frontier: FrontierStore
    runs: RunStore
    refresh: RefreshStore
    seeds: SeedStore
    clock: Clock

    async def open(
        self, seeds: Sequence[str], *, is_refresh: bool = False, is_stopped: Callable[[], bool] = _never
    ) -> Opened:
        """Go on with the run that is under way or paused, or start one, with these seeds and settings.
        `seeds` are normalised urls. `is_refresh`: pages that are due to be visited again are queued.
        Repeating is safe: whoever dies in the middle has opened nothing."""
        earlier = await self.runs.find_last()
        await self.frontier.add_urls([make_seed(seed) for seed in seeds], self.clock.now())
        surveyor = await Surveyor.open(self.seeds, self.settings.scope.kind)
        # Before the run takes the settings over: whoever dies in the middle leaves the change to be seen.
        if earlier is not None and rules_changed(earlier.settings_json, self.settings):
            scope = Scope.build(self.settings.scope, self.settings.limits, surveyor.roots)
            added = await readmit(scope, surveyor, self.frontier, self.runs, self.clock.now())
            log.info("rules_changed", urls_added=added)
        run = await self.runs.open_run(self.settings.model_dump_json())
        if is_refresh:
            promoted = await promote_due(self.refresh, self.settings, run.pages, is_stopped)
            log.info("refresh_planned", run=run.id, urls=promoted)
        return Opened(run=run, surveyor=surveyor)

    async def start(self, seeds: Sequence[str], *, is_refresh: bool = False) -> Run | None:
        """Start a run; None: one is under way or paused, and nothing was done. Of two who try at once one is
        refused. Whoever dies in the middle leaves a run that is paused, as the last one was ordered."""
        if await self.runs.reserve_run() is None:
            return None
        opened = await self.open(seeds, is_refresh=is_refresh)
        return opened.run
