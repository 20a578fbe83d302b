"""Runs of a store: opened for waiting workers, listed, resumed; dead workers removed."""

from collections.abc import Sequence

from tenax.clock import SystemClock
from tenax.config.settings import Settings
from tenax.crawl.run.opening import Opened, Opener
from tenax.crawl.worker import dead_workers
from tenax.records.jobs import Recrawl
from tenax.runtime.backends import find_backend
from tenax.stores.backend import Stores
from tenax.stores.contracts.runs import LastRun, ResumeResult
from tenax.stores.layout import WORKERS_NAME
from tenax.stores.place import Place
from tenax.stores.presence import Presence


async def remove_dead_workers(place: Place) -> None:
    """Free the domains of workers of this machine whose process is gone."""
    backend = find_backend(place)
    async with backend.open_stores(place, SystemClock()) as stores:
        await remove_dead_workers_in(place, stores)


async def remove_dead_workers_in(place: Place, stores: Stores) -> None:
    # Not entered: this process is not a worker and must not look like one.
    await dead_workers.remove_dead_workers(Presence(place.folder / WORKERS_NAME, ""), stores.runs)


async def list_open_runs(place: Place) -> list[LastRun]:
    """Active and paused runs of all sources, oldest first. Empty if there is no store; none is created."""
    backend = find_backend(place)
    if not backend.has_store(place):
        return []
    async with backend.open_stores(place, SystemClock()) as stores:
        return await stores.runs.list_open()


async def start_run(
    place: Place,
    stores: Stores,
    settings: Settings,
    seeds: Sequence[str],
    *,
    recrawl: Recrawl = Recrawl.NEW,
) -> Opened | None:
    """Open a run for waiting workers; see Opener.start. `stores`: of the crawl. `seeds`: addresses."""
    opener = Opener(settings=settings, stores=stores)
    await remove_dead_workers_in(place, stores)
    return await opener.start(seeds, recrawl=recrawl)


async def resume_run(place: Place, run_id: int) -> ResumeResult:
    """See RunStore.resume."""
    backend = find_backend(place)
    backend.refuse_missing(place)
    async with backend.open_stores(place, SystemClock()) as stores:
        return await resume_in(place, stores, run_id)


async def resume_in(place: Place, stores: Stores, run_id: int) -> ResumeResult:
    """The same, on an open store."""
    await remove_dead_workers_in(place, stores)
    return await stores.runs.resume(run_id)
