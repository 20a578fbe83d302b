"""`tenax body`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from tenax.blobs.frames import unpack_heads
from tenax.cli.inspection import parse_address
from tenax.cli.options import DataOption, StoreOption, locate, new_app
from tenax.cli.show.render import show
from tenax.errors import UsageError
from tenax.private_files import save_file
from tenax.runtime.bodies import read_body
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import read_store
from tenax.stores.queries.bodies import VisitBody, find_body
from tenax.stores.queries.inbound import find_url_id
from tenax.visible import clean, clean_lines
from tenax.web.urls import domain_of

app = new_app()


@app.command()
def body(
    url: Annotated[str, typer.Argument(metavar="URL", help="URL of a page in the crawl.")],
    visit: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="ID", help="Of this visit.", show_default="the newest that stored a body"
        ),
    ] = None,
    headers: Annotated[
        bool, typer.Option("--headers", help="Show the headers that were sent and received instead.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write to this file.", show_default="none"),
    ] = None,
    data: DataOption = None,
    store: StoreOption = None,
) -> None:
    """Write the body of a page as it was received, if the crawl stores bodies."""
    place, address = locate(store, data), parse_address(url)
    found = read_store(place, lambda connection: find_stored(connection, address, visit))
    if headers:
        sent, received = unpack_heads(found.heads)
        show(clean_lines(f"{sent.decode('utf-8', 'replace')}\n\n{received.decode('utf-8', 'replace')}"))
        return
    content = read_body(place, found)
    if output is not None:
        save_file(output, content)
        return
    if sys.stdout.isatty() and b"\0" in content:
        raise UsageError("The body is not text. Write it to a file with --output FILE.")
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def find_stored(connection: Connection, address: str, visit_id: int | None) -> VisitBody:
    url_id = find_url_id(connection, address, domain_of(address))
    if url_id is None:
        raise UsageError(f"{clean(address)} is not in this crawl; 'tenax explain' says more.")
    found = find_body(connection, url_id, visit_id)
    if found is None and visit_id is not None:
        raise UsageError(f"Visit {visit_id} stored no body of {clean(address)}.")
    if found is None:
        raise UsageError(
            f"No body of {clean(address)} is stored. A crawl with --store-bodies stores those of its pages."
        )
    return found
