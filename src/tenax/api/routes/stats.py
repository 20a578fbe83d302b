"""The crawl in numbers."""

from datetime import datetime
from typing import Annotated

from fastapi import Query
from pydantic import Field

from tenax.accounts.permissions import Role
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.parameters import Moment, find_instant
from tenax.api.schemas import Schema
from tenax.api.service import ServiceDep
from tenax.records import DomainStatus, Fate, RunState
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import tell_time
from tenax.stores.queries.stats import StatsPoint as StoredPoint
from tenax.stores.queries.stats import choose_step, load_series, load_totals

router = new_router("stats")

HOUR_S = 3600.0


class Stats(Schema):
    at: datetime
    pages: int = Field(description="Stored pages.")
    urls: int = Field(description="Known urls.")
    queued: int = Field(description="Urls that wait.")
    requests: int
    wire_bytes: int = Field(description="Body bytes as they were sent.")
    pages_per_min: float = Field(description="Of all workers, over the last minute.")
    workers: int = Field(description="Workers that live.")
    fates: dict[Fate, int] = Field(description="How many urls have which fate.")
    domains: dict[DomainStatus, int]
    queued_at_rest: int = Field(description="Urls that wait in domains which rest.")
    forecast_s: float = Field(description="The longest queue times its delay: what is known takes longer.")
    run_id: int | None = Field(description="The newest run.")
    run_state: RunState | None
    runs_under_way: int = Field(description="All that are, side by side, or paused.")


class Point(Schema):
    at: datetime = Field(description="When the span begins.")
    requests: int
    pages: int
    failed: int
    robots_denials: int
    wire_bytes: int
    discovered: int = Field(description="Urls that were named for the first time.")
    mean_duration_s: float = Field(description="What a request took.")
    outcomes: dict[str, int] = Field(description="Visits by outcome.")
    statuses: dict[str, int] = Field(description="Answers by HTTP status.")
    failures: dict[str, int] = Field(description="Failed requests by kind.")


class Series(Schema):
    step_s: int = Field(description="The length of a span: a minute, an hour or a day.")
    since: datetime
    until: datetime
    points: list[Point] = Field(description="Without gaps, the oldest first.")
    total_wire_bytes: int = Field(description="Of all that was ever counted, at the same moment.")


@router.get(
    "/stats/timeseries",
    summary="Get the crawl over time",
    response_model=Series,
    **allow(Role.USER),
)
async def get_timeseries(
    service: ServiceDep,
    since: Annotated[Moment | None, Query(description="From when; none: for an hour.")] = None,
    until: Annotated[Moment | None, Query(description="Until when; none: now.")] = None,
) -> Series:
    """For charts: by minutes for up to six hours, by hours for up to two weeks, by days beyond."""
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


@router.get("/stats", summary="Get the crawl in numbers", response_model=Stats, **allow(Role.ANONYMOUS))
async def get_stats(service: ServiceDep) -> Stats:
    """What anybody may know."""
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
