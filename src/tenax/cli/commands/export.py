"""`tenax export`."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from tenax.cli.domains.names import SiteOption, find_site
from tenax.cli.filters import (
    DomainOption,
    FateOption,
    RunOption,
    SinceOption,
    SourceOption,
    UntilOption,
    find_filter_domain,
    read_span,
)
from tenax.cli.markdown_files import Unkept, write_files
from tenax.cli.options import DataOption, StoreOption, locate, new_app
from tenax.cli.show.missing_items import explain_kind
from tenax.cli.show.output import open_output
from tenax.cli.show.render import format_bytes
from tenax.errors import UsageError
from tenax.extract.chunks import MAX_CHARS, TARGET_CHARS, ChunkSizes, check_sizes
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import read_store
from tenax.stores.queries.export.formats import Format, require_parquet, write_rows
from tenax.stores.queries.export.item_columns import plan_export
from tenax.stores.queries.export.rows import Noun, check_fit, iter_rows, split_rows
from tenax.stores.queries.filters import Filter, find_names
from tenax.wording import count_of

app = new_app()


@app.command()
def export(
    noun: Annotated[
        Noun,
        typer.Argument(
            metavar="pages|urls|visits|links|images|placements|domains|items|markdown|chunks",
            help="What to export.",
        ),
    ],
    format: Annotated[
        Format | None, typer.Option("--format", help="File format.", show_default=Format.JSONL)
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="File to write; standard output by default. For markdown without --format, a directory, "
            "with a file for each page.",
        ),
    ] = None,
    target_chars: Annotated[
        int, typer.Option(metavar="N", help="Another block begins a new chunk above this many characters.")
    ] = TARGET_CHARS,
    max_chars: Annotated[
        int, typer.Option(metavar="N", help="Maximum characters of a chunk. Only longer blocks are cut.")
    ] = MAX_CHARS,
    overlap_chars: Annotated[
        int, typer.Option(metavar="N", help="Characters of the chunk before that are repeated.")
    ] = 0,
    csv_raw: Annotated[
        bool,
        typer.Option(
            "--csv-raw",
            help="For programs: no apostrophe before cells that a spreadsheet would run as formulas.",
        ),
    ] = False,
    kind: Annotated[str | None, typer.Option("--kind", help="Only items of this kind.")] = None,
    site: SiteOption = None,
    run: RunOption = None,
    source: SourceOption = None,
    domain: DomainOption = None,
    fate: FateOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    data: DataOption = None,
    store: StoreOption = None,
) -> None:
    """Export what was crawled, in constant memory. The file appears when it is complete."""
    if csv_raw and format is not Format.CSV:
        raise UsageError("--csv-raw needs --format csv.")
    is_directory = noun is Noun.MARKDOWN and format is None
    if is_directory and output is None:
        raise UsageError("Give a directory for the files with --output DIR, or --format jsonl.")
    sizes = ChunkSizes(target=target_chars, most=max_chars, overlap=overlap_chars)
    check_sizes(sizes)
    format = format or Format.JSONL
    if format is Format.PARQUET:
        require_parquet()
        if output is None and sys.stdout.isatty():
            raise UsageError("Parquet cannot be shown on a terminal: give a file with --output.")
    begin, end = read_span(since, until)
    only = Filter(
        run_id=run,
        source=source,
        domain=find_filter_domain(domain),
        site=None if site is None else find_site(site),
        fate=fate,
        item_kind=kind,
        since=begin,
        until=end,
    )
    check_fit(noun, only)

    unkept = Unkept()

    def write(connection: Connection) -> int:
        find_names(connection, only)  # before a file is begun
        chosen = plan_export(connection, noun, only, format)
        if noun in (Noun.MARKDOWN, Noun.CHUNKS):
            split = split_rows(sizes) if noun is Noun.CHUNKS else None
            chosen = replace(chosen, expand=unkept.count_in(split))
        if is_directory and output is not None:
            return write_files(output, iter_rows(connection, chosen, only))
        with open_output(output) as out:
            rows = iter_rows(connection, chosen, only)
            count = write_rows(format, chosen.columns, rows, out, is_raw=csv_raw)
        if not count and (missing := explain_kind(connection, kind)) is not None:
            typer.echo(missing, err=True)
        return count

    count = read_store(locate(store, data), write)
    if unkept.count:
        typer.echo(unkept.describe(), err=True)
    if is_directory:
        typer.echo(f"Wrote {count_of(count, 'file')} to {output}.", err=True)
    elif output is not None:
        size = format_bytes(output.stat().st_size)
        thing = "page" if noun is Noun.MARKDOWN else noun.removesuffix("s")
        typer.echo(f"Wrote {count_of(count, thing)} to {output} ({size}).", err=True)
