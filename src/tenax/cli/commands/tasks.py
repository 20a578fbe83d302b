"""`tenax tasks`: the tasks that dispatch runs through a broker."""

import asyncio
from dataclasses import asdict
from typing import Annotated

import typer

from tenax.cli.domains.names import find_place
from tenax.cli.options import DataOption, StoreOption, locate, new_app
from tenax.cli.show.render import as_json, format_moment, show, show_json, show_table
from tenax.errors import StoreError, UsageError
from tenax.records.jobs import Task, TaskState
from tenax.runtime.actions import write_store
from tenax.stores.databases.reader import read_store, tell_time
from tenax.stores.jobs.tasks import TaskFilter, replay_task, slice_tasks
from tenax.stores.paging import SliceRequest
from tenax.visible import clean

SHOWN = 20

app = new_app("List the tasks that dispatch runs through a broker; replay a failed one.")


@app.callback(invoke_without_command=True)
def tasks(
    context: typer.Context,
    data: DataOption = None,
    store: StoreOption = None,
    state: Annotated[TaskState | None, typer.Option(help="Only tasks in this state.")] = None,
    queue: Annotated[str | None, typer.Option(help="Only tasks of this queue.")] = None,
    run: Annotated[int | None, typer.Option(help="Only the task of this run.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most this many, newest first.")] = SHOWN,
    json: Annotated[bool, typer.Option("--json", help="Print a JSON object per line.")] = False,
) -> None:
    context.obj = (store, data)
    if context.invoked_subcommand is not None:
        return
    wanted = SliceRequest(key="id", is_descending=True, after=None, limit=limit)
    only = TaskFilter(state=state, queue=queue, run_id=run)
    place = locate(store, data)
    found = read_store(place, lambda connection: slice_tasks(connection, wanted, only)).items
    if json:
        for task in found:
            show_json(as_json(asdict(task)), is_line=True)
    elif not found:
        show("No tasks.")
    else:
        show_table(("TASK", "RUN", "QUEUE", "STATE", "QUEUED", "STARTED", "ENDED", "ERROR"), map(_row, found))


@app.command()
def replay(
    context: typer.Context,
    task: Annotated[int, typer.Argument(metavar="TASK", help="Number of the task.")],
    data: DataOption = None,
    store: StoreOption = None,
) -> None:
    """Publish a failed task again; a server does it within seconds."""
    place = find_place(context, store, data)
    done = asyncio.run(
        write_store(place, lambda connection: replay_task(connection, task, tell_time(place, connection)))
    )
    if done.task is None:
        raise StoreError(f"There is no task {task} in {place}; 'tenax tasks {place.option}' lists them.")
    if not done.is_carried_out:
        run = f" and its run is {done.run_state}" if done.run_state else ""
        raise UsageError(
            "Only a failed task whose run is waiting for workers can be replayed;"
            f" this one is {done.task.state}{run}."
        )
    show(f"Task {task} will be published again.")


def _row(task: Task) -> tuple[str, ...]:
    return (
        str(task.id),
        str(task.run_id),
        task.queue,
        task.state,
        format_moment(task.queued_at),
        format_moment(task.started_at),
        format_moment(task.ended_at),
        clean(task.error or ""),
    )
