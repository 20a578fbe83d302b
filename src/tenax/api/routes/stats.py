"""Statistics of the crawl."""

from datetime import datetime
from typing import Annotated

from fastapi import Query
from pydantic import Field

from tenax.accounts.permissions import Role
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.parameters import Moment, find_instant
from tenax.api.schemas import Schema
from tenax.api.service import ServiceDep
from tenax.records.domains import DomainStatus
from tenax.records.runs import RunState
from tenax.records.urls import Fate
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import tell_time
from tenax.stores.queries.stats import StatsPoint as StoredPoint
from tenax.stores.queries.stats import choose_step, load_series, load_totals

router = new_router("stats")

HOUR_S = 3600.0


class Stats(Schema):
    at: datetime
    pages: int = Field(description="Stored pages.")
    urls: int = Field(description="Known URLs.")
    queued: int = Field(description="Waiting URLs.")
    requests: int
    wire_bytes: int = Field(description="Body bytes as transferred.")
    pages_per_min: float = Field(description="Pages per minute of all workers, over the last minute.")
    workers: int = Field(description="Live workers.")
    fates: dict[Fate, int] = Field(description="URLs by fate.")
    domains: dict[DomainStatus, int]
    queued_at_rest: int = Field(description="Waiting URLs in domains that rest.")
    forecast_s: float = Field(
        description="A lower bound for the remaining time: the longest queue times its delay."
    )
    run_id: int | None = Field(description="The newest run.")
    run_state: RunState | None
    runs_under_way: int = Field(description="The number of running and paused runs.")


class Point(Schema):
    at: datetime = Field(description="The start of the interval.")
    requests: int
    pages: int
    failed: int
    robots_denials: int
    wire_bytes: int
    discovered: int = Field(description="URLs that were found for the first time.")
    mean_duration_s: float = Field(description="The average duration of a request.")
    outcomes: dict[str, int] = Field(description="Visits by outcome.")
    statuses: dict[str, int] = Field(description="Responses by HTTP status.")
    failures: dict[str, int] = Field(description="Failed requests by kind.")


class Series(Schema):
    step_s: int = Field(description="The length of an interval: a minute, an hour or a day.")
    since: datetime
    until: datetime
    points: list[Point] = Field(description="Without gaps, oldest first.")
    total_wire_bytes: int = Field(description="The all-time total at the same moment.")


@router.get(
    "/stats/timeseries",
    summary="Get statistics over time",
    response_model=Series,
    **allow(Role.USER),
)
async def get_timeseries(
    service: ServiceDep,
    since: Annotated[Moment | None, Query(description="The start; default: one hour before the end.")] = None,
    until: Annotated[Moment | None, Query(description="The end; default: now.")] = None,
) -> Series:
    """Returns data for charts: by minute for up to six hours, by hour for up to two weeks, by day beyond."""
    first, last = find_instant(since), find_instant(until)

    def load(connection: Connection) -> Series:
        now = tell_time(service.place, connection)
        end = now if last is None else min(last, now)
        start = end - HOUR_S if first is None else min(first, end)
        step = choose_step(start, end, now)
        points = load_series(connection, since=start, until=end, step=step)
        return Series(
            step_s=step,
            since=start,
            until=end,
            points=[_format(point) for point in points],
            total_wire_bytes=load_totals(connection).wire_bytes,
        )

    return await service.access.read(load)


def _format(point: StoredPoint) -> Point:
    counts = point.counts
    return Point(
        at=point.at,
        requests=counts.requests,
        pages=counts.pages,
        failed=counts.failed,
        robots_denials=counts.robots_denials,
        wire_bytes=counts.wire_bytes,
        discovered=counts.discovered,
        mean_duration_s=counts.duration_s / counts.requests if counts.requests else 0.0,
        outcomes=counts.outcomes,
        statuses=counts.statuses,
        failures=counts.failures,
    )


@router.get("/stats", summary="Get statistics", response_model=Stats, **allow(Role.ANONYMOUS))
async def get_stats(service: ServiceDep) -> Stats:
    """Returns the public statistics of the crawl."""
    status = await service.status.get()
    found = status.store
    live = [worker for worker in found.workers if worker.is_alive]
    last = found.runs[0] if found.runs else None
    return Stats(
        at=status.at,
        pages=found.pages,
        urls=found.urls,
        queued=found.queued,
        requests=found.requests,
        wire_bytes=found.wire_bytes,
        pages_per_min=sum(worker.pages_per_min for worker in live),
        workers=len(live),
        fates=dict(found.fates),
        domains=dict(found.domains),
        queued_at_rest=found.queued_at_rest,
        forecast_s=found.forecast_s,
        run_id=last.id if last else None,
        run_state=last.state if last else None,
        runs_under_way=found.runs_count,
    )
