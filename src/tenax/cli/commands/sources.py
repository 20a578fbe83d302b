"""`tenax sources`: what is crawled repeatedly. `tenax apply` creates them from a file."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from tenax.cli.domains.names import find_place
from tenax.cli.options import (
    DataOption,
    IgnoreParameterOption,
    KeepParameterOption,
    MarkdownOption,
    OnlyOption,
    PdfOption,
    StoreOption,
    TrailingSlashOption,
    WithoutOption,
    build_merge_rules,
    locate,
    name_types,
    new_app,
)
from tenax.cli.seeds.seeds import read_url
from tenax.cli.show.render import (
    NOTHING,
    as_json,
    format_count,
    format_moment,
    show,
    show_facts,
    show_json,
    show_table,
)
from tenax.cli.sources import get_source, run_on_sources, show_warnings
from tenax.config.crawl import ScopeKind
from tenax.errors import UsageError
from tenax.jobs.sources.definition import (
    Schedule,
    check_definition,
    dump_definition,
    list_warnings,
    read_definition,
)
from tenax.jobs.sources.definition_errors import UnreadableSource
from tenax.jobs.sources.files import format_sources, format_stored
from tenax.jobs.sources.job_sync import JobStep
from tenax.jobs.sources.sections import SourceLimits
from tenax.jobs.sources.sources import JobSync, Sources
from tenax.records.jobs import IntervalType, Job, Source
from tenax.visible import clean
from tenax.web.parameters import ALL_NAMES
from tenax.wording import count_of

app = new_app("List the sources; add, show, enable, disable or remove one; export them as YAML.")

NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="Name of the source; case does not matter.")
]
OF_SERVER = "setting of the server"

JsonOption = Annotated[bool, typer.Option("--json", help="Print a JSON object per line.")]

_EVERY = re.compile(r"([0-9]{1,9})([mhd])")
_UNITS = {"m": IntervalType.MINUTES, "h": IntervalType.HOURS, "d": IntervalType.DAYS}
_STEPS = {
    JobStep.CREATED: "its job was created",
    JobStep.RESUMED: "its job was resumed",
    JobStep.PAUSED: "its job was paused, and an active run ends",
    JobStep.UNCHANGED: "its job is unchanged",
}


@app.callback(invoke_without_command=True)
def sources(
    context: typer.Context, data: DataOption = None, store: StoreOption = None, json: JsonOption = False
) -> None:
    context.obj = (store, data)
    if context.invoked_subcommand is None:
        show_sources(*run_on_sources(locate(store, data), load_all), is_json=json)


@app.command("list")
def list_all(
    context: typer.Context, data: DataOption = None, store: StoreOption = None, json: JsonOption = False
) -> None:
    """List the sources; the same as `tenax sources`."""
    show_sources(*run_on_sources(find_place(context, store, data), load_all), is_json=json)


@app.command("show")
def show_one(
    context: typer.Context,
    name: NameArgument,
    data: DataOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Show one source with its definition and its job. The values of its headers are hidden."""
    place = find_place(context, store, data)

    async def work(sources: Sources) -> tuple[Source, Job | None]:
        source = await get_source(sources, name, place)
        return source, (await sources.list_jobs([source.id])).get(source.id)

    source, job = run_on_sources(place, work)
    if json:
        show_json(_describe(source, job), is_line=True)
        return
    show_facts(
        [
            ("Source", f"{source.id}, version {source.version}"),
            ("State", _format_state(source)),
            ("Job", NOTHING if job is None else f"{job.id}, {job.state}"),
            ("Next run", format_moment(None if job is None else job.next_run_at)),
            ("Changed", format_moment(source.updated_at)),
        ]
    )
    show()
    definition = read_definition(source)
    if isinstance(definition, UnreadableSource):
        show(clean(str(definition)))
    else:
        show(format_sources([definition]).rstrip())
        show_warnings([definition])


@app.command()
def add(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="1 to 100 printable characters.")],
    urls: Annotated[list[str], typer.Argument(metavar="URL...", help="URLs to start from.")],
    every: Annotated[
        str | None, typer.Option(metavar="30m|6h|2d", help="How often to crawl it.", show_default="once")
    ] = None,
    scope: Annotated[
        ScopeKind | None, typer.Option(help="Which links to follow.", show_default=OF_SERVER)
    ] = None,
    include: Annotated[
        list[str] | None, typer.Option(metavar="RE", help="Only URLs that match this pattern.")
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(metavar="RE", help="No URLs that match this pattern.")
    ] = None,
    keep_parameter: KeepParameterOption = None,
    ignore_parameter: IgnoreParameterOption = None,
    merge_trailing_slash: TrailingSlashOption = False,
    only: OnlyOption = None,
    without: WithoutOption = None,
    markdown: MarkdownOption = None,
    pdf: PdfOption = None,
    max_depth: Annotated[
        int | None,
        typer.Option(
            help="Follow at most this many links in a row.", show_default=str(SourceLimits().max_depth)
        ),
    ] = None,
    max_pages: Annotated[
        int | None, typer.Option(help="Maximum number of pages in a run.", show_default=OF_SERVER)
    ] = None,
    delay: Annotated[
        float | None,
        typer.Option(
            metavar="S", help="Minimum seconds between requests to a domain.", show_default=OF_SERVER
        ),
    ] = None,
    feeds: Annotated[bool, typer.Option("--feeds", help="Follow the feeds that its pages link to.")] = False,
    disabled: Annotated[bool, typer.Option("--disabled", help="Do not crawl it yet.")] = False,
    data: DataOption = None,
    store: StoreOption = None,
) -> None:
    """Add a source. A missing data directory is created. `tenax apply` supports more settings."""
    given = {
        "name": name,
        "seeds": [read_url(url, ALL_NAMES) for url in urls],
        "scope": _drop_none(
            {
                "kind": scope,
                "include": include,
                "exclude": exclude,
                "keep_parameters": keep_parameter,
                "merge_rules": build_merge_rules(ignore_parameter, merge_trailing_slash),
            }
        ),
        "extract": _drop_none(
            {"only": only, "without": without, "markdown": markdown, "content_types": name_types(pdf)}
        ),
        "limits": _drop_none({"max_depth": max_depth, "max_pages": max_pages}),
        "delay_s": delay,
        "feeds": feeds,
        "enabled": not disabled,
        "schedule": None if every is None else read_interval(every),
    }
    definition = check_definition(given)
    place = find_place(context, store, data)
    added = run_on_sources(place, lambda sources: sources.add(definition), creates_store=True)
    show(f"Added the source {clean(added.name)} to {place}; it is {_format_state(added)}.")
    show_warnings([definition])


@app.command()
def enable(
    context: typer.Context, name: NameArgument, data: DataOption = None, store: StoreOption = None
) -> None:
    """Enable a source: its job is created or resumed."""
    _set_enabled(context, name, data, store, enabled=True)


@app.command()
def disable(
    context: typer.Context, name: NameArgument, data: DataOption = None, store: StoreOption = None
) -> None:
    """Disable a source: its job is paused. An active run ends by itself."""
    _set_enabled(context, name, data, store, enabled=False)


@app.command()
def remove(
    context: typer.Context, name: NameArgument, data: DataOption = None, store: StoreOption = None
) -> None:
    """Remove a source with its jobs. What it has crawled stays. Refused while one of its runs is active."""
    place = find_place(context, store, data)

    async def work(sources: Sources) -> Source:
        return await sources.remove((await get_source(sources, name, place)).id)

    show(f"Removed the source {clean(run_on_sources(place, work).name)} from {place}.")


@app.command()
def sync(context: typer.Context, data: DataOption = None, store: StoreOption = None) -> None:
    """Make the job of every source match its definition. Repeating is safe."""
    synced = run_on_sources(find_place(context, store, data), lambda sources: sources.sync())
    for each in synced:
        if each.step is not JobStep.UNCHANGED:
            show(f"{clean(each.source.name)}: {clean(each.trouble or each.step)}")
    counts = Counter(each.step for each in synced)
    summary = ", ".join(f"{counts[step]:,} {step}" for step in JobStep if counts[step])
    show(f"{count_of(len(synced), 'source')}: {summary or 'none'}.")


@app.command()
def export(
    context: typer.Context,
    with_headers: Annotated[
        bool, typer.Option("--with-headers", help="Include the values of headers, which are secrets.")
    ] = False,
    data: DataOption = None,
    store: StoreOption = None,
) -> None:
    """Export all sources as YAML for `tenax apply`. Values of headers are shown as ***, which keeps what is
    stored."""

    async def write(sources: Sources) -> str:
        return format_stored(await sources.list_all(), sources.open_headers if with_headers else None)

    typer.echo(run_on_sources(find_place(context, store, data), write), nl=False)


async def load_all(sources: Sources) -> tuple[Sequence[Source], dict[int, Job]]:
    return await sources.list_all(), await sources.list_jobs()


def show_sources(found: Sequence[Source], jobs: dict[int, Job], *, is_json: bool) -> None:
    if is_json:
        for source in found:
            show_json(_describe(source, jobs.get(source.id)), is_line=True)
    elif not found:
        show("No sources. Add one with 'tenax sources add NAME URL --every 6h'.")
    else:
        headers = ("NAME", "STATE", "SEEDS", "EVERY", "JOB", "NEXT RUN")
        show_table(headers, [_list_cells(each, jobs.get(each.id)) for each in found], right=(2,))
        for each in map(read_definition, found):
            if isinstance(each, UnreadableSource):
                show(clean(str(each)))


def _list_cells(source: Source, job: Job | None) -> tuple[str, ...]:
    definition = read_definition(source)
    of_job = (NOTHING if job is None else job.state, format_moment(None if job is None else job.next_run_at))
    if isinstance(definition, UnreadableSource):
        return clean(source.name), "unreadable", NOTHING, NOTHING, *of_job
    seeds, interval = format_count(len(definition.seeds)), _format_interval(definition.schedule)
    return clean(source.name), _format_state(source), seeds, interval, *of_job


def _describe(source: Source, job: Job | None) -> dict[str, Any]:
    found = read_definition(source)
    definition = None if isinstance(found, UnreadableSource) else found
    described: dict[str, Any] = as_json(
        {
            "id": source.id,
            "name": source.name,
            "enabled": source.enabled,
            "version": source.version,
            "created_at": source.created_at,
            "updated_at": source.updated_at,
            "definition": definition and dump_definition(definition),
            "unreadable": str(found) if isinstance(found, UnreadableSource) else None,
            "warnings": [] if definition is None else list_warnings(definition),
            "job": job and {"id": job.id, "state": job.state, "next_run_at": job.next_run_at},
        }
    )
    return described


def _format_state(source: Source) -> str:
    return "enabled" if source.enabled else "disabled"


def _format_interval(schedule: Schedule | None) -> str:
    return (
        "once"
        if schedule is None
        else count_of(schedule.interval_minutes, schedule.interval_type.removesuffix("s"))
    )


def _set_enabled(context: typer.Context, name: str, data: Any, store: str | None, *, enabled: bool) -> None:
    place = find_place(context, store, data)

    async def work(sources: Sources) -> JobSync:
        return await sources.set_enabled((await get_source(sources, name, place)).id, enabled)

    synced = run_on_sources(place, work)
    show(f"{clean(synced.source.name)} is {_format_state(synced.source)}: {_STEPS[synced.step]}.")


def read_interval(text: str) -> dict[str, Any]:
    """Parse 30m, 6h or 2d into a schedule."""
    match = _EVERY.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"{clean(text)!r} is not an interval: write 30m, 6h or 2d.")
    return {"interval_minutes": int(match[1]), "interval_type": _UNITS[match[2]]}


def _drop_none(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
