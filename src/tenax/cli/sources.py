"""How the commands about sources get hold of them, and show what was done."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, TypeVar

import orjson

from tenax.cli.show.render import NOTHING, show, show_json, tidy
from tenax.config.loading import load_settings
from tenax.errors import UsageError
from tenax.jobs.sources.changes import FieldChange, SourceChange, SourceChangeKind
from tenax.jobs.sources.definition import SourceDefinition, list_warnings
from tenax.jobs.sources.sources import Sources
from tenax.records.jobs import Source
from tenax.runtime.backends import find_backend
from tenax.runtime.server import open_server_runtime
from tenax.stores.place import Place
from tenax.visible import clean
from tenax.wording import count_of

T = TypeVar("T")

VALUE_CHARS = 80
_MARKS = {SourceChangeKind.ADDED: "+", SourceChangeKind.CHANGED: "~", SourceChangeKind.REMOVED: "-"}


def run_on_sources(place: Place, work: Callable[[Sources], Awaitable[T]], *, is_made: bool = False) -> T:
    """`is_made`: a store that is not there yet is made."""
    if not is_made:
        find_backend(place).refuse_missing(place)
    return asyncio.run(_run(place, work))


async def _run(place: Place, work: Callable[[Sources], Awaitable[T]]) -> T:
    async with open_server_runtime(place, load_settings()) as server_runtime:
        return await work(Sources(place, server_runtime.access, server_runtime.coordination))


async def get_source(sources: Sources, name: str, place: Place) -> Source:
    found = await sources.find_by_name(name)
    if found is None:
        raise UsageError(f"There is no source {clean(name)} in {place}; 'tenax sources' lists them.")
    return found


def show_warnings(definitions: Iterable[SourceDefinition]) -> None:
    for definition in definitions:
        for warning in list_warnings(definition):
            show(f"Mind {clean(definition.name)}: {warning}")


def show_changes(changes: Sequence[SourceChange], *, is_done: bool) -> None:
    for change in changes:
        if change.kind is SourceChangeKind.UNCHANGED:
            continue
        show(f"{_MARKS[change.kind]} {clean(change.name)}")
        for field in change.fields:
            show(f"    {clean(field.field)}: {_format_field(field, change.kind)}")
    counts = {kind: sum(each.kind is kind for each in changes) for kind in SourceChangeKind}
    told = ", ".join(f"{count:,} {kind}" for kind, count in counts.items() if count)
    show(f"{count_of(len(changes), 'source')}: {told or 'none'}{'' if is_done else '; nothing is done yet'}.")


def show_changes_as_json(changes: Sequence[SourceChange], *, is_done: bool) -> None:
    listed = [
        {
            "change": change.kind,
            "name": change.name,
            "fields": [{"field": each.field, "old": each.old, "new": each.new} for each in change.fields],
        }
        for change in changes
    ]
    show_json({"is_done": is_done, "sources": listed})


def _format_field(field: FieldChange, kind: SourceChangeKind) -> str:
    if kind is SourceChangeKind.ADDED:
        return _format(field.new)
    if isinstance(field.old, list) and isinstance(field.new, list):
        gone = [f"-{_format(each)}" for each in field.old if each not in field.new]
        come = [f"+{_format(each)}" for each in field.new if each not in field.old]
        return " ".join(gone + come) or "in another order"
    return f"{_format(field.old)} → {_format(field.new)}"


def _format(value: Any) -> str:
    if value is None:
        return NOTHING
    return tidy(value if isinstance(value, str) else orjson.dumps(value).decode(), VALUE_CHARS)
