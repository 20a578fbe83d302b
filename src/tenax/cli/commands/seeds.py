"""`tenax seeds` and `tenax seeds import`."""

import asyncio
import contextlib
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from tenax.cli.options import DataOption, StoreOption, locate, new_app
from tenax.cli.seeds.imports import ImportTally, name_source, read_file, read_key
from tenax.cli.show.render import as_json, format_count, format_moment, show, show_json, show_table
from tenax.cli.show.steps import cancel_on_signals, open_steps
from tenax.config.loading import load_settings
from tenax.errors import UsageError
from tenax.exits import Exit
from tenax.record import record
from tenax.runtime.crawls import import_seeds
from tenax.stores.contracts.crawls import DEFAULT_NAME, check_name
from tenax.stores.contracts.seeds import ImportedSeeds
from tenax.stores.databases.reader import read_store
from tenax.stores.place import Place
from tenax.stores.queries.seeds import SeedReport, SourceSummary, count_sources, list_seeds
from tenax.visible import clean
from tenax.wording import count_of

app = new_app("List the seeds, best ranks first; 'import' imports a list.")

MANUAL = "(manual)"


@record
class SeedList:
    """A list in a file, or under a key in Redis."""

    name: str
    file: Path | None
    redis: str | None
    key: str | None


SourceOption = Annotated[str | None, typer.Option("--source", help="Only seeds of this list.")]
LimitOption = Annotated[int, typer.Option("--limit", min=1, help="At most this many.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.callback(invoke_without_command=True)
def seeds(
    context: typer.Context,
    data: DataOption = None,
    store: StoreOption = None,
    source: SourceOption = None,
    limit: LimitOption = 20,
    json: JsonOption = False,
) -> None:
    context.obj = (store, data)
    if context.invoked_subcommand is None:
        show_seeds(locate(store, data), source, limit, is_json=json)


@app.command("list")
def list_all(
    context: typer.Context,
    data: DataOption = None,
    store: StoreOption = None,
    source: SourceOption = None,
    limit: LimitOption = 20,
    json: JsonOption = False,
) -> None:
    """List the seeds; the same as `tenax seeds`."""
    earlier_store, earlier_data = context.obj
    show_seeds(locate(store or earlier_store, data or earlier_data), source, limit, is_json=json)


@app.command("import")
def import_list(
    context: typer.Context,
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE]", help="File with the list, also as .gz or .zip; - reads standard input."
        ),
    ] = None,
    source: Annotated[
        str | None, typer.Option("--source", help="Name of the list.", show_default="the file's name")
    ] = None,
    redis: Annotated[
        str | None, typer.Option("--redis", metavar="URL", help="Read from this Redis instead of a file.")
    ] = None,
    key: Annotated[
        str | None, typer.Option("--key", help="Key in Redis of a list, set or sorted set.")
    ] = None,
    crawl: Annotated[
        str, typer.Option("--name", help="Name of the crawl to import them into.")
    ] = DEFAULT_NAME,
    data: DataOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Import seeds from a file or Redis. A list has URLs or hosts, one per line; lines of `rank,domain`; or
    CSV with a column Domain. `tenax crawl` with the same --name, or without a URL, then crawls them, best
    ranks first. Repeating is safe: known seeds stay as they are.
    """
    if key is not None:
        redis = redis or load_settings().redis.url
    refuse_unclear(file, redis, key)
    seed_list = SeedList(name=name_source(source, file, key), file=file, redis=redis, key=key)
    earlier_store, earlier_data = context.obj
    place = locate(store or earlier_store, data or earlier_data)
    tally = ImportTally()
    try:
        imported = asyncio.run(transfer(place, check_name(crawl), seed_list, tally))
    except (asyncio.CancelledError, KeyboardInterrupt) as error:
        typer.echo("Stopped. Run the same command to continue.", err=True)
        raise typer.Exit(Exit.STOPPED) from error
    report(place, seed_list.name, tally, imported, is_json=json)


def refuse_unclear(file: Path | None, redis: str | None, key: str | None) -> None:
    if (redis is None) != (key is None):
        raise UsageError("--key needs --redis or TENAX_REDIS__URL, and --redis needs --key.")
    if (file is None) == (redis is None):
        raise UsageError("Give either FILE, or --redis and --key.")


async def transfer(place: Place, crawl: str, seed_list: SeedList, tally: ImportTally) -> ImportedSeeds:
    cancel_on_signals()
    with contextlib.closing(open_steps(sys.stderr)) as view, contextlib.ExitStack() as stack:
        if seed_list.file is not None:
            chunks = read_file(stack, seed_list.file, tally, view)
        else:
            chunks = read_key(seed_list.redis or "", seed_list.key or "", tally, view)
        return await import_seeds(place, crawl, seed_list.name, chunks)


# --- what is shown -------------------------------------------------------------------------------


def report(place: Place, source: str, tally: ImportTally, imported: ImportedSeeds, *, is_json: bool) -> None:
    if is_json:
        counts = asdict(imported) | {"usable": tally.usable, "bad": tally.bad, "lines": tally.lines}
        show_json({"source": source, **counts, "bad_lines": [asdict(each) for each in tally.first_bad]})
        return
    if imported.seeds or imported.ranked:
        show(f"Imported {count_of(imported.seeds, 'new seed')} from {clean(source)} into {place}.")
    else:
        show(f"Nothing new: {place} already has all seeds of {clean(source)}.")
    show(f"  new domains      {format_count(imported.domains)}")
    show(f"  better rank      {format_count(imported.ranked)}")
    show(f"  already known    {format_count(tally.usable - imported.seeds)}")
    show(f"  bad lines        {format_count(tally.bad)}")
    for bad in tally.first_bad:
        show(f"    {clean(str(bad))}")


def show_seeds(place: Place, source: str | None, limit: int, *, is_json: bool) -> None:
    sources, found = read_store(
        place,
        lambda connection: (
            count_sources(connection, source),
            list(list_seeds(connection, source=source, limit=limit)),
        ),
    )
    if is_json:
        show_json(as_json({"sources": list(map(asdict, sources)), "seeds": list(map(asdict, found))}))
        return
    if not found:
        show("No seeds.")
        return
    show_sources(sources)
    show()
    show_list(found)
    if (total := sum(each.seeds for each in sources)) > len(found):
        show(f"… and {format_count(total - len(found))} more: --limit {total} shows all.")


def show_sources(sources: list[SourceSummary]) -> None:
    rows = [
        (
            name_of(each.source),
            format_count(each.seeds),
            "" if each.best_rank is None else f"{each.best_rank}–{each.last_rank}",
            format_moment(each.first_added_at),
        )
        for each in sources
    ]
    show_table(("SOURCE", "SEEDS", "RANKS", "ADDED"), rows, right=(1, 2))


def show_list(found: list[SeedReport]) -> None:
    rows = [
        (
            "" if each.rank is None else str(each.rank),
            clean(each.url),
            name_of(each.source),
            format_moment(each.added_at),
        )
        for each in found
    ]
    show_table(("RANK", "SEED", "SOURCE", "ADDED"), rows, right=(0,))


def name_of(source: str | None) -> str:
    return MANUAL if source is None else clean(source)
