"""`tenax changes`."""

import itertools
from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated, Any

import typer

from tenax.cli.filters import (
    DomainOption,
    RunOption,
    SinceOption,
    SourceOption,
    UntilOption,
    find_filter_domain,
    read_span,
)
from tenax.cli.options import DataOption, StoreOption, locate, new_app
from tenax.cli.show.output import open_output
from tenax.cli.show.render import format_bytes, format_moment, show, show_json, tidy
from tenax.clock import format_instant
from tenax.records.pages import ChangeKind
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import read_store
from tenax.stores.queries.changes import ChangeFilter, PageChange, iter_changes
from tenax.stores.queries.export.fields import format_hash
from tenax.visible import clean

app = new_app()

TITLE_CHARS = 80
SHOWN_DIGITS = 8  # of a hash, enough to see that it differs


@app.command()
def changes(
    data: DataOption = None,
    store: StoreOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    domain: DomainOption = None,
    run: RunOption = None,
    source: SourceOption = None,
    kind: Annotated[list[ChangeKind] | None, typer.Option(help="Only this kind; may be repeated.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="At most this many.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print a JSON object per line.")] = False,
) -> None:
    """List new, changed and gone pages, newest first."""
    begin, end = read_span(since, until)
    only = ChangeFilter(
        domain=find_filter_domain(domain),
        kinds=tuple(kind or ChangeKind),
        run_id=run,
        source=source,
        since=begin,
        until=end,
    )

    def show_found(connection: Connection) -> int:
        found = iter_changes(connection, only)
        return show_changes(itertools.islice(found, limit), as_lines=json)

    with open_output(None):
        if not read_store(locate(store, data), show_found) and not json:
            show("No changes match." if only.facets else "No changes.")


def show_changes(found: Iterator[PageChange], *, as_lines: bool) -> int:
    """Show each as it is read: there may be millions."""
    shown = 0
    for change in found:
        if as_lines:
            show_json(build_json(change), is_line=True)
        else:
            show(format_change(change))
        shown += 1
    return shown


def build_json(change: PageChange) -> dict[str, Any]:
    fields = asdict(change)
    for name in ("old_hash", "new_hash"):
        fields[name] = None if fields[name] is None else format_hash(fields[name])
    fields["at"] = format_instant(change.at)
    return fields


def format_change(change: PageChange) -> str:
    title = f"  “{tidy(change.title, TITLE_CHARS)}”" if change.title else ""
    return (
        f"{format_moment(change.at)}  {change.kind:<7}  {clean(change.url)}{title}\n"
        f"    {_format_sizes(change)}, text {_format_hashes(change)}"
    )


def _format_sizes(change: PageChange) -> str:
    sizes = [format_bytes(size) for size in (change.old_bytes, change.new_bytes) if size is not None]
    if change.old_bytes is None or change.new_bytes is None:
        return sizes[0]
    difference = change.new_bytes - change.old_bytes
    return f"{' → '.join(sizes)} ({difference:+,} B)"


def _format_hashes(change: PageChange) -> str:
    hashes = [value for value in (change.old_hash, change.new_hash) if value is not None]
    return " → ".join(format_hash(value)[:SHOWN_DIGITS] for value in dict.fromkeys(hashes))
