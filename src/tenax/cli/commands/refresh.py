"""`tenax refresh`."""

import asyncio
from typing import Annotated

import typer

from tenax.cli.commands.crawl import build_order, build_overrides, crawl_and_report
from tenax.cli.crawl_choice import KnownNameOption, describe_company, find_only, open_crawl
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
    default_of,
    new_app,
)
from tenax.config import Settings, Values, join_settings, load_settings, parse_ordered
from tenax.errors import ConfigError, UsageError
from tenax.job_records import Recrawl
from tenax.records import RunState
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
        typer.Option(
            help="Visit at most this many pages again.", show_default=default_of("limits.max_pages")
        ),
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
    """Visit again the pages whose time has come, by the rules of the last crawl, and follow what is new.

    A run that is under way, or was cut off, is joined.
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
        raise UsageError(f"There is nothing to refresh in {place}: start with 'tenax crawl URL'.")
    settings = choose_settings(prepared.last, own, overrides)
    if not settings.refresh.enabled:
        raise ConfigError("Refreshing is switched off: set refresh.enabled to true to visit pages again.")
    order = build_order(place, settings, prepared, recrawl=Recrawl.DUE)
    raise typer.Exit(crawl_and_report(order, describe_company(prepared), as_json=json, is_quiet=quiet))


def choose_settings(last: LastRun, own: Settings, given: Values) -> Settings:
    """A run that is under way or paused goes on as it was ordered. A new one keeps its rules, what may be
    fetched and what counts of it; how much and how is ordered anew."""
    ordered = parse_ordered(last.settings_json)
    if last.run.state in (RunState.RUNNING, RunState.PAUSED):
        settings = join_settings(ordered, own, given)
        check_settings(settings)
        return settings
    budget = {"max_pages": own.limits.max_pages, "pages_per_domain": own.limits.pages_per_domain}
    limits = ordered.limits.model_copy(update=budget)
    rules = {"scope": ordered.scope, "limits": limits, "extract": ordered.extract}
    return own.model_copy(update=rules)
