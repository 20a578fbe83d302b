"""`tenax crawl`."""

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from tenax.cli.crawl_choice import NameOption, describe_company, open_crawl
from tenax.cli.exits import Exit
from tenax.cli.options import (
    ConcurrencyOption,
    ConfigOption,
    ContactOption,
    DataOption,
    DelayOption,
    IgnoreParameterOption,
    KeepParameterOption,
    MaxPagesOption,
    OnlyOption,
    PagesPerDomainOption,
    PrivateOption,
    RedisOption,
    ResolveOption,
    ScopeOption,
    StoreOption,
    TrailingSlashOption,
    UserAgentOption,
    WithoutOption,
    WorkersOption,
    build_merge_rules,
    default_of,
    new_app,
)
from tenax.cli.seeds.imports import ImportTally
from tenax.cli.seeds.seeds import format_skipped, read_seeds
from tenax.cli.session import CrawlResult, run_crawl
from tenax.cli.show.live import open_view
from tenax.cli.show.outcome import build_json, choose_exit, format_report, format_start
from tenax.cli.show.render import show_json
from tenax.config import PaceUnit, Settings, Values, join_settings, load_settings, parse_ordered
from tenax.crawl.insight.explain import Explanation
from tenax.errors import UsageError
from tenax.job_records import Recrawl
from tenax.policy.budget import lift_domain_cap
from tenax.records import RunState
from tenax.runtime.backends import find_backend
from tenax.runtime.crawls import Prepared, explain_url
from tenax.runtime.settings import check_settings
from tenax.stores.contracts.runs import LastRun
from tenax.stores.place import Place, find_place
from tenax.visible import clean
from tenax.workers.child import WorkerTask

app = new_app()


@app.command()
def crawl(
    urls: Annotated[list[str] | None, typer.Argument(metavar="URL...", help="Where to start.")] = None,
    seeds: Annotated[
        Path | None,
        typer.Option(help="File with a URL a line; - reads standard input. Bad lines are skipped and named."),
    ] = None,
    data: DataOption = None,
    store: StoreOption = None,
    name: NameOption = None,
    max_pages: MaxPagesOption = None,
    pages_per_domain: PagesPerDomainOption = None,
    max_depth: Annotated[
        int | None,
        typer.Option(
            help="Follow at most this many links in a row.", show_default=default_of("limits.max_depth")
        ),
    ] = None,
    scope: ScopeOption = None,
    include: Annotated[list[str] | None, typer.Option(metavar="RE", help="Only URLs that match.")] = None,
    exclude: Annotated[list[str] | None, typer.Option(metavar="RE", help="No URLs that match.")] = None,
    keep_parameter: KeepParameterOption = None,
    ignore_parameter: IgnoreParameterOption = None,
    merge_trailing_slash: TrailingSlashOption = False,
    only: OnlyOption = None,
    without: WithoutOption = None,
    delay: DelayOption = None,
    workers: WorkersOption = None,
    concurrency: ConcurrencyOption = None,
    per_domain: Annotated[
        int | None,
        typer.Option(
            help="Requests to one domain at the same time.", show_default=default_of("politeness.per_domain")
        ),
    ] = None,
    share_pace: Annotated[
        PaceUnit | None,
        typer.Option(
            help="What has one pace: each domain, or each site with all its subdomains.",
            show_default=default_of("politeness.share_pace"),
        ),
    ] = None,
    user_agent: UserAgentOption = None,
    contact: ContactOption = None,
    resolve: ResolveOption = None,
    allow_private: PrivateOption = False,
    redis: RedisOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object at the end.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Delete all crawls of the directory or database first.")
    ] = False,
    config: ConfigOption = None,
) -> None:
    """Crawl sites into a data directory or a database. Run it again to go on where it stopped.

    A crawl has a name: --name, or else its first URL. Others in the same place wait, and stay untouched;
    without a URL the one that waits goes on.
    """
    overrides = build_overrides(
        store={"url": store},
        scope={
            "kind": scope,
            "include": include,
            "exclude": exclude,
            "keep_parameters": keep_parameter,
            "merge_rules": build_merge_rules(ignore_parameter, merge_trailing_slash),
        },
        extract={"only": only, "without": without},
        limits={
            "max_pages": max_pages,
            "pages_per_domain": pages_per_domain,
            "max_depth": max_depth,
        },
        politeness={"delay_s": delay, "per_domain": per_domain, "share_pace": share_pace},
        worker={"processes": workers, "concurrency": concurrency},
        redis={"url": redis},
        fetch={
            "user_agent": user_agent,
            "contact": contact,
            "resolve": resolve,
            "allow_private": allow_private or None,
        },
    )
    settings = load_settings(file=config, overrides=overrides)
    check_settings(settings)
    tally = ImportTally()
    starts = read_seeds(urls or [], seeds, tally, settings.scope.kept_names)
    if seeds is not None and not quiet:
        for line in format_skipped(tally, seeds):
            typer.echo(clean(line), err=True)
    settings = lift_domain_cap(settings, starts)
    place = find_place(settings.store.url, data)
    if fresh:
        if not starts:
            raise UsageError("Nothing to crawl: give a URL, as in 'tenax crawl https://example.com/'.")
        find_backend(place).discard(place)
    prepared = open_crawl(place, name, starts)
    if not starts:
        settings = follow_run(prepared.last, settings, overrides)
    order = build_order(place, settings, prepared, seeds=starts)
    raise typer.Exit(crawl_and_report(order, describe_company(prepared), as_json=json, is_quiet=quiet))


def build_order(
    place: Place,
    settings: Settings,
    prepared: Prepared,
    *,
    seeds: Sequence[str] = (),
    recrawl: Recrawl = Recrawl.NEW,
) -> WorkerTask:
    crawl = prepared.crawl
    return WorkerTask(
        place=place, settings=settings, seeds=seeds, recrawl=recrawl, source_id=crawl.id, name=crawl.name
    )


def follow_run(last: LastRun | None, own: Settings, given: Values) -> Settings:
    """Without a new order, a run that is under way or paused goes on as it was ordered."""
    if last is None or last.run.state not in (RunState.RUNNING, RunState.PAUSED):
        return own
    settings = join_settings(parse_ordered(last.settings_json), own, given)
    check_settings(settings)
    return settings


def find_trouble(result: CrawlResult, order: WorkerTask) -> Explanation | None:
    """Why the first seed was not fetched, where the report would not tell otherwise."""
    if not result.is_in_vain or result.summary.troubled or not order.seeds:
        return None
    return asyncio.run(explain_url(order.place, order.seeds[0], order.settings))


def build_overrides(**sections: dict[str, Any]) -> Values:
    """What was given on the command line; what was not keeps its value from elsewhere."""
    given = {
        section: {name: value for name, value in values.items() if value not in (None, [])}
        for section, values in sections.items()
    }
    return {section: values for section, values in given.items() if values}


def crawl_and_report(
    order: WorkerTask, company: Sequence[str] = (), *, as_json: bool, is_quiet: bool
) -> Exit:
    """`company`: what is to be said of other crawls."""
    view = open_view(sys.stderr if as_json else sys.stdout, is_quiet=is_quiet)
    try:
        for sentence in (format_start(order), *company):
            view.say(sentence)
        result = run_crawl(order, view)
    finally:
        view.close()
    if as_json:
        show_json(build_json(result, order), is_line=True)
    elif not is_quiet:
        print(format_report(result, order, find_trouble(result, order)))
    return choose_exit(result)
