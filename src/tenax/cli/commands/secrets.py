"""`tenax secrets`: the keys that seal the secrets of a store."""

import asyncio
from dataclasses import asdict
from functools import partial
from typing import Annotated

import typer

from tenax.cli.domains.names import find_place
from tenax.cli.options import DataOption, StoreOption, locate, new_app
from tenax.cli.show.render import format_count, show, show_json, show_table
from tenax.exits import Exit
from tenax.runtime.actions import rotate_secrets, scrub_secrets
from tenax.stores.commands.secrets import KeyUse, list_key_uses
from tenax.stores.databases.reader import read_store
from tenax.stores.place import Place
from tenax.stores.secrets.keys import new_key
from tenax.stores.secrets.sealing import Vault
from tenax.wording import count_of

app = new_app("List the keys that seal secrets; create a key, rotate keys, scrub the store.")


@app.callback(invoke_without_command=True)
def secrets(
    context: typer.Context,
    data: DataOption = None,
    store: StoreOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print a JSON object per line.")] = False,
) -> None:
    context.obj = (store, data)
    if context.invoked_subcommand is not None:
        return
    uses = _load_uses(locate(store, data))
    if json:
        for use in uses:
            show_json(asdict(use), is_line=True)
    elif not uses:
        show("No keys and no secrets.")
    else:
        rows = [(use.key_id, format_count(use.secrets), "here" if use.is_here else "missing") for use in uses]
        show_table(("KEY", "SECRETS", ""), rows, right=(1,))


@app.command("new-key")
def make_key() -> None:
    """Print a new key for TENAX_SECRET_KEY. It is not stored."""
    typer.echo(new_key())


@app.command("rotate")
def rotate(context: typer.Context, data: DataOption = None, store: StoreOption = None) -> None:
    """Seal all secrets with a new key and scrub the store. If the environment has keys, the first of them is
    used. If the command is interrupted, run it again to continue."""
    place = find_place(context, store, data)
    number = asyncio.run(rotate_secrets(place))
    uses = _load_uses(place)
    if not uses:
        show(f"There are no secrets in {place}.")
        return
    sealed = count_of(number, "secret")
    show(f"{sealed} resealed; all {format_count(uses[0].secrets)} now use the key {uses[0].key_id}.")
    _scrub(place)


@app.command("scrub")
def scrub(context: typer.Context, data: DataOption = None, store: StoreOption = None) -> None:
    """Rewrite the store, so that no unused page holds an old secret. A data directory needs space for a
    second copy of its file."""
    _scrub(find_place(context, store, data))


def _scrub(place: Place) -> None:
    if not asyncio.run(scrub_secrets(place)):
        show("Another process is reading the store. Run 'tenax secrets scrub' again when it is done.")
        raise typer.Exit(Exit.ERROR)
    show("The store no longer holds old secrets; older backups still do.")


def _load_uses(place: Place) -> list[KeyUse]:
    return read_store(place, partial(list_key_uses, vault=Vault.of(place)))
