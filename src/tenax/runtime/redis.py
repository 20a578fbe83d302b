"""Redis as commands see it: the reports of workers, and lists of seeds."""

from collections.abc import (
    AsyncIterator,
    Sequence,
)

from tenax.clock import SystemClock
from tenax.config.settings import Settings
from tenax.coordination.address import parse_address
from tenax.coordination.base import WorkerReport
from tenax.coordination.keys import build_names
from tenax.coordination.members import Member, read_members
from tenax.coordination.redis import RedisCoordination
from tenax.record import record


@record
class RedisView:
    """What Redis holds about some runs, and whether it can be reached."""

    trouble: str | None
    reports: list[WorkerReport]  # of the workers of these runs


async def look_at_redis(settings: Settings, store: str, runs: Sequence[int]) -> RedisView:
    """`store`: its identity."""
    clock = SystemClock()
    names = build_names(store, settings.fetch)
    async with RedisCoordination(
        parse_address(settings.redis.url or ""), settings.redis, names, clock
    ) as redis:
        trouble = await redis.check()
        reports = [report for run_id in runs for report in await redis.list_reports(run_id)]
        return RedisView(trouble=trouble, reports=reports)


def read_redis(url: str, key: str) -> AsyncIterator[Sequence[Member]]:
    """The members of a list, set or sorted set, in small parts."""
    return read_members(parse_address(url), key)
