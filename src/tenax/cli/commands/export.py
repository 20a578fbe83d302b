"""`tenax export`."""

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, BinaryIO, cast

import typer

from tenax.cli.domains.names import SiteOption, find_site
from tenax.cli.exits import Exit
from tenax.cli.filters import (
    DomainOption,
    FateOption,
    RunOption,
    SinceOption,
    SourceOption,
    UntilOption,
    find_wanted_domain,
    read_span,
)
from tenax.cli.options import DataOption, StoreOption, locate, new_app
from tenax.cli.show.render import format_bytes
from tenax.errors import TenaxError, UsageError
from tenax.part_files import replace_file
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import read_store
from tenax.stores.queries.export.formats import Format, require_parquet, write_rows
from tenax.stores.queries.export.rows import EXPORTS, Noun, check_fit, iter_rows
from tenax.stores.queries.filters import Filter, find_names
from tenax.visible import clean_lines
from tenax.wording import count_of

app = new_app()


@app.command()
def export(
    noun: Annotated[
        Noun,
        typer.Argument(metavar="pages|urls|visits|links|images|placements|domains", help="What to write."),
    ],
    format: Annotated[Format, typer.Option("--format", help="How to write it.")] = Format.JSONL,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write; without it, standard output.")
    ] = None,
    csv_raw: Annotated[
        bool,
        typer.Option(
            "--csv-raw", help="No apostrophe before cells that a spreadsheet would run: for programs."
        ),
    ] = False,
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
    """Write what was crawled, in constant memory. The file appears under its name when it is complete."""
    if csv_raw and format is not Format.CSV:
        raise UsageError("--csv-raw goes with --format csv.")
    if format is Format.PARQUET:
        require_parquet()
        if output is None and sys.stdout.isatty():
            raise UsageError("Parquet is nothing for a terminal: name a file with --output.")
    chosen = EXPORTS[noun]
    begin, end = read_span(since, until)
    only = Filter(
        run_id=run,
        source=source,
        domain=find_wanted_domain(domain),
        site=None if site is None else find_site(site),
        fate=fate,
        since=begin,
        until=end,
    )
    check_fit(noun, only)

    def write(connection: Connection) -> int:
        find_names(connection, only)  # before a file is begun
        with open_output(output) as out:
            rows = iter_rows(connection, chosen, only)
            return write_rows(format, chosen.columns, rows, out, is_raw=csv_raw)

    count = read_store(locate(store, data), write)
    if output is not None:
        size = format_bytes(output.stat().st_size)
        typer.echo(f"Wrote {count_of(count, noun.removesuffix('s'))} to {output} ({size}).", err=True)


@contextlib.contextmanager
def open_output(path: Path | None) -> Iterator[BinaryIO]:
    """Where the rows go. Raises TenaxError with one sentence when it cannot be written."""
    try:
        if path is None:
            yield (
                cast(BinaryIO, TerminalOutput(sys.stdout.buffer))
                if sys.stdout.isatty()
                else sys.stdout.buffer
            )
        else:
            with replace_file(path) as file:
                yield file
    except BrokenPipeError as error:
        # The reader of the pipe (head, for example) has had enough: no error of ours.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(Exit.DONE) from error
    except OSError as error:
        target = path or "standard output"
        raise TenaxError(f"Cannot write {target}: {error.strerror or error}.") from error


class TerminalOutput:
    """A terminal, which would obey what a page says. Whatever goes elsewhere stays as it is."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out

    def write(self, lines: bytes) -> int:
        """Whole lines."""
        self._out.write(clean_lines(lines.decode("utf-8", "replace")).encode("utf-8", "backslashreplace"))
        return len(lines)

    def flush(self) -> None:
        self._out.flush()
