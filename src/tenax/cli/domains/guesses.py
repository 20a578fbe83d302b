"""What `tenax pagination` and `tenax archives` share: lists of learned patterns, and changes by users."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from tenax.cli.actors import name_actor
from tenax.cli.domains.names import find_name
from tenax.cli.options import locate
from tenax.cli.show.render import (
    as_json,
    format_count,
    format_moment,
    show,
    show_facts,
    show_json,
    show_table,
)
from tenax.clock import SystemClock
from tenax.errors import StoreError
from tenax.policy.guesses.url_patterns import ChosenState
from tenax.runtime.actions import write_store
from tenax.stores.commands.guesses import MOST_RULES, TooManyRules
from tenax.stores.connection import Connection
from tenax.stores.queries.guesses import ArchiveRule, ListRule
from tenax.visible import clean
from tenax.wording import count_of

DomainArgument = Annotated[
    str | None, typer.Argument(metavar="[DOMAIN]", help="Only those of this domain, or of a URL's.")
]
NameArgument = Annotated[str, typer.Argument(metavar="DOMAIN", help="A domain, or a URL in it.")]
StateArgument = Annotated[ChosenState, typer.Argument(help="Whether to guess by the pattern.")]
LimitOption = Annotated[int, typer.Option(min=1, help="At most this many.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print a JSON object per line.")]


def show_rules(found: Sequence[ListRule | ArchiveRule], *, is_json: bool) -> None:
    if is_json:
        for each in found:
            show_json(as_json(asdict(each)), is_line=True)
        return
    if not found:
        show("Nothing was learned yet.")
        return
    rows = [
        (
            clean(each.domain),
            clean(each.pattern),
            each.state,
            str(each.last_n) if isinstance(each, ListRule) else "",
            format_count(each.hits),
            format_count(each.misses),
            clean(each.set_by) if each.set_by else "learned",
            format_moment(each.changed_at),
        )
        for each in found
    ]
    headers = ["DOMAIN", "PATTERN", "STATE", "LAST", "HITS", "MISSES", "SET BY", "CHANGED"]
    if not isinstance(found[0], ListRule):
        headers.pop(3)
        rows = [(*row[:3], *row[4:]) for row in rows]  # type: ignore[misc]
    show_table(headers, rows, right=(3, 4, 5) if isinstance(found[0], ListRule) else (3, 4))


class DomainLessons(NamedTuple):
    """What was learned about one domain."""

    pagination: list[ListRule]
    archives: list[ArchiveRule]


def build_lessons_json(lessons: DomainLessons) -> dict[str, list[dict[str, Any]]]:
    return {name: [asdict(each) for each in found] for name, found in lessons._asdict().items()}


def show_lessons(lessons: DomainLessons) -> None:
    """Show what was learned, below the report of a domain; nothing if there is nothing."""
    for title, found in (("Lists", lessons.pagination), ("Archives", lessons.archives)):
        if found:
            show()
            show(title, is_bold=True)
            show_facts(((clean(each.pattern), _describe(each)) for each in found), indent="  ")


def _describe(rule: ListRule | ArchiveRule) -> str:
    guesses = f"{count_of(rule.hits, 'hit')}, {format_count(rule.misses)} missed"
    last = f", known up to {rule.last_n}" if isinstance(rule, ListRule) else ""
    by = f", set by {clean(rule.set_by)}" if rule.set_by else ""
    return f"{rule.state}: {guesses}{last}{by}"


def change(
    name: str,
    store: str | None,
    data: Path | None,
    work: Callable[[Connection, str, str, float], bool],
    done: str,
) -> None:
    """Run a change of one domain. `work` gets the connection, the domain, the user and the time; `done`: what
    to say afterwards."""
    domain, place = find_name(name), locate(store, data)
    by, wall = f"{name_actor().name} (command line)", SystemClock().wall()
    try:
        is_done = asyncio.run(write_store(place, lambda connection: work(connection, domain, by, wall)))
    except TooManyRules as error:
        raise StoreError(f"{domain} has {MOST_RULES:,} patterns already; remove some first.") from error
    if not is_done:
        raise StoreError(f"There is no such domain in {place}, or no such pattern of it.")
    show(f"{clean(domain)}: {done}")
