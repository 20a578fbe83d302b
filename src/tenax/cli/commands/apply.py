"""`tenax apply`: make the sources what a file says."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from tenax.cli.exits import Exit
from tenax.cli.options import DataOption, StoreOption, locate, new_app
from tenax.cli.sources import run_on_sources, show_changes, show_changes_as_json, show_warnings
from tenax.errors import UsageError
from tenax.jobs.sources.changes import SourceChange, plan_changes
from tenax.jobs.sources.files import BadSourceFile, parse_sources
from tenax.jobs.sources.sources import Sources
from tenax.jobs.sources.yaml_values import LARGEST_BYTES
from tenax.runtime.backends import find_backend
from tenax.visible import clean

app = new_app()


@app.command()
def apply(
    file: Annotated[
        Path, typer.Option("--file", "-f", help="YAML: a list of sources; - reads standard input.")
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be done.")] = False,
    prune: Annotated[
        bool, typer.Option("--prune", help="Also remove the sources that are not in the file.")
    ] = False,
    data: DataOption = None,
    store: StoreOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Make the sources what a file says: all of it in one transaction, or nothing. To repeat it is safe.

    `tenax sources export` writes such a file. Every fault is told as FILE:LINE: sentence, all at once.
    """
    try:
        definitions = parse_sources(read_text(file), name=str(file))
    except BadSourceFile as error:
        for line in str(error).splitlines():
            print(clean(line), file=sys.stderr)
        raise typer.Exit(Exit.USAGE) from error

    async def work(sources: Sources) -> Sequence[SourceChange]:
        order = sources.plan if dry_run else sources.apply
        return await order(definitions, prune=prune)

    place = locate(store, data)
    if dry_run and not find_backend(place).has_store(place):
        changes: Sequence[SourceChange] = plan_changes([], definitions, lambda _: {}, prune=prune)
    else:
        changes = run_on_sources(place, work, is_made=True)
    if json:
        show_changes_as_json(changes, is_done=not dry_run)
        return
    show_changes(changes, is_done=not dry_run)
    show_warnings(definitions)


def read_text(file: Path) -> str:
    try:
        if str(file) == "-":
            return sys.stdin.read(LARGEST_BYTES + 1)
        with file.open(encoding="utf-8") as opened:
            return opened.read(LARGEST_BYTES + 1)
    except OSError as error:
        raise UsageError(f"Cannot read {file}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{file} is not UTF-8 text.") from error
