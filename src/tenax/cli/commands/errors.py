"""`tenax errors`: errors of requests and parsers, in groups of errors that are alike, and one in full."""

import itertools
from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated, Any

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
from tenax.cli.options import DataOption, StoreOption, locate, new_app
from tenax.cli.show.output import open_output
from tenax.cli.show.render import (
    NOTHING,
    as_json,
    format_count,
    format_moment,
    show,
    show_facts,
    show_json,
    tidy,
)
from tenax.cli.show.slices import iter_slices
from tenax.clock import format_instant
from tenax.errors import StoreError, UsageError
from tenax.records.items import ErrorCategory
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import read_store
from tenax.stores.paging import SliceRequest
from tenax.stores.queries.errors import (
    ErrorFilter,
    ErrorGroup,
    LoggedErrorDetail,
    LoggedErrorSummary,
    find_error,
    slice_errors,
    slice_groups,
)
from tenax.stores.queries.export.fields import format_hash, parse_hash
from tenax.visible import clean, clean_lines
from tenax.wording import count_of

MESSAGE_CHARS = 160
SHOWN = 100
MAX_ID = (1 << 63) - 1

app = new_app("List errors of requests and parsers, newest first; 'show' shows one with its stack trace.")


@app.callback(invoke_without_command=True)
def errors(
    context: typer.Context,
    data: DataOption = None,
    store: StoreOption = None,
    groups: Annotated[
        bool, typer.Option("--groups", help="List groups of errors that are alike, with their numbers.")
    ] = False,
    category: Annotated[ErrorCategory | None, typer.Option(help="Only errors of this category.")] = None,
    type: Annotated[str | None, typer.Option(help="Only errors of this type, such as KeyError.")] = None,
    parser: Annotated[str | None, typer.Option(metavar="NAME", help="Only errors of this parser.")] = None,
    fingerprint: Annotated[str | None, typer.Option(metavar="HEX", help="Only errors of this group.")] = None,
    source: SourceOption = None,
    domain: DomainOption = None,
    run: RunOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    limit: Annotated[int, typer.Option(min=1, help="At most this many.")] = SHOWN,
    json: Annotated[bool, typer.Option("--json", help="Print a JSON object per line.")] = False,
) -> None:
    context.obj = (store, data)
    if context.invoked_subcommand is not None:
        return
    if groups and (domain is not None or run is not None):
        raise UsageError("Groups are not counted by domain or run: leave out --groups, or these options.")
    begin, end = read_span(since, until)
    only = ErrorFilter(
        category=category,
        type=type,
        parser=parser,
        fingerprint=None if fingerprint is None else parse_hash(fingerprint),
        source=source,
        domain=find_filter_domain(domain),
        run_id=run,
        since=begin,
        until=end,
    )

    def show_found(connection: Connection) -> int:
        found = iter_groups(connection, only, limit) if groups else iter_errors(connection, only, limit)
        return show_all(itertools.islice(found, limit), as_lines=json)

    with open_output(None):
        shown = read_store(locate(store, data), show_found)
        if not json:
            show(format_end(shown, limit, "group" if groups else "error"))


@app.command("show")
def show_one(
    context: typer.Context,
    id: Annotated[int, typer.Argument(metavar="ID", min=1, max=MAX_ID, help="The number of the error.")],
    data: DataOption = None,
    store: StoreOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show one error with its stack trace, and how often errors like it occurred."""
    place = find_place(context, store, data)
    found = read_store(place, lambda connection: find_error(connection, id))
    if found is None:
        raise StoreError(f"There is no error {id} in {place}; 'tenax errors {place.option}' lists them.")
    if json:
        show_json(build_detail_json(found))
    else:
        show_detail(found)


def iter_errors(connection: Connection, only: ErrorFilter, limit: int) -> Iterator[LoggedErrorSummary]:
    wanted = SliceRequest(key=only.sort.removeprefix("-"), is_descending=True, after=None, limit=limit)
    return iter_slices(connection, wanted, lambda part: slice_errors(connection, part, only))


def iter_groups(connection: Connection, only: ErrorFilter, limit: int) -> Iterator[ErrorGroup]:
    wanted = SliceRequest(key="count", is_descending=True, after=None, limit=limit)
    return iter_slices(connection, wanted, lambda part: slice_groups(connection, part, only))


# --- what is shown -------------------------------------------------------------------------------


def show_all(found: Iterator[LoggedErrorSummary | ErrorGroup], *, as_lines: bool) -> int:
    shown = 0
    for each in found:
        if as_lines:
            show_json(build_json(each), is_line=True)
        elif isinstance(each, ErrorGroup):
            show(format_group(each))
        else:
            show(format_error(each))
        shown += 1
    return shown


def format_end(shown: int, limit: int, noun: str) -> str:
    if not shown:
        return f"No {noun}s."
    if shown == limit:
        return f"The first {format_count(shown)}; use --limit for more."
    return f"{count_of(shown, noun)}."


def format_error(error: LoggedErrorSummary) -> str:
    return (
        f"{error.id}  {format_moment(error.at)}  {_format_kind(error)}  {clean(error.url or NOTHING)}\n"
        f"    {tidy(error.message, MESSAGE_CHARS)}"
    )


def format_group(group: ErrorGroup) -> str:
    span = f"{format_moment(group.first_at)} to {format_moment(group.last_at)}"
    return (
        f"{format_count(group.count)} × {_format_kind(group)}  {format_hash(group.fingerprint)}  {span}\n"
        f"    {tidy(group.message, MESSAGE_CHARS)}\n"
        f"    such as error {group.last_error_id}, {clean(group.example_url or NOTHING)}"
    )


def _format_kind(each: LoggedErrorSummary | ErrorGroup) -> str:
    parser = "" if each.parser is None else f" in {clean(each.parser)}"
    return f"{each.category}: {clean(each.type)}{parser}"


def show_detail(found: LoggedErrorDetail) -> None:
    error, group = found.error, found.group
    show(f"{_format_kind(error)}", is_bold=True)
    show(clean_lines(error.message))
    if found.stack:
        show()
        show(clean_lines(found.stack.rstrip()))
    show()
    facts = [
        ("url", clean(error.url or NOTHING)),
        ("at", format_moment(error.at)),
        ("run", str(error.run_id)),
        ("source", clean(error.source or NOTHING)),
        ("fingerprint", format_hash(error.fingerprint)),
    ]
    if error.parser_version is not None:
        facts.append(("version", clean(error.parser_version)))
    if group is not None:
        facts.append(("similar errors", f"{format_count(group.count)} since {format_moment(group.first_at)}"))
    show_facts(facts)


def build_json(each: LoggedErrorSummary | ErrorGroup) -> dict[str, Any]:
    fields: dict[str, Any] = as_json(asdict(each)) | {"fingerprint": format_hash(each.fingerprint)}
    if isinstance(each, LoggedErrorSummary):
        fields["at"] = format_instant(each.at)
    return fields


def build_detail_json(found: LoggedErrorDetail) -> dict[str, Any]:
    group = None if found.group is None else build_json(found.group)
    return build_json(found.error) | {"stack": found.stack, "group": group}
