"""What `tenax items audit` shows."""

import asyncio
import itertools
from dataclasses import asdict
from typing import Annotated

import typer

from tenax.cli.domains.names import find_place
from tenax.cli.filters import DomainOption, SourceOption, find_filter_domain
from tenax.cli.options import DataOption, StoreOption
from tenax.cli.show.output import open_output
from tenax.cli.show.render import as_json, format_count, format_moment, show, show_json, show_table
from tenax.cli.show.slices import iter_slices
from tenax.clock import format_instant
from tenax.errors import UsageError
from tenax.jobs.sources.item_rules import ItemRules
from tenax.runtime.actions import write_store
from tenax.stores.commands.item_audits import keep_audit
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import read_store, tell_time
from tenax.stores.paging import SliceRequest
from tenax.stores.place import Place
from tenax.stores.queries.filters import Filter
from tenax.stores.queries.item_audit import Finding, FindingCode, ItemsAudit, audit_items
from tenax.stores.queries.kept_audits import KeptAudit, slice_audits
from tenax.visible import clean
from tenax.wording import count_of

SHOWN_GROUPS = 50


def audit(
    context: typer.Context,
    kind: Annotated[str | None, typer.Option("--kind", help="Only items of this kind.")] = None,
    source: SourceOption = None,
    domain: DomainOption = None,
    days: Annotated[
        float, typer.Option(min=0.01, max=400, help="Compare with how items were this many days ago.")
    ] = 7.0,
    data: DataOption = None,
    store: StoreOption = None,
    history: Annotated[
        bool, typer.Option("--history", help="List the audits that were kept, newest first.")
    ] = False,
    keep: Annotated[
        bool,
        typer.Option(
            "--keep/--no-keep",
            help="Keep the result for --history and the dashboard, unless it is of one kind or domain.",
        ),
    ] = True,
    limit: Annotated[int, typer.Option(min=1, help="At most this many, with --history.")] = 30,
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object; with --history, one per line.")
    ] = False,
) -> None:
    """Check items: broken rules, missing fields, sudden shifts of fields, items that vanished or whose page
    is unknown, parsers that do worse than before."""
    place = find_place(context, store, data)
    if history:
        if kind is not None or domain is not None:
            raise UsageError("Audits are kept of all items of a source: leave out --kind and --domain.")
        show_history(place, source, limit, as_lines=json)
        return
    only = Filter(source=source, domain=find_filter_domain(domain), item_kind=kind)

    def work(connection: Connection) -> ItemsAudit:
        rules = ItemRules(connection)
        now = tell_time(place, connection)
        return audit_items(connection, now=now, days=days, only=only, rules=rules.find)

    found = read_store(place, work)
    if json:
        spans = {"since": format_instant(found.since), "until": format_instant(found.until)}
        show_json(as_json(asdict(found) | spans))
    else:
        show_audit(found)
    if keep and kind is None and domain is None and found.groups:
        asyncio.run(write_store(place, lambda connection: keep_audit(connection, source, found)))


def show_audit(found: ItemsAudit) -> None:
    if not found.groups:
        show("No items.")
        return
    rows = [
        (clean(each.source or ""), clean(each.domain), clean(each.kind),
         *map(format_count, (each.items, each.new, each.changed, each.gone, each.invalid)))
        for each in found.groups[:SHOWN_GROUPS]
    ]  # fmt: skip
    heads = ("SOURCE", "DOMAIN", "KIND", "ITEMS", "NEW", "CHANGED", "GONE", "INVALID")
    show_table(heads, rows, right=(3, 4, 5, 6, 7))
    if more := len(found.groups) - len(rows):
        show(f"and {more:,} more")
    show("")
    for each in found.findings:
        for line in format_finding(each):
            show(clean(line))
    if not found.findings:
        show(f"Nothing is wrong, compared with {format_moment(found.since)}.")
    if not found.is_complete:
        show(f"Only the newest {found.items:,} items were read: choose a source, a domain or a kind.")


def format_finding(each: Finding) -> list[str]:
    where = " ".join(filter(None, (each.source, each.domain, each.kind)))
    first = f"{where}: {each.sentence}" if where else each.sentence
    return [first, *(f"  {url}" for url in each.examples)]


def show_history(place: Place, source: str | None, limit: int, *, as_lines: bool) -> None:
    wanted = SliceRequest(key="id", is_descending=True, after=None, limit=limit)

    def show_found(connection: Connection) -> int:
        found = iter_slices(connection, wanted, lambda part: slice_audits(connection, part, source))
        shown = 0
        for each in itertools.islice(found, limit):
            if as_lines:
                show_json(build_kept_json(each), is_line=True)
            else:
                show(clean(format_kept(each)))
            shown += 1
        return shown

    with open_output(None):
        if not read_store(place, show_found) and not as_lines:
            show("No audits were kept: 'tenax items audit' keeps one.")


def build_kept_json(each: KeptAudit) -> dict[str, object]:
    instants = {"at": format_instant(each.at), "since": format_instant(each.since)}
    shown: dict[str, object] = as_json(asdict(each) | instants)
    return shown


def format_kept(each: KeptAudit) -> str:
    removed = "a removed source" if each.source_id is not None else "all sources"
    counts = ", ".join(
        f"{code} {count.findings:,} ({format_unit(code, count.items)})" for code, count in each.counts.items()
    )
    head = f"{format_moment(each.at)}  {each.source or removed}  {count_of(each.items, 'item')}"
    return f"{head}  {counts or 'nothing is wrong'}"


def format_unit(code: FindingCode, number: int) -> str:
    return count_of(number, "page" if code is FindingCode.PARSER else "item")
