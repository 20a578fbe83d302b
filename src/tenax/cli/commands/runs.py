"""`tenax runs`: the runs of a crawl, and actions on one, wherever its workers are."""

import asyncio
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from tenax.cli.filters import SinceOption, SourceOption, UntilOption, read_span
from tenax.cli.options import DataOption, StoreOption, locate, new_app
from tenax.cli.show.render import (
    as_json,
    clip,
    format_bytes,
    format_count,
    format_duration,
    format_moment,
    name_source,
    show,
    show_json,
    show_table,
)
from tenax.clock import Instant
from tenax.errors import StoreError, UsageError
from tenax.records.runs import RunState
from tenax.runtime.actions import write_store
from tenax.runtime.runs import resume_run
from tenax.stores.commands.runs import RunActionResult, cancel_run, pause_run
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import read_store, tell_time
from tenax.stores.hot.takeover import describe_taken
from tenax.stores.place import Place
from tenax.stores.queries.run_log.lines import format_log_line, list_fields
from tenax.stores.queries.run_log.log import iter_run_log
from tenax.stores.queries.runs import (
    RunFilter,
    RunSummary,
    list_active_run_ids,
    list_run_conditions,
    list_runs,
)
from tenax.visible import clean

RUNS_SHOWN = 20
NAME_CHARS = 48
LINES_AT_ONCE = 1000

app = new_app("List the runs of a crawl; pause, resume or cancel one, wherever its workers are.")

RunArgument = Annotated[
    int | None,
    typer.Argument(metavar="RUN", help="Number of the run; may be omitted if only one is active."),
]
LoggedArgument = Annotated[
    int | None, typer.Argument(metavar="RUN", help="Number of the run; the last one by default.")
]
RunAction = Callable[[Any, int, Instant], RunActionResult]


@app.callback(invoke_without_command=True)
def runs(
    context: typer.Context,
    data: DataOption = None,
    store: StoreOption = None,
    state: Annotated[RunState | None, typer.Option(help="Only runs in this state.")] = None,
    source: SourceOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    limit: Annotated[int, typer.Option(min=1, help="At most this many, newest first.")] = RUNS_SHOWN,
    json: Annotated[bool, typer.Option("--json", help="Print a JSON object per line.")] = False,
) -> None:
    context.obj = (store, data)
    if context.invoked_subcommand is not None:
        return
    place = locate(store, data)
    begin, end = read_span(since, until)
    only = RunFilter(state=state, source=source, since=begin, until=end)

    def load(connection: Connection) -> tuple[list[RunSummary], Instant]:
        listed = list_runs(connection, limit, list_run_conditions(connection, only))
        return list(listed), tell_time(place, connection)

    found, now = read_store(place, load)
    if json:
        for run in found:
            show_json(as_json(asdict(run)), is_line=True)
    elif not found:
        show("No runs.")
    else:
        show_runs(found, now)


def show_runs(found: list[RunSummary], now: Instant) -> None:
    show_table(
        ("RUN", "CRAWL", "STATE", "STARTED", "DURATION", "PAGES", "REQUESTS", "BYTES", "LEFT"),
        [
            (
                str(run.id),
                clip(name_source(run.source_id, run.source_name), NAME_CHARS),
                run.state,
                format_moment(run.started_at),
                format_duration(max((run.ended_at or now) - run.started_at, 0.0)),
                format_count(run.pages),
                format_count(run.requests),
                format_bytes(run.wire_bytes),
                "" if run.leftover is None else format_count(run.leftover.urls),
            )
            for run in found
        ],
        right=(0, 4, 5, 6, 7, 8),
    )


@app.command()
def pause(
    context: typer.Context, run: RunArgument = None, data: DataOption = None, store: StoreOption = None
) -> None:
    """Pause a run. Requests in progress are finished and stored; no more are made."""
    _act(_locate(context, store, data), run, pause_run, "Only an active run can be paused")


@app.command()
def resume(
    context: typer.Context, run: RunArgument = None, data: DataOption = None, store: StoreOption = None
) -> None:
    """Resume a paused run. `tenax worker` joins it; without one, run the same crawl command."""
    place = _locate(context, store, data)
    run_id = _find_only(place) if run is None else run
    resumed = asyncio.run(resume_run(place, run_id))
    result = RunActionResult(is_carried_out=resumed.is_carried_out, state=resumed.state)
    _report(place, run_id, result, "Only a paused run can be resumed")
    for sentence in describe_taken(resumed.taking.taken):
        show(clean(sentence))


@app.command()
def cancel(
    context: typer.Context, run: RunArgument = None, data: DataOption = None, store: StoreOption = None
) -> None:
    """End a run early. The next run continues with what is queued."""
    rule = "Only an active or paused run can be cancelled"
    _act(_locate(context, store, data), run, cancel_run, rule)


@app.command()
def log(
    context: typer.Context,
    run: LoggedArgument = None,
    data: DataOption = None,
    store: StoreOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print a JSON object per line.")] = False,
) -> None:
    """Show the log of a run. It has visits, status changes of domains, and workers that joined and left."""
    place = _locate(context, store, data)
    run_id = _find_last(place) if run is None else run

    def show_log(connection: Connection) -> None:
        now = tell_time(place, connection)
        for line in iter_run_log(connection, run_id, limit=LINES_AT_ONCE, now=now):
            show_json(list_fields(line), is_line=True) if json else show(format_log_line(line))

    read_store(place, show_log)


def _locate(context: typer.Context, store: str | None, data: Path | None) -> Place:
    """Both options may also be given before the name of the subcommand."""
    earlier_store, earlier_data = context.obj
    return locate(store or earlier_store, data or earlier_data)


def _act(place: Place, run_id: int | None, action: RunAction, rule: str) -> None:
    if run_id is None:
        run_id = _find_only(place)
    result = asyncio.run(
        write_store(place, lambda connection: action(connection, run_id, tell_time(place, connection)))
    )
    _report(place, run_id, result, rule)


def _report(place: Place, run_id: int, result: RunActionResult, rule: str) -> None:
    if result.state is None:
        raise StoreError(f"There is no run {run_id} in {place}; 'tenax runs {place.option}' lists them.")
    if not result.is_carried_out:
        raise UsageError(f"{rule}: run {run_id} is {result.state}.")
    show(f"Run {run_id} is now {_STATES.get(result.state, result.state)}.")


_STATES = {RunState.RUNNING: "active", RunState.STOPPED: "cancelled"}


def _find_only(place: Place) -> int:
    """The active run; an action never guesses which of several is meant."""
    numbers = read_store(place, list_active_run_ids)
    if not numbers:
        raise UsageError(f"There is no active run in {place}; 'tenax runs {place.option}' lists all runs.")
    if len(numbers) > 1:
        listed = ", ".join(map(str, numbers[:-1]))
        raise UsageError(f"Several runs are active: choose {listed} or {numbers[-1]}.")
    return numbers[0]


def _find_last(place: Place) -> int:
    last = read_store(place, lambda connection: next(list_runs(connection, 1), None))
    if last is None:
        raise StoreError(f"There are no runs in {place} yet.")
    return last.id
