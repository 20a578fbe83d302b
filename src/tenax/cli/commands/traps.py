"""`tenax traps`: clusters of urls that bring nothing new, and learned merge rules; open or close one."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated

import typer

from tenax.cli.actors import name_actor
from tenax.cli.domains.names import NameArgument, find_name, find_place
from tenax.cli.options import DataOption, StoreOption, new_app
from tenax.cli.show.render import as_json, format_count, format_moment, show, show_json, show_table, tidy
from tenax.clock import Clock
from tenax.crawl.insight.trap_sentences import describe_evidence
from tenax.errors import StoreError, UsageError
from tenax.records.traps import TrapState
from tenax.runtime.actions import write_in_steps
from tenax.stores.access import Access
from tenax.stores.commands.traps import LONGEST_SHAPE, Decided, close_trap, open_trap
from tenax.stores.databases.reader import read_store
from tenax.stores.paging import SliceRequest
from tenax.stores.queries.traps import TrapFilter, TrapSummary, slice_traps
from tenax.visible import clean
from tenax.wording import count_of

SHAPE_CHARS = 60
SHOWN = 100

app = new_app("List clusters of urls that bring nothing new, and learned merge rules; open or close one.")

ShapeArgument = Annotated[
    str, typer.Argument(metavar="SHAPE", help="As listed, such as '/calendar/{n}/{n}'; quote it.")
]


@app.callback()
def traps(context: typer.Context, data: DataOption = None, store: StoreOption = None) -> None:
    context.obj = (store, data)


@app.command("list")
def list_traps(
    context: typer.Context,
    domain: Annotated[str | None, typer.Option(metavar="NAME", help="Only those of this domain.")] = None,
    state: Annotated[
        TrapState | None,
        typer.Option(help="Only those in this state. By default, all but open ones that nobody decided on."),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most this many.")] = SHOWN,
    data: DataOption = None,
    store: StoreOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print a JSON object per line.")] = False,
) -> None:
    """List clusters and learned rules, the latest change first."""
    wanted = SliceRequest(key="changed_at", is_descending=True, after=None, limit=limit)
    only = TrapFilter(domain=None if domain is None else find_name(domain), state=state)
    place = find_place(context, store, data)
    found = read_store(place, lambda connection: slice_traps(connection, wanted, only)).items
    if json:
        for each in found:
            show_json(as_json(_to_json(each)), is_line=True)
    elif not found:
        show("No traps.")
    else:
        heads = ("DOMAIN", "URLS LIKE", "STATE", "RULE", "VISITS", "NEW", "SINCE", "BY")
        show_table(heads, [_format(each) for each in found], right=(4, 5))


@app.command("open")
def open_(
    context: typer.Context,
    name: NameArgument,
    shape: ShapeArgument,
    data: DataOption = None,
    store: StoreOption = None,
) -> None:
    """Open a cluster for good, or undo a learned merge rule. What was held back is queued again."""
    decided = _decide(context, store, data, name, shape, open_trap)
    queued = f" {count_of(decided.queued, 'url')} queued again." if decided.queued else ""
    show(f"Urls like {clean(shape)} of {clean(decided.domain)} are open.{queued}")


@app.command()
def close(
    context: typer.Context,
    name: NameArgument,
    shape: ShapeArgument,
    data: DataOption = None,
    store: StoreOption = None,
) -> None:
    """Close a cluster: its urls are not requested until it is opened again."""
    if not shape.startswith("/") or len(shape) > LONGEST_SHAPE:
        raise UsageError("A shape starts with a slash, such as '/calendar/{n}/{n}'.")
    decided = _decide(context, store, data, name, shape, close_trap)
    show(f"Urls like {clean(shape)} of {clean(decided.domain)} are closed.")


Decision = Callable[[Access, Clock, str, str, str], Awaitable[Decided | None]]


def _decide(
    context: typer.Context,
    store: str | None,
    data: DataOption,
    name: str,
    shape: str,
    decide: Decision,
) -> Decided:
    domain, place = find_name(name), find_place(context, store, data)
    by = f"{name_actor().name} (command line)"
    decided = asyncio.run(
        write_in_steps(place, lambda access, clock: decide(access, clock, domain, shape, by))
    )
    if decided is None:
        raise StoreError(
            f"Nothing is known about urls like {clean(shape)} of {clean(domain)} in {place};"
            f" 'tenax traps list {place.option}' lists what is."
        )
    return decided


def _format(each: TrapSummary) -> tuple[str, ...]:
    trap = each.trap
    return (
        clean(each.domain),
        tidy(trap.shape, SHAPE_CHARS),
        trap.state,
        "" if trap.rule is None else trap.rule.replace("_", " "),
        format_count(trap.visits),
        format_count(trap.novel),
        format_moment(each.changed_at),
        "" if trap.decided_by is None else tidy(trap.decided_by, SHAPE_CHARS),
    )


def _to_json(each: TrapSummary) -> dict[str, object]:
    trap = each.trap
    return {
        "id": each.id,
        "domain": each.domain,
        "shape": trap.shape,
        "state": trap.state,
        "rule": trap.rule,
        "visits": trap.visits,
        "novel": trap.novel,
        "evidence": describe_evidence(trap),
        "decided_by": trap.decided_by,
        "first_seen_at": each.first_seen_at,
        "last_seen_at": each.last_seen_at,
        "changed_at": each.changed_at,
    }
