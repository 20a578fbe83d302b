"""`tenax inbound`."""

import time
from dataclasses import asdict
from typing import Annotated

import typer

from tenax.cli.options import DataOption, StoreOption, locate, new_app
from tenax.cli.show.output import open_output
from tenax.cli.show.render import as_json, format_count, show, show_json, tidy
from tenax.errors import UsageError
from tenax.record import record, replace
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import read_store
from tenax.stores.paging import ListPosition, SliceRequest
from tenax.stores.queries.inbound import Inbound, InboundLink, find_url_id, slice_inbound
from tenax.visible import clean
from tenax.web.urls import domain_of, parse_url
from tenax.wording import count_of

app = new_app()

ANCHOR_CHARS = 80
AT_ONCE = 500


@record
class InboundResult:
    """All slices together."""

    last: Inbound
    shown: int
    looked_at: int
    is_late: bool  # the time was over


@app.command()
def inbound(
    url: Annotated[str, typer.Argument(metavar="URL", help="URL in the crawl.")],
    anywhere: Annotated[
        bool, typer.Option("--anywhere", help="Search the pages of all domains, not only of its own.")
    ] = False,
    limit: Annotated[int, typer.Option(min=1, help="At most this many pages.")] = 100,
    within: Annotated[
        float, typer.Option(min=0, metavar="SECONDS", help="Search no longer than this.")
    ] = 30.0,
    data: DataOption = None,
    store: StoreOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print a JSON object per line.")] = False,
) -> None:
    """List the pages that link to a URL. Searches the stored links page by page."""
    address = parse_url(url)
    if address is None:
        raise UsageError(f"{clean(url)!r} is not the URL of a page; write it like https://example.com/.")
    wanted = SliceRequest(key="page_id", is_descending=False, after=None, limit=min(limit, AT_ONCE))

    def search(connection: Connection) -> InboundResult:
        url_id = find_url_id(connection, address, domain_of(address))
        if url_id is None:
            raise UsageError(f"{clean(address)} is not in this crawl; 'tenax explain' says more.")
        ends_at = time.monotonic() + within
        shown = looked_at = 0
        after: ListPosition | None = None
        while True:
            part = replace(wanted, after=after, limit=min(limit - shown, AT_ONCE))
            found = slice_inbound(connection, part, url_id, is_anywhere=anywhere)
            assert found is not None
            connection.commit()
            show_links(found, is_json=json)
            shown, looked_at, after = shown + len(found.items), looked_at + found.looked_at, found.next
            is_late = time.monotonic() >= ends_at
            if after is None or shown >= limit or is_late:
                return InboundResult(last=found, shown=shown, looked_at=looked_at, is_late=is_late)

    with open_output(None):
        found = read_store(locate(store, data), search)
        if not json:
            show(format_end(found, is_anywhere=anywhere))


def show_links(found: Inbound, *, is_json: bool) -> None:
    for link in found.items:
        if is_json:
            show_json(as_json(asdict(link)), is_line=True)
        else:
            show(format_link(link))


def format_link(link: InboundLink) -> str:
    anchor = f"  “{tidy(link.anchor, ANCHOR_CHARS)}”" if link.anchor else ""
    rel = f"  ({tidy(link.rel, ANCHOR_CHARS)})" if link.rel else ""
    return f"{clean(link.page)}{anchor}{rel}"


def format_end(found: InboundResult, *, is_anywhere: bool) -> str:
    """What was found where, and whether the search was complete."""
    verb = "links" if found.shown == 1 else "link"
    searched = f"searched {count_of(found.looked_at, 'page')}"
    if not is_anywhere:
        pages = f"{format_count(found.looked_at)} of {count_of(found.last.pages, 'page')}"
        searched = f"searched {pages} of {clean(found.last.domain)}"
    if found.last.next is None:
        return f"{count_of(found.shown, 'page')} {verb} to it; {searched}."
    option = "Use --within for more time" if found.is_late else "Use --limit for more"
    return f"The first {count_of(found.shown, 'page')} that {verb} to it; {searched}. {option}."
