"""`tenax serve`."""

import contextlib
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
import uvloop

from tenax.api.middleware.frame import is_loopback
from tenax.api.server import listen, open_service
from tenax.api.server import serve as answer_requests
from tenax.api.service import Service
from tenax.cli.options import (
    BrokerOption,
    ConfigOption,
    ContactOption,
    DataOption,
    PrivateOption,
    RedisOption,
    ResolveOption,
    StoreOption,
    build_overrides,
    command_name,
    default_of,
    new_app,
)
from tenax.cli.show.render import show
from tenax.config.loading import load_settings
from tenax.config.service import DispatchKind
from tenax.config.settings import Settings, Values
from tenax.errors import UsageError
from tenax.runtime.server import make_launch
from tenax.runtime.settings import check_settings
from tenax.stores.place import Place, find_place
from tenax.workers.subprocess import SubprocessTask, WorkerSubprocess

app = new_app()


@app.command()
def serve(
    data: DataOption = None,
    store: StoreOption = None,
    host: Annotated[
        str | None, typer.Option(help="Address to listen on.", show_default=default_of("server.host"))
    ] = None,
    port: Annotated[
        int | None, typer.Option(help="Port to listen on.", show_default=default_of("server.port"))
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Maximum number of worker processes; 0: workers run elsewhere.",
            show_default=default_of("worker.processes"),
        ),
    ] = None,
    redis: RedisOption = None,
    dispatch: Annotated[
        DispatchKind | None,
        typer.Option(
            help="How runs reach workers. With celery, workers run elsewhere unless --workers is given.",
            show_default=default_of("dispatch.kind"),
        ),
    ] = None,
    broker: BrokerOption = None,
    contact: ContactOption = None,
    resolve: ResolveOption = None,
    allow_private: PrivateOption = False,
    config: ConfigOption = None,
) -> None:
    """Serve the API, with workers that run its crawls.

    SIGTERM or Ctrl-C finishes requests in progress and releases everything; a second one exits at once.
    """
    overrides = build_overrides(
        store={"url": store},
        server={"host": host, "port": port},
        worker={"processes": workers or None},
        redis={"url": redis},
        dispatch={"kind": dispatch, "broker": broker},
        fetch={"contact": contact, "resolve": resolve, "allow_private": allow_private or None},
    )
    settings = load_settings(file=config, overrides=overrides)
    check_settings(settings)
    place = find_place(settings.store.url, data)
    is_inline = settings.dispatch.kind is DispatchKind.INLINE
    has_workers = is_inline if workers is None else workers > 0
    uvloop.run(_serve(place, settings, config, overrides, has_workers=has_workers))


async def _serve(
    place: Place, settings: Settings, config: Path | None, overrides: Values, *, has_workers: bool
) -> None:
    async with contextlib.AsyncExitStack() as stack:
        listener = stack.enter_context(contextlib.closing(listen(settings.server)))
        service = await stack.enter_async_context(
            open_service(place, settings, partial(make_launch, settings))
        )
        greeting = await _greet(service, _format_address(listener.getsockname()))
        if has_workers:
            task = SubprocessTask(place=place, file=config, overrides=overrides)
            await stack.enter_async_context(WorkerSubprocess(task, settings.worker.drain_s))
        show(greeting)
        await answer_requests(service, listener)
        show("Stopping: finishing requests in progress and saving everything.")


async def _greet(service: Service, address: str) -> str:
    """Raises UsageError if the service has no administrator and can be reached from other machines."""
    place, users = service.place, service.accounts.users
    greeting = f"Serving {place} at {address}"
    if await users.has_admin():
        return greeting
    add = f"'{command_name()} users add NAME --role admin {place.option}'"
    if not is_loopback(service.settings.server.host):
        raise UsageError(
            "There is no administrator yet, so other machines must not reach the service:"
            f" run {add} first, or serve at 127.0.0.1."
        )
    token = service.accounts.logins.setup_token.text
    return (
        f"{greeting}\nThere is no administrator yet. Open {address}/setup#token={token} to create one,\n"
        f"or run {add}."
    )


def _format_address(name: tuple[str, int]) -> str:
    host, port = name[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
