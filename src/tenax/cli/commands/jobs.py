"""`tenax jobs`: when sources are crawled. Any server of the store runs them."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Annotated, Any, TypeVar

import orjson
import typer

from tenax.cli.domains.names import find_place
from tenax.cli.options import DataOption, StoreOption, locate, new_app
from tenax.cli.show.render import (
    as_json,
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
from tenax.jobs.commands import NewJob, apply_action, create_job
from tenax.jobs.schedule.states import JobAction
from tenax.records.jobs import Execution, IntervalType, Job, JobState
from tenax.runtime.actions import write_store
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import read_store, tell_time
from tenax.stores.jobs.executions import slice_executions
from tenax.stores.jobs.jobs import JobFilter, find_job, slice_jobs
from tenax.stores.jobs.sources import find_source, find_source_by_name, load_source_names
from tenax.stores.paging import SliceRequest
from tenax.stores.place import Place
from tenax.visible import clean
from tenax.web.parameters import ALL_NAMES
from tenax.web.urls import parse_url

T = TypeVar("T")

SHOWN = 50
MAX_ID = (1 << 31) - 1

app = new_app("List the jobs; create, pause, resume, cancel, retry or run one; list its executions.")

JobArgument = Annotated[int, typer.Argument(metavar="JOB", help="Number of the job.")]
LimitOption = Annotated[int, typer.Option(min=1, help="At most this many, newest first.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print a JSON object per line.")]


@app.callback(invoke_without_command=True)
def jobs(
    context: typer.Context,
    data: DataOption = None,
    store: StoreOption = None,
    state: Annotated[JobState | None, typer.Option(help="Only jobs in this state.")] = None,
    source: Annotated[
        str | None, typer.Option(metavar="SOURCE", help="Only jobs of this source, by name or number.")
    ] = None,
    limit: LimitOption = SHOWN,
    json: JsonOption = False,
) -> None:
    context.obj = (store, data)
    if context.invoked_subcommand is not None:
        return
    wanted = SliceRequest(key="id", is_descending=True, after=None, limit=limit)
    place = locate(store, data)

    def read(connection: Connection) -> tuple[Sequence[Job], Mapping[int, str]]:
        source_id = None if source is None else find_source_id(connection, source, place)
        only = JobFilter(state=state, source_id=source_id)
        return slice_jobs(connection, wanted, only).items, load_source_names(connection)

    found, names = read_store(place, read)
    if json:
        for job in found:
            show_json(_describe(job), is_line=True)
    elif not found:
        show("No jobs.")
    else:
        rows = [
            (
                str(job.id),
                name_source(job.source_id, names.get(job.source_id)),
                job.state,
                format_interval(job),
                format_moment(job.next_run_at),
                clean(job.last_error or ""),
            )
            for job in found
        ]
        show_table(("JOB", "SOURCE", "STATE", "EVERY", "NEXT RUN", "ERROR"), rows, right=(0,))


@app.command("show")
def show_job(
    context: typer.Context, job: JobArgument, data: DataOption = None, store: StoreOption = None
) -> None:
    """Show everything about a job, as JSON."""
    show_json(_describe(_get(find_place(context, store, data), job)))


@app.command()
def create(
    context: typer.Context,
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="The source to crawl, by name or number.")],
    url: Annotated[str | None, typer.Option(help="Start here instead of the seeds of the source.")] = None,
    every: Annotated[
        str | None, typer.Option(metavar="30m|6h|1d", help="Interval.", show_default="once")
    ] = None,
    fixed: Annotated[
        bool, typer.Option("--fixed", help="Keep the interval even if the start page does not change.")
    ] = False,
    timezone: Annotated[str, typer.Option(help="Time zone of --hours and --days.")] = "UTC",
    hours: Annotated[
        str | None, typer.Option(metavar="08:00-18:00", help="Start only in these hours of the day.")
    ] = None,
    days: Annotated[
        str | None, typer.Option(metavar="mon,tue,…", help="Start only on these days of the week.")
    ] = None,
    priority: Annotated[int, typer.Option(min=1, max=10, help="From 1, the highest, to 10.")] = 5,
    retries: Annotated[int, typer.Option(min=0, max=100, help="Retries after a failure.")] = 3,
    data: DataOption = None,
    store: StoreOption = None,
) -> None:
    """Create a job that crawls a source once or at an interval. A server runs it."""
    place = find_place(context, store, data)
    number, kind = parse_interval(every)
    new = NewJob(
        source_id=read_store(place, lambda connection: find_source_id(connection, source, place)),
        url=_parse_url(url),
        interval_minutes=number,
        interval_type=kind,
        schedule_enabled=number is not None,
        adaptive_scheduling=not fixed,
        timezone=timezone,
        active_hours=format_hours(hours, days),
        priority=priority,
        max_retries=retries,
    )
    job = _write(place, lambda connection, now: create_job(connection, new, now))
    when = (
        f"is due at {format_moment(job.next_run_at)}" if number else "starts as soon as a server picks it up"
    )
    show(f"Job {job.id} {when}.")


def _add_action(action: JobAction, help: str) -> None:
    @app.command(action, help=help)
    def act(
        context: typer.Context, job: JobArgument, data: DataOption = None, store: StoreOption = None
    ) -> None:
        place = find_place(context, store, data)
        changed = _write(place, lambda connection, now: apply_action(connection, action, job, now))
        due = f", due at {format_moment(changed.next_run_at)}" if changed.state is JobState.SCHEDULED else ""
        show(f"Job {job} is now {changed.state}{due}.")


_add_action(JobAction.PAUSE, "Pause a scheduled job until it is resumed.")
_add_action(JobAction.RESUME, "Resume a paused job.")
_add_action(JobAction.CANCEL, "Cancel a job permanently; its run ends within seconds.")
_add_action(JobAction.RETRY, "Retry a failed job.")
_add_action(JobAction.FORCE_RUN, "Run a scheduled job now; its schedule stays as it is.")


@app.command()
def executions(
    context: typer.Context,
    job: JobArgument,
    limit: LimitOption = SHOWN,
    json: JsonOption = False,
    data: DataOption = None,
    store: StoreOption = None,
) -> None:
    """List the executions of a job, newest first."""
    place = find_place(context, store, data)
    _get(place, job)
    wanted = SliceRequest(key="number", is_descending=True, after=None, limit=limit)
    found = read_store(place, lambda connection: slice_executions(connection, wanted, job)).items
    if json:
        for execution in found:
            show_json(as_json(asdict(execution)), is_line=True)
    elif not found:
        show(f"Job {job} has not run yet.")
    else:
        show_executions(list(found))


def show_executions(found: list[Execution]) -> None:
    show_table(
        ("NUMBER", "STATE", "TRIGGER", "STARTED", "DURATION", "PAGES", "CHANGED", "FAILED", "RUN", "ERROR"),
        [
            (
                str(each.number),
                each.state,
                each.trigger,
                format_moment(each.started_at),
                "" if each.ended_at is None else format_duration(max(each.ended_at - each.started_at, 0.0)),
                format_count(each.items_crawled),
                format_count(each.items_changed),
                format_count(each.items_failed),
                "" if each.run_id is None else str(each.run_id),
                clean(each.error or ""),
            )
            for each in found
        ],
        right=(0, 4, 5, 6, 7, 8),
    )


def find_source_id(connection: Connection, named: str, place: Place) -> int:
    """Of a source by its name, or by its number if none is called so. Raises UsageError."""
    found = find_source_by_name(connection, named)
    if found is None and named.isascii() and named.isdigit() and int(named) <= MAX_ID:
        found = find_source(connection, int(named))
    if found is None:
        raise UsageError(f"There is no source {clean(named)} in {place}; 'tenax sources' lists them.")
    return found.id


_LETTERS = {"m": IntervalType.MINUTES, "h": IntervalType.HOURS, "d": IntervalType.DAYS}


def parse_interval(text: str | None) -> tuple[int | None, IntervalType]:
    if text is None:
        return None, IntervalType.MINUTES
    number, letter = text[:-1], text[-1:]
    if letter not in _LETTERS or not number.isdecimal() or not number.isascii():
        raise UsageError(f"{text!r} is not an interval: write 30m, 6h or 1d.")
    return int(number[:9]), _LETTERS[letter]


def format_interval(job: Job) -> str:
    if job.interval_minutes is None:
        return "once"
    return f"{job.interval_minutes}{job.interval_type[0]}"


def format_hours(hours: str | None, days: str | None) -> str | None:
    """As stored in a job."""
    given: dict[str, Any] = {}
    if hours is not None:
        given["from"], _, given["until"] = hours.partition("-")
    if days is not None:
        given["days"] = days.split(",")
    return orjson.dumps(given).decode() if given else None


def _parse_url(text: str | None) -> str | None:
    url = (
        None if text is None else parse_url(text, keep=ALL_NAMES)
    )  # the source decides which parameters matter
    if text is not None and url is None:
        raise UsageError(f"{clean(text)!r} is not an http or https URL.")
    return url


def _get(place: Place, job_id: int) -> Job:
    job = read_store(place, partial(find_job, job_id=job_id))
    if job is None:
        raise StoreError(f"There is no job {job_id} in {place}; 'tenax jobs {place.option}' lists them.")
    return job


def _describe(job: Job) -> Any:
    # The lock concerns schedulers only.
    return as_json({name: value for name, value in asdict(job).items() if name != "lock_token"})


def _write(place: Place, work: Callable[[Any, Instant], T]) -> T:
    return asyncio.run(write_store(place, lambda connection: work(connection, tell_time(place, connection))))
