"""`tenax sitemaps`: the sitemaps of all domains, or of one."""

from dataclasses import asdict
from typing import Annotated

import typer

from tenax.cli.domains.names import find_name
from tenax.cli.options import DataOption, StoreOption, locate, new_app
from tenax.cli.show.render import (
    NOTHING,
    as_json,
    format_count,
    format_moment,
    show,
    show_json,
    show_table,
    tidy,
)
from tenax.stores.databases.reader import read_store
from tenax.stores.paging import SliceRequest
from tenax.stores.queries.sitemaps import Sitemap, SitemapFilter, slice_sitemaps

SHOWN = 100
URL_CHARS = 70
ERROR_CHARS = 200

app = new_app()


@app.command()
def sitemaps(
    domain: Annotated[
        str | None, typer.Argument(metavar="[DOMAIN]", help="Only sitemaps of this domain.")
    ] = None,
    data: DataOption = None,
    store: StoreOption = None,
    limit: Annotated[int, typer.Option(min=1, help="At most this many.")] = SHOWN,
    json: Annotated[bool, typer.Option("--json", help="Print a JSON object per line.")] = False,
) -> None:
    """List the sitemaps that were found: what they list, when they were read, what went wrong."""
    wanted = SliceRequest(key="id", is_descending=False, after=None, limit=limit)
    only = SitemapFilter(domain=None if domain is None else find_name(domain))
    place = locate(store, data)
    found = read_store(place, lambda connection: slice_sitemaps(connection, wanted, only)).items
    if json:
        for sitemap in found:
            show_json(as_json(asdict(sitemap)), is_line=True)
    elif not found:
        show("No sitemaps.")
    else:
        show_table(
            ("URL", "FOUND IN", "KIND", "STATE", "ENTRIES", "REFUSED", "NEW", "DATES", "LAST READ"),
            [_format(sitemap) for sitemap in found],
            right=(4, 5, 6),
            notes=[_format_note(sitemap) for sitemap in found],
        )


def _format(sitemap: Sitemap) -> tuple[str, ...]:
    return (
        tidy(sitemap.url, URL_CHARS),
        sitemap.origin,
        sitemap.kind or NOTHING,
        sitemap.fate,
        format_count(sitemap.entries),
        format_count(sitemap.refused),
        format_count(sitemap.added),
        sitemap.lastmod,
        NOTHING if sitemap.read_at is None else format_moment(sitemap.read_at),
    )


def _format_note(sitemap: Sitemap) -> str | None:
    return None if sitemap.error is None else f"  └─ {tidy(sitemap.error, ERROR_CHARS)}"
