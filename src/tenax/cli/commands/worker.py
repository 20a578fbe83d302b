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
from tenax.config import load_settings
from tenax.jobs.dispatch.settings import check_broker
from tenax.runtime.settings import check_settings
from tenax.stores.place import find_place
from tenax.workers.daemon import QuietObserver, WorkerDaemon
from tenax.workers.subprocess import SubprocessTask, exec_consumer

app = new_app()


@app.command()
def worker(
    data: DataOption = None,
    store: StoreOption = None,
    workers: WorkersOption = None,
    runs: Annotated[
        int | None, typer.Option(help="Runs at the same time.", show_default=default_of("worker.runs"))
    ] = None,
    concurrency: ConcurrencyOption = None,
    redis: RedisOption = None,
    queue: Annotated[
        str | None,
        typer.Option(
            help="Take runs from this queue of a broker, instead of looking into the store.", metavar="NAME"
        ),
    ] = None,
    broker: BrokerOption = None,
    until_idle: Annotated[bool, typer.Option("--until-idle", help="End when no run is under way.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Say nothing.")] = False,
    config: ConfigOption = None,
) -> None:
    """Work on the runs of a store as they come up, on as many machines as you like.

    It waits for runs and works on several side by side, each until it is over. Scope, limits, politeness and
    whatever else belongs to a run are as the run was ordered; workers, concurrency, memory, Redis and name
    servers are this machine's own. With --queue a broker tells it which runs to join. SIGTERM or Ctrl-C lets
    running requests end and gives everything back; a second one leaves at once."""
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
        exec_consumer(SubprocessTask(place=place, file=config, overrides=overrides, is_quiet=quiet))
    observer = QuietObserver() if quiet else ConsoleObserver()
    raise typer.Exit(WorkerDaemon(place, settings, observer, until_idle=until_idle).run())
