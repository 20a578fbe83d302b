"""`tenax worker`."""

from typing import Annotated

import typer

from tenax.cli.options import (
    BrokerOption,
    ConcurrencyOption,
    ConfigOption,
    DataOption,
    RedisOption,
    StoreOption,
    WorkersOption,
    build_overrides,
    default_of,
    new_app,
)
from tenax.cli.show.daemon import ConsoleObserver
from tenax.config.loading import load_settings
from tenax.jobs.dispatch.settings import check_broker
from tenax.runtime.settings import check_settings
from tenax.stores.place import find_place
from tenax.workers.consume import consume
from tenax.workers.daemon import QuietObserver, WorkerDaemon
from tenax.workers.subprocess import SubprocessTask

app = new_app()


@app.command()
def worker(
    data: DataOption = None,
    store: StoreOption = None,
    workers: WorkersOption = None,
    runs: Annotated[
        int | None, typer.Option(help="Concurrent runs.", show_default=default_of("worker.runs"))
    ] = None,
    concurrency: ConcurrencyOption = None,
    redis: RedisOption = None,
    queue: Annotated[
        str | None,
        typer.Option(
            help="Take runs from this queue of a broker instead of polling the store.", metavar="NAME"
        ),
    ] = None,
    broker: BrokerOption = None,
    until_idle: Annotated[bool, typer.Option("--until-idle", help="Exit when no run is active.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print only errors.")] = False,
    config: ConfigOption = None,
) -> None:
    """Join the runs of a store as they start, on any number of machines.

    It waits for runs and works on several concurrently, each until it has ended. Scope, limits, politeness
    and the other settings of a run are those it was started with; workers, concurrency, memory, Redis and
    name servers are settings of this machine. With --queue, a broker names the runs to join. SIGTERM or
    Ctrl-C finishes requests in progress and releases everything; a second one exits at once."""
    overrides = build_overrides(
        store={"url": store},
        worker={"processes": workers, "runs": runs, "concurrency": concurrency},
        redis={"url": redis},
        dispatch={"broker": broker, "queue": queue},
    )
    settings = load_settings(file=config, overrides=overrides)
    check_settings(settings)
    place = find_place(settings.store.url, data)
    if queue is not None:
        check_broker(settings.dispatch)
        task = SubprocessTask(place=place, file=config, overrides=overrides)
        raise typer.Exit(consume(task, settings, is_quiet=quiet))
    observer = QuietObserver() if quiet else ConsoleObserver()
    raise typer.Exit(WorkerDaemon(place, settings, observer, until_idle=until_idle).run())
