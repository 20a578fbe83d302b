"""What a list of definitions changes about the existing sources. Pure."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Any

from tenax.config.masking import HIDDEN
from tenax.jobs.sources.definition import SourceDefinition, dump_definition, read_definition
from tenax.jobs.sources.definition_errors import UnreadableSource
from tenax.jobs.sources.hidden_headers import check_hidden
from tenax.record import record
from tenax.records.jobs import Source
from tenax.wording import fold_name

OpenHeaders = Callable[
    [Source], Mapping[str, str]
]  # the header values of a source, as far as they can be decrypted


class SourceChangeKind(StrEnum):
    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"
    UNCHANGED = "unchanged"


@record
class FieldChange:
    field: str  # schedule.interval_minutes
    old: Any  # None: not given
    new: Any


@record
class SourceChange:
    kind: SourceChangeKind
    name: str
    source: Source | None  # as stored; None: not stored yet
    definition: SourceDefinition | None  # None: to be removed
    fields: Sequence[FieldChange]

    def with_source(self, source: Source) -> "SourceChange":
        """The same change, applied."""
        return replace(self, source=source)


def plan_changes(
    known: Sequence[Source],
    definitions: Sequence[SourceDefinition],
    open_headers: OpenHeaders,
    *,
    prune: bool,
) -> list[SourceChange]:
    """The changes, in the order of the definitions. Sources are matched by name; each name appears once.
    Raises BadDefinition for hidden headers that cannot keep their value."""
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
    """The fields whose value changed. Header values are not shown, and hidden ones are unchanged. `open_old`
    returns the old header values."""
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
