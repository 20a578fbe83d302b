"""`tenax items`: what parsers made of pages; one item with its history; items that are invalid."""

import itertools
from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated, Any

import orjson
import typer

from tenax.cli.domains.names import find_place
from tenax.cli.filters import (
    DomainOption,
    RunOption,
    SinceOption,
    SourceOption,
    UntilOption,
    find_filter_domain,
    read_span,
)
from tenax.cli.item_audit import audit
from tenax.cli.options import DataOption, StoreOption, locate, new_app
from tenax.cli.show.missing_items import explain_nothing
from tenax.cli.show.output import open_output
from tenax.cli.show.render import as_json, format_count, format_moment, show, show_facts, show_json, tidy
from tenax.cli.show.slices import iter_slices
from tenax.clock import format_instant
from tenax.errors import StoreError, UsageError
from tenax.record import record
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import read_store
from tenax.stores.paging import SliceRequest
from tenax.stores.place import Place
from tenax.stores.queries.invalid_items import InvalidFilter, InvalidItem, slice_invalid
from tenax.stores.queries.item_changes import ItemChange, slice_history
from tenax.stores.queries.item_fields import parse_comparison
from tenax.stores.queries.items import (
    ItemFilter,
    ItemObservation,
    ItemState,
    ItemSummary,
    count_observations,
    find_by_key,
    find_item,
    list_observations,
    slice_items,
)
from tenax.visible import clean
from tenax.wording import count_of

DATA_CHARS = 160
VALUE_CHARS = 80
FAULT_CHARS = 300
SHOWN = 100
MAX_ID = (1 << 63) - 1

app = new_app("List items that parsers made of pages, newest first; 'show' shows one, 'history' its changes.")
app.command("audit")(audit)

KindOption = Annotated[str | None, typer.Option("--kind", help="Only items of this kind.")]
ParserOption = Annotated[
    str | None, typer.Option("--parser", metavar="NAME", help="Only items of this parser.")
]
LimitOption = Annotated[int, typer.Option(min=1, help="At most this many.")]
LinesOption = Annotated[bool, typer.Option("--json", help="Print a JSON object per line.")]
ItemArgument = Annotated[
    list[str], typer.Argument(metavar="ID | KIND KEY", help="The number of the item, or its kind and key.")
]


@record
class ItemReport:
    item: ItemSummary
    seen: list[ItemObservation]
    seen_count: int


@app.callback(invoke_without_command=True)
def items(
    context: typer.Context,
    data: DataOption = None,
    store: StoreOption = None,
    kind: KindOption = None,
    state: Annotated[ItemState | None, typer.Option(help="Only items in this state.")] = None,
    parser: ParserOption = None,
    source: SourceOption = None,
    domain: DomainOption = None,
    run: RunOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    matching: Annotated[
        str | None, typer.Option("--matching", metavar="TEXT", help="Items whose key or data has this text.")
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            "--where",
            metavar="COMPARISON",
            help="Items whose field compares so, such as 'price>10' or name=Boat; may be repeated.",
        ),
    ] = None,
    limit: LimitOption = SHOWN,
    json: LinesOption = False,
) -> None:
    context.obj = (store, data)
    if context.invoked_subcommand is not None:
        return
    begin, end = read_span(since, until)
    only = ItemFilter(
        item_kind=kind,
        state=state,
        parser=parser,
        source=source,
        domain=find_filter_domain(domain),
        run_id=run,
        since=begin,
        until=end,
        text=matching or None,
        fields=[parse_comparison(each) for each in where or ()],
    )
    key = "id" if begin is None and end is None else "changed_at"
    wanted = SliceRequest(key=key, is_descending=True, after=None, limit=limit)

    def show_found(connection: Connection) -> None:
        found = iter_slices(connection, wanted, lambda part: slice_items(connection, part, only))
        shown = show_items(itertools.islice(found, limit), as_lines=json)
        if not json:
            show(format_end(shown, limit, "item"))
        if not shown:
            for sentence in explain_nothing(connection, only):
                typer.echo(sentence, err=True)

    with open_output(None):
        read_store(locate(store, data), show_found)


@app.command("show")
def show_one(
    context: typer.Context,
    item: ItemArgument,
    source: SourceOption = None,
    data: DataOption = None,
    store: StoreOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show one item: its data, and the urls that show it."""
    place = find_place(context, store, data)

    def load(connection: Connection) -> ItemReport:
        found = get_item(connection, place, item, source)
        return ItemReport(
            item=found,
            seen=list_observations(connection, found.id),
            seen_count=count_observations(connection, found.id),
        )

    report = read_store(place, load)
    if json:
        show_json(build_report_json(report))
    else:
        show_report(report)


@app.command()
def history(
    context: typer.Context,
    item: ItemArgument,
    source: SourceOption = None,
    limit: LimitOption = SHOWN,
    data: DataOption = None,
    store: StoreOption = None,
    json: LinesOption = False,
) -> None:
    """List how an item changed, field by field, newest first."""
    place = find_place(context, store, data)
    wanted = SliceRequest(key="id", is_descending=True, after=None, limit=limit)

    def load(connection: Connection) -> list[ItemChange]:
        item_id = get_item(connection, place, item, source).id
        return list(slice_history(connection, wanted, item_id).items)

    with open_output(None):
        for change in read_store(place, load):
            if json:
                show_json(build_json(change), is_line=True)
            else:
                show(format_change(change))


@app.command()
def invalid(
    context: typer.Context,
    kind: KindOption = None,
    parser: ParserOption = None,
    source: SourceOption = None,
    domain: DomainOption = None,
    run: RunOption = None,
    limit: LimitOption = SHOWN,
    data: DataOption = None,
    store: StoreOption = None,
    json: LinesOption = False,
) -> None:
    """List items that break the schema of their parser, with what is wrong, newest first."""
    only = InvalidFilter(
        item_kind=kind, parser=parser, source=source, domain=find_filter_domain(domain), run_id=run
    )
    wanted = SliceRequest(key="id", is_descending=True, after=None, limit=limit)

    def show_found(connection: Connection) -> int:
        found = iter_slices(connection, wanted, lambda part: slice_invalid(connection, part, only))
        return show_invalid(itertools.islice(found, limit), as_lines=json)

    with open_output(None):
        shown = read_store(find_place(context, store, data), show_found)
        if not json:
            show(format_end(shown, limit, "invalid item"))


def get_item(connection: Connection, place: Place, named: list[str], source: str | None) -> ItemSummary:
    """Raises UsageError or StoreError unless exactly one item is meant."""
    match named:
        case [number] if number.isascii() and number.isdigit() and int(number) <= MAX_ID:
            found = find_item(connection, int(number))
            candidates = [] if found is None else [found]
        case [kind, key]:
            candidates = find_by_key(connection, kind, key, source)
        case _:
            raise UsageError("Give the number of an item, or its kind and its key.")
    if not candidates:
        name = clean(" ".join(named))
        raise StoreError(f"There is no item {name} in {place}; 'tenax items {place.option}' lists them.")
    if len(candidates) > 1:
        numbers = ", ".join(f"{each.id} ({clean(each.source or 'no source')})" for each in candidates)
        raise UsageError(f"Several sources have this item: choose one by --source or its number: {numbers}.")
    return candidates[0]


# --- what is shown -------------------------------------------------------------------------------


def show_items(found: Iterator[ItemSummary], *, as_lines: bool) -> int:
    shown = 0
    for item in found:
        if as_lines:
            show_json(build_json(item), is_line=True)
        else:
            show(format_item(item))
        shown += 1
    return shown


def show_invalid(found: Iterator[InvalidItem], *, as_lines: bool) -> int:
    shown = 0
    for item in found:
        if as_lines:
            show_json(build_json(item), is_line=True)
        else:
            show(f"{format_moment(item.at)}  {clean(item.kind)} {clean(item.key)}  {clean(item.url)}")
            show(f"    parser {clean(item.parser)} {clean(item.parser_version)}")
            for fault in item.faults:
                show(f"    {tidy(fault, FAULT_CHARS)}")
        shown += 1
    return shown


def format_end(shown: int, limit: int, noun: str) -> str:
    if not shown:
        return f"No {noun}s."
    more = f"The first {format_count(shown)}; use --limit for more." if shown == limit else ""
    return more or f"{count_of(shown, noun)}."


def format_item(item: ItemSummary) -> str:
    gone = "" if item.gone_at is None else "  (gone)"
    data = tidy(format_data(item.data), DATA_CHARS)
    return f"{item.id}  {clean(item.kind)} {clean(item.key)}{gone}\n    {data}"


def format_data(data: dict[str, Any]) -> str:
    return orjson.dumps(data).decode()


def show_report(report: ItemReport) -> None:
    item = report.item
    show(f"{clean(item.kind)} {clean(item.key)}", is_bold=True)
    facts = [(clean(name), tidy(format_value(value), DATA_CHARS)) for name, value in item.data.items()]
    show_facts(facts, indent="  ")
    show()
    show_facts(_list_facts(item))
    show(f"shown by {count_of(report.seen_count, 'url')}:")
    for each in report.seen:
        differs = (
            "" if each.data is None else f"  with other data: {tidy(format_data(each.data), VALUE_CHARS)}"
        )
        show(f"  {format_moment(each.at)}  {clean(each.url)}{differs}")


def _list_facts(item: ItemSummary) -> Iterator[tuple[str, str]]:
    yield "number", str(item.id)
    yield "source", clean(item.source or "–")
    yield "parser", f"{clean(item.parser)} {clean(item.parser_version)}"
    if item.confidence is not None:
        yield "confidence", f"{item.confidence:.2f}"
    yield "first seen", format_moment(item.first_seen_at)
    yield "last seen", format_moment(item.last_seen_at)
    yield "changed", f"{format_moment(item.changed_at)}, {count_of(item.changes, 'change')} in all"
    if item.gone_at is not None:
        yield "gone", format_moment(item.gone_at)


def format_value(value: Any) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def format_change(change: ItemChange) -> str:
    head = f"{format_moment(change.at)}  {change.kind:<7}  {clean(change.url or '–')}"
    fields = [
        f"    {tidy(name, VALUE_CHARS)}: {_show_value(old)} → {_show_value(new)}"
        for name, (old, new) in (change.fields or {}).items()
    ]
    return "\n".join([head, *fields])


def _show_value(value: Any) -> str:
    return "–" if value is None else tidy(format_value(value), VALUE_CHARS)


def build_json(each: ItemSummary | ItemChange | InvalidItem) -> dict[str, Any]:
    """The fields, but the data as it is: fields of items may have any names."""
    fields = asdict(each)
    kept = {name: fields.pop(name) for name in ("data", "fields") if name in fields}
    shown: dict[str, Any] = as_json(fields) | kept
    return _format_at(shown)


def build_report_json(report: ItemReport) -> dict[str, Any]:
    seen = [_format_at(asdict(each)) for each in report.seen]
    return build_json(report.item) | {"observations": seen, "observations_count": report.seen_count}


def _format_at(fields: dict[str, Any]) -> dict[str, Any]:
    if isinstance(fields.get("at"), float):
        fields["at"] = format_instant(fields["at"])
    return fields
