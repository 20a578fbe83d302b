"""`tenax copy`."""

import asyncio
import contextlib
import sys
from functools import partial
from typing import Annotated

import typer

from tenax.cli.options import new_app
from tenax.cli.show.render import format_count, show, show_table
from tenax.cli.show.steps import cancel_on_signals, open_steps
from tenax.clock import SystemClock
from tenax.errors import StoreError, UsageError
from tenax.exits import Exit
from tenax.runtime.backends import find_backend
from tenax.runtime.bodies import copy_bodies
from tenax.runtime.runs import remove_dead_workers
from tenax.stores.commands.secrets import list_key_uses
from tenax.stores.copy.copier import Copier, Report, TableCheck
from tenax.stores.databases.copying import open_rows
from tenax.stores.databases.reader import read_store
from tenax.stores.place import Place, find_place
from tenax.stores.secrets.sealing import Vault
from tenax.wording import count_of

app = new_app()

HASH_CHARS = 16


@app.command()
def copy(
    source: Annotated[
        str,
        typer.Option(
            "--from", metavar="STORE", help="Store to copy: a directory, or postgresql://USER@HOST/DATABASE."
        ),
    ],
    destination: Annotated[str, typer.Option("--to", metavar="STORE", help="Store to copy to.")],
    verify_only: Annotated[
        bool, typer.Option("--verify-only", help="Copy nothing; compare the two stores.")
    ] = False,
) -> None:
    """Copy a crawl from one store to another, and verify that both hold the same. Stop the crawl first, and
    continue it in the destination. If the command is interrupted, run it again to continue.
    """
    origin, target = find_place(source, None), find_place(destination, None)
    refuse_same(origin, target)
    find_backend(origin).refuse_missing(origin)
    if verify_only:
        find_backend(target).refuse_missing(target)
    checks = run(origin, target, is_copying=not verify_only)
    show_checks(checks)
    refuse_different(checks, origin, target)
    show(f"{target} is a copy of {origin}: all rows are the same.")
    show_missing_keys(target)


def refuse_same(source: Place, destination: Place) -> None:
    if source == destination or (
        source.url is None
        and destination.url is None
        and source.folder.resolve() == destination.folder.resolve()
    ):
        raise UsageError(f"{source} cannot be copied to itself.")


def run(source: Place, destination: Place, *, is_copying: bool) -> list[TableCheck]:
    try:
        with contextlib.closing(open_steps(sys.stderr)) as view:
            return asyncio.run(transfer(source, destination, view.show, is_copying=is_copying))
    except asyncio.CancelledError as error:
        typer.echo("Stopped. Run the same command to continue.", err=True)
        raise typer.Exit(Exit.STOPPED) from error


async def transfer(
    source: Place, destination: Place, report: Report, *, is_copying: bool
) -> list[TableCheck]:
    cancel_on_signals()
    clock = SystemClock()
    if is_copying:
        await remove_dead_workers(source)
        copy_bodies(source, destination)
    async with open_rows(source, clock) as there, open_rows(destination, clock) as here:
        copier = Copier(there, here, report)
        return await (copier.copy() if is_copying else copier.compare())


def show_checks(checks: list[TableCheck]) -> None:
    rows = [
        (
            check.table,
            format_count(check.source.rows),
            format_count(check.destination.rows),
            str(check.source)[:HASH_CHARS],
            str(check.destination)[:HASH_CHARS],
            "same" if check.is_same else "different",
        )
        for check in checks
    ]
    show_table(("TABLE", "ROWS", "COPIED", "HASH", "HASH OF COPY", ""), rows, right=(1, 2))


def show_missing_keys(destination: Place) -> None:
    """Keys are not copied."""
    uses = read_store(destination, partial(list_key_uses, vault=Vault.of(destination)))
    for use in uses:
        if not use.is_here:
            secrets = count_of(use.secrets, "secret")
            show(f"Note: the key {use.key_id} of {secrets} was not copied; copy it yourself.")


def refuse_different(checks: list[TableCheck], source: Place, destination: Place) -> None:
    if wrong := [check.table for check in checks if not check.is_same]:
        raise StoreError(f"{destination} differs from {source} in {', '.join(wrong)}.")
