"""A scheduler in a separate process, which a failpoint may end."""

import asyncio
from functools import partial

from tenax.clock import SystemClock
from tenax.config.service import JobSettings
from tenax.jobs.scheduler.scheduler import Scheduler
from tenax.stores.databases.access import open_access
from tenax.stores.databases.reader import tell_time
from tenax.stores.place import Place
from tests.support.jobs import JobHarness, RowLauncher


def run_jobs(place: Place) -> None:
    """Run all due jobs to their end. Then the process ends like a killed one, without signing off."""
    asyncio.run(_run(place))


async def _run(place: Place) -> None:
    async with open_access(place) as access:
        scheduler = Scheduler(
            access, RowLauncher(access, SystemClock()).launch, JobSettings(), partial(tell_time, place)
        )
        await scheduler.poll()
        await JobHarness(access, SystemClock()).end_runs(pages=1)
        await scheduler.poll()
