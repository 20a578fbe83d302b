"""`tenax workers`."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated, Any

import typer

from tenax.cli.options import DataOption, StoreOption, locate, new_app
from tenax.cli.show.breakers import format_breaker
from tenax.cli.show.render import (
    NOTHING,
    as_json,
    format_count,
    format_distance,
    format_duration,
    show,
    show_json,
    show_table,
)
from tenax.clock import Instant
from tenax.exits import describe_exit
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import read_store, tell_store_time
from tenax.stores.layout import WORKERS_NAME
from tenax.stores.place import Place
from tenax.stores.presence import find_signs
from tenax.stores.queries.settings import load_last_settings
from tenax.stores.queries.workers import WorkerState, WorkerSummary, list_ended_workers, list_workers
from tenax.visible import clean
from tenax.wording import count_of

ENDED_SHOWN = 20
LONG_S = 1.0  # shorter visits are not worth a line
ACTIVE = (WorkerState.WORKING, WorkerState.HUNGRY, WorkerState.IDLE)

app = new_app()


@app.command()
def workers(
    data: DataOption = None,
    store: StoreOption = None,
    all: Annotated[
        bool, typer.Option("--all", help=f"Also lost workers, and the last {ENDED_SHOWN} that have ended.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print a JSON object per line.")] = False,
) -> None:
    """List the workers of a store on all machines: state, heartbeat, leases, rate and domains."""
    place = locate(store, data)
    found, now = read_store(place, lambda connection: load(connection, place, with_ended=all))
    if not all:
        found = [worker for worker in found if worker.state is not WorkerState.LOST]
    if json:
        for worker in found:
            show_json(build_json(worker, now), is_line=True)
    else:
        show_workers(found, now)


def load(connection: Connection, place: Place, *, with_ended: bool) -> tuple[list[WorkerSummary], Instant]:
    now = tell_store_time(place, connection)
    signs = find_signs(place.folder / WORKERS_NAME)
    lease_s = load_last_settings(connection).worker.lease_s
    found = list(list_workers(connection, signs=signs, lease_s=lease_s, now=now))
    if with_ended:
        found += list_ended_workers(connection, signs=signs, lease_s=lease_s, now=now, limit=ENDED_SHOWN)
    return found, now


def show_workers(found: list[WorkerSummary], now: Instant) -> None:
    if not found:
        show("No active workers.")
        return
    headers = (
        "WORKER",
        "HOST",
        "PROCESS",
        "RUN",
        "STATE",
        "LEASES",
        "PAGES",
        "PER MIN",
        "HEARTBEAT",
        "STARTED",
        "DOMAINS",
    )
    rows = [format_row(worker, now) for worker in found]
    show_table(headers, rows, right=(0, 2, 3, 5, 6, 7), notes=[format_notes(worker, now) for worker in found])


def format_row(worker: WorkerSummary, now: Instant) -> tuple[str, ...]:
    return (
        str(worker.id),
        clean(worker.host),
        str(worker.pid),
        str(worker.run_id),
        worker.state,
        format_count(worker.domains),
        format_count(worker.pages),
        f"{worker.pages_per_min:,.1f}" if worker.state in ACTIVE else NOTHING,
        format_distance(worker.heartbeat_at, now),
        format_distance(worker.started_at, now),
        format_domains(worker),
    )


def format_domains(worker: WorkerSummary) -> str:
    if not worker.names:
        return NOTHING
    more = worker.domains - len(worker.names)
    names = ", ".join(clean(name) for name in worker.names)
    return f"{names} and {format_count(more)} more" if more > 0 else names


def format_notes(worker: WorkerSummary, now: Instant) -> str | None:
    breakers = (format_breaker(each, now) for each in worker.breakers)
    notes = [
        *list_silence(worker, now),
        *list_stall(worker, now),
        *list_waits(worker),
        *list_longest(worker, now),
        *list_end(worker),
        *breakers,
    ]
    return "\n".join(f"  └─ {note}" for note in notes) or None


def list_waits(worker: WorkerSummary) -> Iterator[str]:
    if worker.silent_domains and worker.state in ACTIVE:
        yield f"{count_of(worker.silent_domains, 'domain')} silent: no response for more than a second"


def list_stall(worker: WorkerSummary, now: Instant) -> Iterator[str]:
    if (stall := worker.stall) is not None:
        lasts = format_duration(float(round(max(now - stall.began_at, 0.0))))
        yield f"stall detected ({stall.cause}) for {lasts}: {clean(stall.sentence)}"


def list_longest(worker: WorkerSummary, now: Instant) -> Iterator[str]:
    if (longest := worker.longest) is not None and now - longest.started_at >= LONG_S:
        lasts = format_duration(float(round(now - longest.started_at)))
        yield f"longest visit: {clean(longest.url)} for {lasts}"


def list_end(worker: WorkerSummary) -> Iterator[str]:
    if worker.exit_code is not None:
        yield f"it ended itself ({describe_exit(worker.exit_code)})"


def list_silence(worker: WorkerSummary, now: Instant) -> Iterator[str]:
    """What happens to its leases."""
    if worker.state in (WorkerState.SILENT, WorkerState.LOST) and worker.leases_until is not None:
        left_s = worker.leases_until - now
        if left_s > 0:
            left = format_duration(float(round(left_s)))
            yield f"silent; its leases end in {left}, then others take them over"
        else:
            yield "silent; its leases have ended, and others may take them over"
    elif worker.state is WorkerState.DEAD:
        yield "its process is gone; the next worker on this machine takes over its leases at once"


def build_json(worker: WorkerSummary, now: Instant) -> dict[str, Any]:
    fields: dict[str, Any] = as_json(asdict(worker))
    fields["heartbeat_age_s"] = round(now - worker.heartbeat_at, 3)
    return fields
