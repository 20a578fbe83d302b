"""`tenax export`."""

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import typer

from tenax.cli.exits import Exit
from tenax.cli.options import DataOption, StoreOption, locate, new_app
from tenax.cli.render import count_of, format_bytes
from tenax.errors import TenaxError, UsageError
from tenax.stores.exports import EXPORTS, Noun, iter_rows
from tenax.stores.formats import Format, require_parquet, write_rows
from tenax.stores.reading import read_store

app = new_app()


@app.command()
def export(
    noun: Annotated[
        Noun, typer.Argument(metavar="pages|urls|visits|links|images|placements", help="What to write.")
    ],
    format: Annotated[Format, typer.Option("--format", help="How to write it.")] = Format.JSONL,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write; without it, standard output.")
    ] = None,
    data: DataOption = None,
    store: StoreOption = None,
) -> None:
    """Write what was crawled, in constant memory. The file appears under its name when it is complete."""
    if format is Format.PARQUET:
        require_parquet()
        if output is None:
            raise UsageError("Parquet cannot be streamed: name a file with --output.")
    chosen = EXPORTS[noun]

    def write(connection: Any) -> int:
        with open_output(output) as out:
            return write_rows(format, chosen.columns, iter_rows(connection, chosen), out)

    count = read_store(locate(store, data), write)
    if output is not None:
        size = format_bytes(output.stat().st_size)
        typer.echo(f"Wrote {count_of(count, noun.removesuffix('s'))} to {output} ({size}).", err=True)


@contextlib.contextmanager
def open_output(path: Path | None) -> Iterator[BinaryIO]:
    """Where the rows go. Raises TenaxError with one sentence when it cannot be written."""
    try:
        if path is None:
            yield sys.stdout.buffer
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


@contextlib.contextmanager
def replace_file(path: Path) -> Iterator[BinaryIO]:
    """A file that takes its name only when it is complete and on the disk."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
