"""What `tenax items audit` shows."""

from dataclasses import asdict
from typing import Annotated

import typer

from tenax.cli.domains.names import find_place
from tenax.cli.filters import DomainOption, SourceOption, find_filter_domain
from tenax.cli.options import DataOption, StoreOption
from tenax.cli.show.render import as_json, format_count, format_moment, show, show_json, show_table
from tenax.clock import format_instant
from tenax.jobs.sources.item_rules import ItemRules
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import read_store, tell_time
from tenax.stores.queries.filters import Filter
from tenax.stores.queries.item_audit import Finding, ItemsAudit, audit_items
from tenax.visible import clean

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
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Check items: broken rules, missing fields, sudden shifts of fields, items that vanished or whose page
    is unknown, parsers that do worse than before."""
    place = find_place(context, store, data)
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
