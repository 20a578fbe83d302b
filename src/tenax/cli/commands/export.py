"""`tenax export`."""

import sys
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
from tenax.cli.options import DataOption, StoreOption, locate, new_app
from tenax.cli.show.output import open_output
from tenax.cli.show.render import format_bytes
from tenax.errors import UsageError
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import read_store
from tenax.stores.queries.export.formats import Format, require_parquet, write_rows
from tenax.stores.queries.export.item_columns import plan_export
from tenax.stores.queries.export.rows import Noun, check_fit, iter_rows
from tenax.stores.queries.filters import Filter, find_names
from tenax.wording import count_of

app = new_app()


@app.command()
def export(
    noun: Annotated[
        Noun,
        typer.Argument(
            metavar="pages|urls|visits|links|images|placements|domains|items", help="What to export."
        ),
    ],
    format: Annotated[Format, typer.Option("--format", help="File format.")] = Format.JSONL,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write; standard output by default.")
    ] = None,
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

    def write(connection: Connection) -> int:
        find_names(connection, only)  # before a file is begun
        chosen = plan_export(connection, noun, only, format)
        with open_output(output) as out:
            rows = iter_rows(connection, chosen, only)
            return write_rows(format, chosen.columns, rows, out, is_raw=csv_raw)

    count = read_store(locate(store, data), write)
    if output is not None:
        size = format_bytes(output.stat().st_size)
        typer.echo(f"Wrote {count_of(count, noun.removesuffix('s'))} to {output} ({size}).", err=True)
