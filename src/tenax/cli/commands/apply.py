"""`tenax apply`: make the sources equal to a file."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer

from tenax.cli.options import DataOption, StoreOption, locate, new_app
from tenax.cli.show.render import NOTHING, show, show_json, tidy
from tenax.cli.sources import run_on_sources, show_warnings
from tenax.config.yaml_values import LARGEST_BYTES
from tenax.errors import UsageError
from tenax.exits import Exit
from tenax.jobs.sources.changes import FieldChange, SourceChange, SourceChangeKind, plan_changes
from tenax.jobs.sources.files import BadSourceFile, parse_sources
from tenax.jobs.sources.sources import Sources
from tenax.runtime.backends import find_backend
from tenax.visible import clean
from tenax.wording import count_of

app = new_app()

VALUE_CHARS = 80
_MARKS = {SourceChangeKind.ADDED: "+", SourceChangeKind.CHANGED: "~", SourceChangeKind.REMOVED: "-"}


@app.command()
def apply(
    file: Annotated[
        Path, typer.Option("--file", "-f", help="YAML file with a list of sources; - reads standard input.")
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
    prune: Annotated[
        bool, typer.Option("--prune", help="Also remove sources that are not in the file.")
    ] = False,
    data: DataOption = None,
    store: StoreOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Create and change sources to match a file, in one transaction. Repeating is safe.

    `tenax sources export` writes such a file. All mistakes are reported at once, as FILE:LINE: message.
    """
    try:
        definitions = parse_sources(read_text(file), name=str(file))
    except BadSourceFile as error:
        for line in str(error).splitlines():
            print(clean(line), file=sys.stderr)
        raise typer.Exit(Exit.USAGE) from error

    async def work(sources: Sources) -> Sequence[SourceChange]:
        action = sources.plan if dry_run else sources.apply
        return await action(definitions, prune=prune)

    place = locate(store, data)
    if dry_run and not find_backend(place).has_store(place):
        changes: Sequence[SourceChange] = plan_changes([], definitions, lambda _: {}, prune=prune)
    else:
        changes = run_on_sources(place, work, creates_store=True)
    if json:
        show_changes_as_json(changes, is_done=not dry_run)
        return
    show_changes(changes, is_done=not dry_run)
    show_warnings(definitions)


def read_text(file: Path) -> str:
    try:
        if str(file) == "-":
            return sys.stdin.read(LARGEST_BYTES + 1)
        with file.open(encoding="utf-8") as opened:
            return opened.read(LARGEST_BYTES + 1)
    except OSError as error:
        raise UsageError(f"Cannot read {file}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{file} is not UTF-8 text.") from error


def show_changes(changes: Sequence[SourceChange], *, is_done: bool) -> None:
    for change in changes:
        if change.kind is SourceChangeKind.UNCHANGED:
            continue
        show(f"{_MARKS[change.kind]} {clean(change.name)}")
        for field in change.fields:
            show(f"    {clean(field.field)}: {_format_field(field, change.kind)}")
    counts = {kind: sum(each.kind is kind for each in changes) for kind in SourceChangeKind}
    summary = ", ".join(f"{count:,} {kind}" for kind, count in counts.items() if count)
    note = "" if is_done else " (dry run: nothing was changed)"
    show(f"{count_of(len(changes), 'source')}: {summary or 'none'}{note}.")


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
        removed = [f"-{_format(each)}" for each in field.old if each not in field.new]
        added = [f"+{_format(each)}" for each in field.new if each not in field.old]
        return " ".join(removed + added) or "reordered"
    return f"{_format(field.old)} → {_format(field.new)}"


def _format(value: Any) -> str:
    if value is None:
        return NOTHING
    return tidy(value if isinstance(value, str) else orjson.dumps(value).decode(), VALUE_CHARS)
