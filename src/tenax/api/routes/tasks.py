"""Tasks: runs on their way through a broker, and the messages that nobody could use."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Annotated, Literal

from fastapi import Path, Query
from pydantic import Field

from tenax.accounts.permissions import Role, TokenScope
from tenax.api.errors import conflict, not_found
from tenax.api.middleware.auditing import AuditDep
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.paging import CursorQuery, LimitQuery, Part, format_part, parse_slice
from tenax.api.parameters import LARGEST_ID, RunIdQuery, Word
from tenax.api.schemas import Schema
from tenax.api.service import ServiceDep
from tenax.job_records import TaskState
from tenax.jobs.dispatch import base
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import tell_time
from tenax.stores.jobs.tasks import ReplayResult, TaskFilter, find_task, replay_task, slice_tasks

router = new_router("tasks")

IdPath = Annotated[int, Path(ge=1, le=LARGEST_ID, description="Of the task.")]
DeadLimit = Annotated[int, Query(ge=1, le=100, description="How many, at most.")]


class Task(Schema):
    id: int
    run_id: int
    queue: str = Field(examples=["crawl"])
    priority: int = Field(description="1 is the most wanted, 10 the least.", examples=[5])
    state: TaskState
    deliveries: int = Field(description="To workers, since one was last seen at work on it.")
    error: str | None = Field(description="Why it failed, or why the last worker gave it back.")
    created_at: datetime
    queued_at: datetime | None = Field(description="When the broker last confirmed it.")
    started_at: datetime | None = Field(description="When a worker last took it.")
    ended_at: datetime | None


class DeadLetter(Schema):
    task: str | None = Field(description="What the message asks for, by its headers.")
    body: str = Field(description="The beginning of it.")
    reason: str | None = Field(examples=["rejected"])
    queue: str | None = Field(description="That it came from.")
    died_at: datetime | None


@router.get("/tasks", summary="List tasks", response_model=Part[Task], **allow(Role.USER))
async def list_tasks(
    service: ServiceDep,
    state: Annotated[TaskState | None, Query(description="Only those in this state.")] = None,
    queue: Annotated[Word | None, Query(description="Only those of this queue.")] = None,
    run: RunIdQuery = None,
    sort: Annotated[Literal["-id", "id"], Query(description="A minus: the newest first.")] = "-id",
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> Part[Task]:
    """Where the runs are that go through a broker; without one there are none."""
    wanted = parse_slice(sort, limit, cursor)
    only = TaskFilter(state=state, queue=queue, run_id=run)
    found = await service.access.read(partial(slice_tasks, wanted=wanted, only=only))
    return format_part(found, Task, sort)


@router.get("/tasks/{id}", summary="Get one task", response_model=Task, **allow(Role.USER, responses=(404,)))
async def get_task(service: ServiceDep, id: IdPath) -> Task:
    """One, by its id."""
    found = await service.access.read(partial(find_task, task_id=id))
    if found is None:
        raise not_found(f"The task {id}")
    return Task.model_validate(found)


@router.post(
    "/tasks/{id}/replay",
    name="replay_task",
    summary="Try a failed task again",
    response_model=Task,
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404, 409)),
)
async def replay(service: ServiceDep, audit: AuditDep, id: IdPath) -> Task:
    """It is published within seconds. Its run must still wait for workers."""

    def work(connection: Connection) -> ReplayResult:
        return replay_task(connection, id, tell_time(service.place, connection))

    async with audit("task.replay", target=f"task {id}"):
        done = await service.access.write(work)
        if done.task is None:
            raise not_found(f"The task {id}")
        if not done.is_carried_out:
            raise conflict(describe_refusal(done))
    return Task.model_validate(done.task)


@router.get("/dead-letters", summary="List dead letters", response_model=list[DeadLetter], **allow(Role.USER))
async def list_dead_letters(service: ServiceDep, limit: DeadLimit = 50) -> Sequence[base.DeadLetter]:
    """Messages that no worker could use, the oldest first, as the broker keeps them. A task that failed is
    also in the list of tasks, where it can be replayed."""
    return await service.dispatch.list_dead(limit)


def describe_refusal(replay: ReplayResult) -> str:
    assert replay.task is not None
    if replay.task.state is not TaskState.FAILED:
        return f"Task {replay.task.id} is {replay.task.state}: only one that failed can be replayed."
    return f"Run {replay.task.run_id} is over ({replay.run_state}): its task cannot be replayed."
