"""What a list of definitions changes about the sources that there are. Pure."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Any

from tenax.config import HIDDEN
from tenax.job_records import Source
from tenax.jobs.sources.definition import SourceDefinition, dump_definition, read_definition
from tenax.jobs.sources.definition_errors import UnreadableSource
from tenax.jobs.sources.hidden_headers import check_hidden
from tenax.record import record
from tenax.wording import fold_name

OpenHeaders = Callable[[Source], Mapping[str, str]]  # what those of a source say, as far as it can be known


class SourceChangeKind(StrEnum):
    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"
    UNCHANGED = "unchanged"


@record
class FieldChange:
    field: str  # schedule.interval_minutes
    old: Any  # None: it was left out
    new: Any


@record
class SourceChange:
    kind: SourceChangeKind
    name: str
    source: Source | None  # as it is known; None: it is not yet
    definition: SourceDefinition | None  # None: it is to go
    fields: Sequence[FieldChange]

    def with_source(self, source: Source) -> "SourceChange":
        """The same, done."""
        return replace(self, source=source)


def plan_changes(
    known: Sequence[Source],
    definitions: Sequence[SourceDefinition],
    open_headers: OpenHeaders,
    *,
    prune: bool,
) -> list[SourceChange]:
    """In the order of the definitions. Names decide which is which; each is there once. Raises BadDefinition
    for headers that are hidden and cannot stay what they are."""
    by_key = {fold_name(source.name): source for source in known}
    changes = [_compare(by_key.pop(fold_name(each.name), None), each, open_headers) for each in definitions]
    if prune:
        changes += [_remove(source) for source in by_key.values()]
    return changes


def _compare(source: Source | None, wanted: SourceDefinition, open_headers: OpenHeaders) -> SourceChange:
    found = None if source is None else read_definition(source)
    known = None if isinstance(found, UnreadableSource) else found
    check_hidden(wanted, known)
    if source is None or known is None:
        fields = list(_diff({}, dump_definition(wanted)))
    else:
        fields = list_field_changes(known, wanted, lambda: open_headers(source))
    kind = SourceChangeKind.CHANGED if fields else SourceChangeKind.UNCHANGED
    kind = SourceChangeKind.ADDED if source is None else kind
    return SourceChange(kind=kind, name=wanted.name, source=source, definition=wanted, fields=fields)


def _remove(source: Source) -> SourceChange:
    return SourceChange(
        kind=SourceChangeKind.REMOVED, name=source.name, source=source, definition=None, fields=()
    )


def list_field_changes(
    old: SourceDefinition, new: SourceDefinition, open_old: Callable[[], Mapping[str, str]]
) -> list[FieldChange]:
    """Fields that have another value; what headers say is hidden, and hidden ones stay what they are.
    `open_old`: what they said."""
    fields = list(_diff(dump_definition(old), dump_definition(new)))
    given = {name: value for name, value in new.headers.items() if name in old.headers and value != HIDDEN}
    opened = open_old() if given else {}
    fields += [
        FieldChange(field=f"headers.{name}", old=HIDDEN, new=HIDDEN)
        for name, value in given.items()
        if opened.get(name) != value
    ]
    return sorted(fields, key=lambda each: each.field)


def _diff(old: Mapping[str, Any], new: Mapping[str, Any], prefix: str = "") -> Iterator[FieldChange]:
    for name in [*old, *(name for name in new if name not in old)]:
        before, after = old.get(name), new.get(name)
        if isinstance(before or after, Mapping) and isinstance(after or before, Mapping):
            yield from _diff(before or {}, after or {}, f"{prefix}{name}.")
        elif before != after:
            yield FieldChange(field=f"{prefix}{name}", old=before, new=after)
