"""The scheduler: its metrics, the distribution of jobs over time, and rebalancing."""

from collections.abc import Sequence
from datetime import datetime

from pydantic import BaseModel, Field

from tenax.accounts.permissions import Role, TokenScope
from tenax.api.middleware.auditing import AuditDep
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.routes.jobs import JobStats, StatusCounts
from tenax.api.schemas import Schema
from tenax.api.service import Service, ServiceDep
from tenax.clock import Instant
from tenax.jobs.commands import list_timings, rebalance
from tenax.jobs.schedule.slots import (
    DAY_S,
    SLOT_S,
    JobTiming,
    SlotMove,
    count_loads,
    list_slots,
    measure_distribution,
    move_timing,
    plan_rebalance,
)
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import tell_time
from tenax.stores.queries.jobs import SchedulerMetrics, load_scheduler_metrics

router = new_router("scheduler")


class SchedulerView(Schema):
    at: datetime
    jobs: StatusCounts
    executions: JobStats
    due: int = Field(description="Due jobs that no scheduler has started.")
    lag_s: float = Field(description="How long the first of them has been waiting.")
    stale_locks_cleared: int = Field(
        description="How many locks of dead schedulers were cleared, over all jobs."
    )


class Slot(BaseModel):
    at: datetime = Field(description="The start of the slot.")
    jobs: int = Field(description="Runs that start in it.")


class Distribution(BaseModel):
    distribution_score: float = Field(
        description="From 0, everything starts in one slot, to 1, evenly distributed."
    )
    slot_minutes: int
    total: int = Field(description="Runs that start within the next day.")
    peak: int = Field(description="The most runs in one slot.")
    slots: list[Slot] = Field(description="The slots of the next day, starting with the current one.")


class MoveView(Schema):
    job_id: int
    from_at: datetime
    to_at: datetime


class Rebalance(BaseModel):
    moves: list[MoveView]
    distribution_score: float = Field(description="The score without the moves.")
    score_after: float = Field(description="The score with the moves.")


@router.get(
    "/scheduler/metrics", summary="Get scheduler metrics", response_model=SchedulerView, **allow(Role.USER)
)
async def get_scheduler_metrics(service: ServiceDep) -> SchedulerMetrics:
    """Returns metrics from the store, the same on every server."""
    return await service.access.read(
        lambda connection: load_scheduler_metrics(connection, tell_time(service.place, connection))
    )


@router.get(
    "/scheduler/distribution",
    summary="Get the distribution of jobs",
    response_model=Distribution,
    **allow(Role.USER),
)
async def get_distribution(service: ServiceDep) -> Distribution:
    """Returns how many runs start in each slot of the next day."""
    timings, now = await _load(service)
    loads, slots = count_loads(timings, now, DAY_S), list_slots(now, DAY_S)
    return Distribution(
        distribution_score=_score(timings, now),
        slot_minutes=SLOT_S // 60,
        total=loads.total(),
        peak=max(loads.values(), default=0),
        slots=[Slot.model_validate({"at": slot * SLOT_S, "jobs": loads[slot]}) for slot in slots],
    )


@router.post(
    "/scheduler/rebalance/preview",
    summary="Preview a rebalance",
    response_model=Rebalance,
    **allow(Role.ADMIN, scope=TokenScope.WRITE),
)
async def preview_rebalance(service: ServiceDep) -> Rebalance:
    """Returns the moves that a rebalance would make, without changing anything."""
    timings, now = await _load(service)
    return _describe(plan_rebalance(timings, now), timings, now)


@router.post(
    "/scheduler/rebalance",
    summary="Rebalance jobs",
    response_model=Rebalance,
    **allow(Role.ADMIN, scope=TokenScope.WRITE),
)
async def rebalance_jobs(service: ServiceDep, audit: AuditDep) -> Rebalance:
    """Moves jobs out of crowded slots. Jobs that start within half an hour, or were moved within the last
    hour, stay where they are."""

    def work(connection: Connection) -> Rebalance:
        now = tell_time(service.place, connection)
        timings = list_timings(connection)
        return _describe(rebalance(connection, now), timings, now)

    async with audit("scheduler.rebalance") as entry:
        done = await service.access.write(work)
        entry.detail["moved"] = len(done.moves)
    return done


async def _load(service: Service) -> tuple[list[JobTiming], Instant]:
    def load(connection: Connection) -> tuple[list[JobTiming], Instant]:
        return list_timings(connection), tell_time(service.place, connection)

    return await service.access.read(load)


def _describe(moves: Sequence[SlotMove], timings: Sequence[JobTiming], now: Instant) -> Rebalance:
    """`timings`: before the moves."""
    moved = {move.job_id: move.to_at for move in moves}
    after = [move_timing(each, moved[each.job_id]) if each.job_id in moved else each for each in timings]
    return Rebalance(
        moves=[MoveView.model_validate(move) for move in moves],
        distribution_score=_score(timings, now),
        score_after=_score(after, now),
    )


def _score(timings: Sequence[JobTiming], now: Instant) -> float:
    slots = len(list_slots(now, DAY_S))
    return round(measure_distribution(count_loads(timings, now, DAY_S), slots), 3)
