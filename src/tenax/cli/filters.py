"""The options that filter lists and exports, and how the times in them are read."""

import re
from datetime import UTC, datetime
from typing import Annotated

import typer

from tenax.cli.domains.names import find_name
from tenax.clock import Instant, SystemClock
from tenax.errors import UsageError
from tenax.records.urls import Fate

_AGO = re.compile(r"(\d+(?:\.\d+)?)([smhdw])")
_UNITS_S = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0}

_MOMENT = "a time, a date, or an age such as 3h or 2d"

RunOption = Annotated[int | None, typer.Option("--run", min=1, help="Only this run.")]
SourceOption = Annotated[
    str | None,
    typer.Option("--source", metavar="NAME", help="Only this source or crawl."),
]
DomainOption = Annotated[str | None, typer.Option("--domain", help="Only this domain.")]
FateOption = Annotated[Fate | None, typer.Option("--fate", help="Only urls with this fate.")]
SinceOption = Annotated[
    str | None, typer.Option("--since", metavar="T", help=f"Only from this time on: {_MOMENT}.")
]
UntilOption = Annotated[
    str | None, typer.Option("--until", metavar="T", help=f"Only before this time: {_MOMENT}.")
]


def read_span(since: str | None, until: str | None) -> tuple[Instant | None, Instant | None]:
    now = SystemClock().wall()
    begin, end = (None if text is None else read_moment(text, now) for text in (since, until))
    return begin, end


def find_filter_domain(address: str | None) -> str | None:
    return None if address is None else find_name(address)


def read_moment(text: str, now: Instant) -> Instant:
    """Parse a time, a date or an age. A time without a zone is UTC. Raises UsageError."""
    if ago := _AGO.fullmatch(text.strip()):
        return now - float(ago[1]) * _UNITS_S[ago[2]]
    try:
        moment = datetime.fromisoformat(text.strip())
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError) as error:
        raise UsageError(
            f"{text!r} is not a time: write 2026-05-01, 2026-05-01T12:30, or an age such as 3h or 2d"
            " (s, m, h, d, w)."
        ) from error
