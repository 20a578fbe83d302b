"""Tasks: runs that are dispatched through a broker, and its dead letters."""

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
from tenax.jobs.dispatch import base
from tenax.records.jobs import TaskState
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import tell_time
from tenax.stores.jobs.tasks import ReplayResult, TaskFilter, find_task, replay_task, slice_tasks

router = new_router("tasks")

IdPath = Annotated[int, Path(ge=1, le=LARGEST_ID, description="The id of the task.")]
DeadLimit = Annotated[int, Query(ge=1, le=100, description="Maximum number of entries.")]


class Task(Schema):
    id: int
    run_id: int
    queue: str = Field(examples=["crawl"])
    priority: int = Field(description="From 1, the most urgent, to 10.", examples=[5])
    state: TaskState
    deliveries: int = Field(description="Deliveries to workers since one last worked on it.")
    error: str | None = Field(description="Why it failed, or why the last worker returned it.")
    created_at: datetime
    queued_at: datetime | None = Field(description="When the broker last confirmed it.")
    started_at: datetime | None = Field(description="When a worker last received it.")
    ended_at: datetime | None


class DeadLetter(Schema):
    task: str | None = Field(description="The task name in the headers of the message.")
    body: str = Field(description="The beginning of the body.")
    reason: str | None = Field(examples=["rejected"])
    queue: str | None = Field(description="The queue that it came from.")
    died_at: datetime | None


@router.get("/tasks", summary="List tasks", response_model=Part[Task], **allow(Role.USER))
async def list_tasks(
    service: ServiceDep,
    state: Annotated[TaskState | None, Query(description="Only tasks in this state.")] = None,
    queue: Annotated[Word | None, Query(description="Only tasks of this queue.")] = None,
    run: RunIdQuery = None,
    sort: Annotated[Literal["-id", "id"], Query(description="A leading minus sorts newest first.")] = "-id",
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> Part[Task]:
    """Returns the tasks of runs that go through a broker; without a broker there are none."""
    wanted = parse_slice(sort, limit, cursor)
    only = TaskFilter(state=state, queue=queue, run_id=run)
    found = await service.access.read(partial(slice_tasks, wanted=wanted, only=only))
    return format_part(found, Task, sort)


@router.get("/tasks/{id}", summary="Get a task", response_model=Task, **allow(Role.USER, responses=(404,)))
async def get_task(service: ServiceDep, id: IdPath) -> Task:
    """Returns one task."""
    found = await service.access.read(partial(find_task, task_id=id))
    if found is None:
        raise not_found(f"Task {id}")
    return Task.model_validate(found)


@router.post(
    "/tasks/{id}/replay",
    name="replay_task",
    summary="Replay a failed task",
    response_model=Task,
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404, 409)),
)
async def replay(service: ServiceDep, audit: AuditDep, id: IdPath) -> Task:
    """Publishes the task again within seconds. Its run must still be waiting for workers."""

    def work(connection: Connection) -> ReplayResult:
        return replay_task(connection, id, tell_time(service.place, connection))

    async with audit("task.replay", target=f"task {id}"):
        done = await service.access.write(work)
        if done.task is None:
            raise not_found(f"Task {id}")
        if not done.is_carried_out:
            raise conflict(describe_refusal(done))
    return Task.model_validate(done.task)


@router.get("/dead-letters", summary="List dead letters", response_model=list[DeadLetter], **allow(Role.USER))
async def list_dead_letters(service: ServiceDep, limit: DeadLimit = 50) -> Sequence[base.DeadLetter]:
    """Returns messages that no worker could process, oldest first, as the broker keeps them. A failed task is
    also in the list of tasks, where it can be replayed."""
    return await service.dispatch.list_dead(limit)


def describe_refusal(replay: ReplayResult) -> str:
    assert replay.task is not None
    if replay.task.state is not TaskState.FAILED:
        return f"Task {replay.task.id} is {replay.task.state}: only a failed task can be replayed."
    return f"Run {replay.task.run_id} has ended ({replay.run_state}): its task cannot be replayed."
