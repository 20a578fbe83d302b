"""Workers whose process is gone."""

from tenax.stores.contracts.runs import RunStore
from tenax.stores.contracts.workers import SignOfLife
from tenax.telemetry import log


async def remove_dead_workers(watch: SignOfLife, runs: RunStore) -> None:
    """Free the domains of workers whose process is gone."""
    dead = watch.find_dead()
    if not dead:
        return
    freed = await runs.end_dead_workers(dead)
    for worker in dead:
        watch.forget(worker)
    log.info("dead_workers_buried", workers=[worker.uuid for worker in dead], domains=freed)
