"""`tenax duplicates`."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated, Any

import typer

from tenax.cli.filters import DomainOption, SourceOption, find_filter_domain
from tenax.cli.options import DataOption, StoreOption, locate, new_app
from tenax.cli.show.output import open_output
from tenax.cli.show.render import show, show_json, tidy
from tenax.cli.show.slices import iter_slices
from tenax.clock import format_instant
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import read_store
from tenax.stores.paging import SliceRequest
from tenax.stores.queries.duplicates import (
    ClusterFilter,
    ClusterMember,
    DuplicateCluster,
    Likeness,
    slice_clusters,
)
from tenax.visible import clean
from tenax.wording import count_of

app = new_app()

TITLE_CHARS = 80


@app.command()
def duplicates(
    data: DataOption = None,
    store: StoreOption = None,
    domain: DomainOption = None,
    source: SourceOption = None,
    kind: Annotated[
        Likeness | None, typer.Option(help="Only clusters with pages of the same, or nearly the same, text.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most this many clusters.")] = 100,
    json: Annotated[bool, typer.Option("--json", help="Print a JSON object per line.")] = False,
) -> None:
    """List pages that others repeat, with the pages that repeat them."""
    only = ClusterFilter(domain=find_filter_domain(domain), source=source, likeness=kind)

    def show_found(connection: Connection) -> tuple[int, bool]:
        shown = 0
        for cluster in iter_clusters(connection, only, limit + 1):
            if shown == limit:
                return shown, True
            shown += 1
            if json:
                show_json(build_json(cluster), is_line=True)
            else:
                show(format_cluster(cluster))
        return shown, False

    with open_output(None):
        shown, is_more = read_store(locate(store, data), show_found)
        if not json and not shown:
            show("No page repeats another.")
        elif not json and is_more:
            show(f"The first {count_of(shown, 'cluster')}. Use --limit for more.")


def iter_clusters(connection: Connection, only: ClusterFilter, limit: int) -> Iterator[DuplicateCluster]:
    wanted = SliceRequest(key="id", is_descending=False, after=None, limit=limit)
    return iter_slices(connection, wanted, lambda part: slice_clusters(connection, part, only))


def build_json(cluster: DuplicateCluster) -> dict[str, Any]:
    fields = asdict(cluster) | {"size": cluster.size}
    fields["members"] = [
        asdict(member) | {"fetched_at": format_instant(member.fetched_at)} for member in cluster.members
    ]
    return fields


def format_cluster(cluster: DuplicateCluster) -> str:
    title = f"  “{tidy(cluster.title, TITLE_CHARS)}”" if cluster.title else ""
    lines = [f"{clean(cluster.url)}{title}", *(format_member(member) for member in cluster.members)]
    left = cluster.exact + cluster.near - len(cluster.members)
    return "\n".join([*lines, f"    and {count_of(left, 'other')}"] if left else lines)


def format_member(member: ClusterMember) -> str:
    if member.likeness is Likeness.EXACT:
        return f"    exact     {clean(member.url)}"
    bits = "" if member.bits is None else f"  ({member.bits} of 64 bits differ)"
    return f"    near      {clean(member.url)}{bits}"
