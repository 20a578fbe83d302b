"""`tenax feeds`: the feeds that are followed for sources; poll one now."""

import asyncio
from dataclasses import asdict
from typing import Annotated

import typer

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
from tenax.errors import StoreError
from tenax.records.feeds import Feed, FeedState
from tenax.runtime.actions import write_store
from tenax.stores.databases.reader import read_store, tell_store_time
from tenax.stores.feeds.feeds import FeedFilter, request_poll, slice_feeds
from tenax.stores.paging import SliceRequest

SHOWN = 100
URL_CHARS = 70

app = new_app("List the feeds that are followed; poll one now.")


@app.callback(invoke_without_command=True)
def feeds(
    context: typer.Context,
    data: DataOption = None,
    store: StoreOption = None,
    source: Annotated[
        int | None, typer.Option("--source", min=1, help="Only feeds of the source with this number.")
    ] = None,
    all: Annotated[bool, typer.Option("--all", help="Also addresses without a feed.")] = False,
    limit: Annotated[int, typer.Option(min=1, help="At most this many.")] = SHOWN,
    json: Annotated[bool, typer.Option("--json", help="Print a JSON object per line.")] = False,
) -> None:
    context.obj = (store, data)
    if context.invoked_subcommand is not None:
        return
    wanted = SliceRequest(key="id", is_descending=False, after=None, limit=limit)
    only = FeedFilter(source_id=source, without=None if all else FeedState.ABSENT)
    found = read_store(locate(store, data), lambda connection: slice_feeds(connection, wanted, only)).items
    if json:
        for feed in found:
            show_json(as_json(asdict(feed)), is_line=True)
    elif not found:
        show("No feeds.")
    else:
        show_table(
            ("FEED", "SOURCE", "KIND", "STATE", "NEW", "NEXT POLL", "URL", "ERROR"),
            [_format(feed) for feed in found],
            right=(0, 1, 4),
        )


def _format(feed: Feed) -> tuple[str, ...]:
    return (
        str(feed.id),
        str(feed.source_id),
        feed.kind or NOTHING,
        feed.state,
        format_count(feed.entries_new),
        NOTHING if feed.next_poll_at is None else format_moment(feed.next_poll_at),
        tidy(feed.url, URL_CHARS),
        tidy(feed.error or "", URL_CHARS),
    )


@app.command()
def poll(
    context: typer.Context,
    feed: Annotated[int, typer.Argument(metavar="FEED", min=1, help="Number of the feed.")],
    data: DataOption = None,
    store: StoreOption = None,
) -> None:
    """Poll a feed as soon as its domain allows it. A `tenax serve` on the same store does it."""
    earlier_store, earlier_data = context.obj
    place = locate(store or earlier_store, data or earlier_data)

    requested = asyncio.run(
        write_store(
            place, lambda connection: request_poll(connection, feed, tell_store_time(place, connection))
        )
    )
    if requested is None:
        raise StoreError(f"There is no feed {feed} in {place}; 'tenax feeds {place.option}' lists them.")
    show(f"Feed {feed} will be polled as soon as its domain allows it.")
