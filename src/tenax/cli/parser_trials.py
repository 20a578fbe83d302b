"""What `tenax parsers compare` and `tenax parsers promote` do: candidates beside current parsers."""

import shlex
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

import typer

from tenax.cli.filters import SourceOption
from tenax.cli.options import DataOption, StoreOption, locate
from tenax.cli.show.render import as_json, format_count, show, show_json, show_table, tidy
from tenax.cli.sources import get_source, run_on_sources
from tenax.errors import StoreError, UsageError
from tenax.jobs.sources.definition import SourceDefinition, read_definition
from tenax.jobs.sources.promotion import has_candidate
from tenax.jobs.sources.sources import Sources
from tenax.records.jobs import Source
from tenax.stores.databases.reader import read_store
from tenax.stores.place import Place
from tenax.stores.queries.parser_trials import Comparison, TrialField, list_comparisons
from tenax.visible import clean
from tenax.wording import count_of

VALUE_CHARS = 60

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Name of the parser.")]


def compare(
    name: NameArgument,
    source: SourceOption = None,
    data: DataOption = None,
    store: StoreOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print a JSON object per line.")] = False,
) -> None:
    """Show how the items of a candidate differ from those of the current parser, field by field."""
    place = locate(store, data)
    found = read_store(place, lambda connection: list_comparisons(connection, name, source))
    if not found:
        raise StoreError(
            f"No candidate for the parser {clean(name)} has seen a page in {place}: it does when pages of the"
            " parser are visited again. 'tenax retry --kind KIND' queues them for the next run."
        )
    for each in found:
        if json:
            show_json(as_json(asdict(each)), is_line=True)
        else:
            show_comparison(each)


def show_comparison(found: Comparison) -> None:
    pages = found.pages_same + found.pages_different + found.pages_failed
    show(
        clean(
            f"{found.source or 'a removed source'}: {found.parser} {found.version} and its candidate"
            f" {found.candidate} on {count_of(pages, 'page')}: {found.pages_same:,} alike,"
            f" {found.pages_different:,} different, {found.pages_failed:,} failed."
        )
    )
    if found.last_failure is not None and found.pages_failed:
        show(f"The candidate failed: {tidy(found.last_failure, 3 * VALUE_CHARS)}")
    heads = ("FIELD", "SAME", "DIFFERENT", "ONLY CURRENT", "ONLY CANDIDATE", "CURRENT", "CANDIDATE", "URL")
    if found.fields:
        show_table(heads, [format_field(each) for each in found.fields], right=(1, 2, 3, 4))
    show("")


def format_field(field: TrialField) -> tuple[str, ...]:
    counts = (field.same, field.different, field.only_current, field.only_candidate)
    has_example = field.example_url is not None
    values = (field.example_current, field.example_candidate) if has_example else (None, None)
    shown = ("nothing" if value is None else tidy(value, VALUE_CHARS) for value in values)
    examples = shown if has_example else ("", "")
    return (clean(field.field), *map(format_count, counts), *examples, clean(field.example_url or ""))


def promote(
    name: NameArgument,
    source: Annotated[
        str | None, typer.Option("--source", metavar="NAME", help="The source, if several have a candidate.")
    ] = None,
    data: DataOption = None,
    store: StoreOption = None,
) -> None:
    """Make the candidate of a parser the parser of its source. Its next run uses it, and requests each page
    once, changed or not."""
    place = locate(store, data)
    promoted = run_on_sources(place, lambda sources: promote_in(sources, name, source, place))
    show(f"The candidate is now the parser {clean(name)} of {clean(promoted.name)}, from its next run on.")
    show("A file that you apply still has the old one: 'tenax sources export' writes the new definition.")
    definition = read_definition(promoted)
    if isinstance(definition, SourceDefinition) and definition.schedule is None:
        name = shlex.quote(clean(promoted.name))
        show(f"{clean(promoted.name)} has no schedule: 'tenax jobs create {name}' runs it once.")


async def promote_in(sources: Sources, name: str, source: str | None, place: Place) -> Source:
    if source is not None:
        chosen = await get_source(sources, source, place)
    else:
        chosen = choose(name, await sources.list_all())
    return await sources.promote_parser(chosen.id, name)


def choose(name: str, known: Sequence[Source]) -> Source:
    found = [
        each
        for each in known
        if isinstance(definition := read_definition(each), SourceDefinition)
        and has_candidate(definition, name)
    ]
    if not found:
        raise UsageError(f"No source has a candidate for a parser {clean(name)}.")
    if len(found) > 1:
        names = ", ".join(clean(each.name) for each in found)
        raise UsageError(
            f"Several sources have a candidate for {clean(name)} ({names}): choose with --source."
        )
    return found[0]
