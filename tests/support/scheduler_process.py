"""A scheduler in a process of its own, which a failpoint may end."""

import asyncio
from functools import partial

from tenax.clock import SystemClock
from tenax.config import JobSettings
from tenax.jobs.scheduler.scheduler import Scheduler
from tenax.stores.databases.access import open_access
from tenax.stores.databases.reader import tell_time
from tenax.stores.place import Place
from tests.support.jobs import Office, RowLauncher


def run_jobs(place: Place) -> None:
    """All that is due, to its end. It does not leave: it ends as if it were killed."""
    asyncio.run(_run(place))


async def _run(place: Place) -> None:
    async with open_access(place) as access:
        scheduler = Scheduler(
            access, RowLauncher(access, SystemClock()), JobSettings(), partial(tell_time, place)
        )
        await scheduler.poll()
        await Office(access, SystemClock()).end_runs(pages=1)
        await scheduler.poll()
