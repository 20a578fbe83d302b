"""The scheduler: how it fares, how evenly jobs are spread, and spreading them better."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pydantic import BaseModel, Field

from tenax.accounts.permissions import Role, Scope
from tenax.api.middleware.auditing import AuditDep
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.routes.jobs import JobStats, StatusCounts
from tenax.api.schemas import Schema
from tenax.api.service import Service, ServiceDep
from tenax.clock import Instant
from tenax.jobs.commands import list_rhythms, rebalance
from tenax.jobs.schedule.slots import (
    DAY_S,
    SLOT_S,
    Move,
    Rhythm,
    count_loads,
    list_slots,
    measure_distribution,
    move_rhythm,
    plan_rebalance,
)
from tenax.stores.queries.jobs import SchedulerMetrics, load_scheduler_metrics
from tenax.stores.reading import tell_time

router = new_router("scheduler")


class SchedulerView(Schema):
    at: datetime
    jobs: StatusCounts
    executions: JobStats
    due: int = Field(description="Jobs whose time has come and that no scheduler has taken.")
    lag_s: float = Field(description="How long the first of them has waited.")
    stale_locks_cleared: int = Field(description="How often a scheduler was found dead, over all jobs.")


class Slot(BaseModel):
    at: datetime = Field(description="When it begins.")
    jobs: int = Field(description="Runs that begin in it.")


class Distribution(BaseModel):
    distribution_score: float = Field(description="From 0, everything begins at once, to 1, all is even.")
    slot_minutes: int
    total: int = Field(description="Runs that begin in the coming day.")
    peak: int = Field(description="The most of one slot.")
    slots: list[Slot] = Field(description="Of the coming day; the first has begun.")


class MoveView(Schema):
    job_id: int
    from_at: datetime
    to_at: datetime


class Rebalance(BaseModel):
    moves: list[MoveView]
    distribution_score: float = Field(description="As it is without them.")
    score_after: float = Field(description="As it is with them.")


@router.get(
    "/scheduler/metrics", summary="Measure the scheduler", response_model=SchedulerView, **allow(Role.USER)
)
async def get_scheduler_metrics(service: ServiceDep) -> SchedulerMetrics:
    """The same from every server: it is told from the store."""
    return await service.access.read(
        lambda connection: load_scheduler_metrics(connection, tell_time(service.place, connection))
    )


@router.get(
    "/scheduler/distribution",
    summary="Show how jobs are spread",
    response_model=Distribution,
    **allow(Role.USER),
)
async def get_distribution(service: ServiceDep) -> Distribution:
    """Over the slots of the coming day."""
    rhythms, now = await _load(service)
    loads, slots = count_loads(rhythms, now, DAY_S), list_slots(now, DAY_S)
    return Distribution(
        distribution_score=_score(rhythms, now),
        slot_minutes=SLOT_S // 60,
        total=loads.total(),
        peak=max(loads.values(), default=0),
        slots=[Slot.model_validate({"at": slot * SLOT_S, "jobs": loads[slot]}) for slot in slots],
    )


@router.post(
    "/scheduler/rebalance/preview",
    summary="Show what a rebalance would move",
    response_model=Rebalance,
    **allow(Role.ADMIN, scope=Scope.WRITE),
)
async def preview_rebalance(service: ServiceDep) -> Rebalance:
    """Nothing is changed."""
    rhythms, now = await _load(service)
    return _describe(plan_rebalance(rhythms, now), rhythms, now)


@router.post(
    "/scheduler/rebalance",
    summary="Spread jobs more evenly",
    response_model=Rebalance,
    **allow(Role.ADMIN, scope=Scope.WRITE),
)
async def rebalance_jobs(service: ServiceDep, audit: AuditDep) -> Rebalance:
    """Moves jobs out of crowded slots. Left alone is what begins within half an hour, and what was moved
    within the last hour."""

    def work(connection: Any) -> Rebalance:
        now = tell_time(service.place, connection)
        rhythms = list_rhythms(connection)
        return _describe(rebalance(connection, now), rhythms, now)

    async with audit("scheduler.rebalance") as entry:
        done = await service.access.write(work)
        entry.detail["moved"] = len(done.moves)
    return done


async def _load(service: Service) -> tuple[list[Rhythm], Instant]:
    def load(connection: Any) -> tuple[list[Rhythm], Instant]:
        return list_rhythms(connection), tell_time(service.place, connection)

    return await service.access.read(load)


def _describe(moves: Sequence[Move], rhythms: Sequence[Rhythm], now: Instant) -> Rebalance:
    """`rhythms`: as they were before."""
    moved = {move.job_id: move.to_at for move in moves}
    after = [move_rhythm(each, moved[each.job_id]) if each.job_id in moved else each for each in rhythms]
    return Rebalance(
        moves=[MoveView.model_validate(move) for move in moves],
        distribution_score=_score(rhythms, now),
        score_after=_score(after, now),
    )


def _score(rhythms: Sequence[Rhythm], now: Instant) -> float:
    slots = len(list_slots(now, DAY_S))
    return round(measure_distribution(count_loads(rhythms, now, DAY_S), slots), 3)
