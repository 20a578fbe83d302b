"""`tenax crawl`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from tenax.cli.crawls import (
    NameOption,
    build_app_task,
    build_task,
    crawl_and_report,
    describe_others,
    open_crawl,
)
from tenax.cli.options import (
    BodiesOption,
    ConcurrencyOption,
    ConfigOption,
    ContactOption,
    DataOption,
    DelayOption,
    IgnoreParameterOption,
    KeepParameterOption,
    MarkdownOption,
    MaxPagesOption,
    OnlyOption,
    PagesPerDomainOption,
    PdfOption,
    PrivateOption,
    RecrawlOption,
    RedisOption,
    ResolveOption,
    ScopeOption,
    StoreOption,
    TrailingSlashOption,
    UserAgentOption,
    WithoutOption,
    WorkersOption,
    build_merge_rules,
    build_overrides,
    default_of,
    name_types,
    new_app,
)
from tenax.cli.seeds.imports import ImportTally
from tenax.cli.seeds.seeds import format_skipped, read_seeds
from tenax.cli.show.profile import check_target
from tenax.config.crawl import PaceUnit
from tenax.config.loading import load_settings, parse_stored
from tenax.config.settings import Settings, Values, join_settings
from tenax.crawler.apps import load_app
from tenax.errors import UsageError
from tenax.items.registry import check_names, load_file
from tenax.policy.budget import lift_domain_cap
from tenax.records.jobs import Recrawl
from tenax.records.runs import RunState
from tenax.runtime.backends import find_backend
from tenax.runtime.settings import check_settings
from tenax.stores.contracts.runs import LastRun
from tenax.stores.place import find_place
from tenax.visible import clean

app = new_app()


@app.command()
def crawl(
    urls: Annotated[list[str] | None, typer.Argument(metavar="URL...", help="URLs to start from.")] = None,
    seeds: Annotated[
        Path | None,
        typer.Option(
            help="File with one URL per line; - reads standard input. Bad lines are skipped and reported."
        ),
    ] = None,
    app: Annotated[
        str | None,
        typer.Option(
            metavar="MODULE:NAME",
            help="Crawler of a Python module or file, as in shop:crawler or shop.py.",
            show_default="none",
        ),
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
    include: Annotated[
        list[str] | None, typer.Option(metavar="RE", help="Only URLs that match this pattern.")
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(metavar="RE", help="No URLs that match this pattern.")
    ] = None,
    sitemaps: Annotated[
        bool | None,
        typer.Option(
            "--sitemaps/--no-sitemaps",
            help="Read sitemaps and crawl the URLs they list.",
            show_default="--sitemaps",
        ),
    ] = None,
    keep_parameter: KeepParameterOption = None,
    ignore_parameter: IgnoreParameterOption = None,
    merge_trailing_slash: TrailingSlashOption = False,
    only: OnlyOption = None,
    without: WithoutOption = None,
    parsers: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="Make items of the pages with the parsers of this file: .py or .yaml.",
            show_default="none",
        ),
    ] = None,
    parser: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Make items of the pages with this parser: of a file of --parsers, installed, or built in.",
            show_default="those of --parsers",
        ),
    ] = None,
    markdown: MarkdownOption = None,
    store_bodies: BodiesOption = None,
    pdf: PdfOption = None,
    archives: Annotated[
        bool | None,
        typer.Option(
            "--archives/--no-archives",
            help="Guess the addresses of archives, such as /2025/12/, when a domain has few URLs left.",
            show_default=default_of("archives.enabled"),
        ),
    ] = None,
    pagination: Annotated[
        bool | None,
        typer.Option(
            "--pagination/--no-pagination",
            help="Guess the next page of a list, such as ?page=3, when the list does not link to it.",
            show_default=default_of("pagination.enabled"),
        ),
    ] = None,
    delay: DelayOption = None,
    workers: WorkersOption = None,
    concurrency: ConcurrencyOption = None,
    per_domain: Annotated[
        int | None,
        typer.Option(
            help="Concurrent requests to one domain.", show_default=default_of("politeness.per_domain")
        ),
    ] = None,
    share_pace: Annotated[
        PaceUnit | None,
        typer.Option(
            help="What the delay applies to: each domain, or each site with all its subdomains.",
            show_default=default_of("politeness.share_pace"),
        ),
    ] = None,
    near_duplicates: Annotated[
        bool | None,
        typer.Option(
            "--near-duplicates/--no-near-duplicates",
            help="Find and mark pages that nearly repeat another page of their domain.",
            show_default=default_of("similarity.enabled"),
        ),
    ] = None,
    user_agent: UserAgentOption = None,
    contact: ContactOption = None,
    resolve: ResolveOption = None,
    allow_private: PrivateOption = False,
    redis: RedisOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object at the end.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
    profile: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="At the end, write where the time went to this file, as JSON."),
    ] = None,
    recrawl: RecrawlOption = Recrawl.NEW,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="First delete all crawls in the directory or database.")
    ] = False,
    config: ConfigOption = None,
) -> None:
    """Crawl sites into a data directory or a database. Run it again to resume where it stopped.

    A crawl is named by --name or else by its first URL. Other crawls in the same store stay untouched.
    Without a URL, the crawl with work left is resumed.
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
        sitemaps={"enabled": sitemaps},
        extract={
            "only": only,
            "without": without,
            "markdown": markdown,
            "content_types": name_types(pdf),
        },
        parsers=name_parsers(parsers, parser),
        bodies={"store": store_bodies},
        limits={
            "max_pages": max_pages,
            "pages_per_domain": pages_per_domain,
            "max_depth": max_depth,
        },
        politeness={"delay_s": delay, "per_domain": per_domain, "share_pace": share_pace},
        archives={"enabled": archives},
        pagination={"enabled": pagination},
        similarity={"enabled": near_duplicates},
        worker={"processes": workers, "concurrency": concurrency},
        redis={"url": redis},
        fetch={
            "user_agent": user_agent,
            "contact": contact,
            "resolve": resolve,
            "allow_private": allow_private or None,
        },
    )
    if profile is not None:
        check_target(profile)
    if app is not None:
        if urls or seeds is not None:
            raise UsageError("The crawler that --app names has its own URLs: give none besides.")
        plan = load_app(app).plan(overrides, file=config, data=data)
        if fresh:
            find_backend(plan.place).discard(plan.place)
        task, notices = build_app_task(plan, name=name, recrawl=recrawl, is_profiled=profile is not None)
        raise typer.Exit(crawl_and_report(task, notices, as_json=json, is_quiet=quiet, profile=profile))
    settings = load_settings(file=config, overrides=overrides)
    check_settings(settings)
    check_names(settings.parsers)
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
    task = build_task(
        place, settings, prepared, seeds=starts, recrawl=recrawl, is_profiled=profile is not None
    )
    notices = [*describe_others(prepared), *describe_unused(settings)]
    raise typer.Exit(crawl_and_report(task, notices, as_json=json, is_quiet=quiet, profile=profile))


def follow_run(last: LastRun | None, own: Settings, given: Values) -> Settings:
    """An active or paused run keeps the settings it was started with, unless new ones are given."""
    if last is None or last.run.state not in (RunState.RUNNING, RunState.PAUSED):
        return own
    settings = join_settings(parse_stored(last.settings_json), own, given)
    check_settings(settings)
    return settings


def name_parsers(files: list[str] | None, names: list[str] | None) -> dict[str, Any]:
    """The settings that mean these parsers: those that are named, or else all of the files. Files are named
    as every worker of this machine finds them. Raises ConfigError: a file cannot be loaded."""
    found = [parser.name for file in files or () for parser in load_file(file)]
    return {"files": [str(Path(file).resolve()) for file in files or ()], "use": names or found}


def describe_unused(settings: Settings) -> list[str]:
    if settings.parsers.is_used or not settings.parsers.files:
        return []
    return [
        "No parser runs: parsers.files names files, but parsers.use none of their parsers. --parsers FILE"
        " runs all of a file."
    ]
