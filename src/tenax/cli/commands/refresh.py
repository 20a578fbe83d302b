"""`tenax refresh`."""

import asyncio
from typing import Annotated

import typer

from tenax.cli.crawls import (
    KnownNameOption,
    build_task,
    crawl_and_report,
    describe_others,
    find_only,
    open_crawl,
)
from tenax.cli.options import (
    ConfigOption,
    ContactOption,
    DataOption,
    DelayOption,
    PrivateOption,
    RedisOption,
    ResolveOption,
    StoreOption,
    UserAgentOption,
    WorkersOption,
    build_overrides,
    default_of,
    new_app,
)
from tenax.config.loading import load_settings, parse_stored
from tenax.config.settings import Settings, Values, join_settings
from tenax.errors import ConfigError, UsageError
from tenax.records.jobs import Recrawl
from tenax.records.runs import RunState
from tenax.runtime.crawls import list_crawls
from tenax.runtime.settings import check_settings
from tenax.stores.contracts.runs import LastRun
from tenax.stores.place import find_place

app = new_app()


@app.command()
def refresh(
    data: DataOption = None,
    store: StoreOption = None,
    name: KnownNameOption = None,
    max_pages: Annotated[
        int | None,
        typer.Option(help="Revisit at most this many pages.", show_default=default_of("limits.max_pages")),
    ] = None,
    delay: DelayOption = None,
    workers: WorkersOption = None,
    user_agent: UserAgentOption = None,
    contact: ContactOption = None,
    resolve: ResolveOption = None,
    allow_private: PrivateOption = False,
    redis: RedisOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object at the end.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
    config: ConfigOption = None,
) -> None:
    """Revisit the pages that are due, by the rules of the last crawl, and follow new links.

    An active or interrupted run is joined.
    """
    overrides = build_overrides(
        store={"url": store},
        limits={"max_pages": max_pages},
        politeness={"delay_s": delay},
        worker={"processes": workers},
        redis={"url": redis},
        fetch={
            "user_agent": user_agent,
            "contact": contact,
            "resolve": resolve,
            "allow_private": allow_private or None,
        },
    )
    own = load_settings(file=config, overrides=overrides)
    check_settings(own)
    place = find_place(own.store.url, data)
    snapshots = asyncio.run(list_crawls(place))
    prepared = open_crawl(place, find_only(snapshots, name, place), ()) if snapshots else None
    if prepared is None or prepared.last is None:
        raise UsageError(f"There is nothing to refresh in {place}. Start with 'tenax crawl URL'.")
    settings = choose_settings(prepared.last, own, overrides)
    if not settings.refresh.enabled:
        raise ConfigError("Refreshing is disabled: set refresh.enabled to true to revisit pages.")
    task = build_task(place, settings, prepared, recrawl=Recrawl.DUE)
    raise typer.Exit(crawl_and_report(task, describe_others(prepared), as_json=json, is_quiet=quiet))


def choose_settings(last: LastRun, own: Settings, given: Values) -> Settings:
    """An active or paused run keeps the settings it was started with. A new run keeps its rules about what to
    fetch and extract; its page limits and everything else come from the current settings."""
    previous = parse_stored(last.settings_json)
    if last.run.state in (RunState.RUNNING, RunState.PAUSED):
        settings = join_settings(previous, own, given)
        check_settings(settings)
        return settings
    budget = {"max_pages": own.limits.max_pages, "pages_per_domain": own.limits.pages_per_domain}
    limits = previous.limits.model_copy(update=budget)
    rules = {"scope": previous.scope, "limits": limits, "extract": previous.extract}
    return own.model_copy(update=rules)
