"""The options by which lists and exports are filtered, the same wherever they fit."""

from typing import Annotated

import typer

from tenax.cli.domains.names import find_name
from tenax.cli.moments import read_moment
from tenax.clock import Instant, SystemClock
from tenax.records.urls import Fate

_MOMENT = "a time, a date, or 3h or 2d for ago"

RunOption = Annotated[int | None, typer.Option("--run", min=1, help="Only of this run.")]
SourceOption = Annotated[
    str | None,
    typer.Option("--source", metavar="NAME", help="Only of this source or crawl."),
]
DomainOption = Annotated[str | None, typer.Option("--domain", help="Only of this domain.")]
FateOption = Annotated[Fate | None, typer.Option("--fate", help="Only of urls with this fate.")]
SinceOption = Annotated[
    str | None, typer.Option("--since", metavar="T", help=f"Only from this moment on: {_MOMENT}.")
]
UntilOption = Annotated[
    str | None, typer.Option("--until", metavar="T", help=f"Only before this moment: {_MOMENT}.")
]


def read_span(since: str | None, until: str | None) -> tuple[Instant | None, Instant | None]:
    now = SystemClock().wall()
    begin, end = (None if text is None else read_moment(text, now) for text in (since, until))
    return begin, end


def find_wanted_domain(address: str | None) -> str | None:
    return None if address is None else find_name(address)
