"""What `tenax parsers stats` shows: how parsers did, over time and by domain."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from tenax.cli.options import DataOption, StoreOption, locate
from tenax.cli.show.render import as_json, format_count, format_moment, show, show_json, show_table
from tenax.clock import Instant
from tenax.errors import StoreError
from tenax.policy.quality.parser_health import Measure, ParserCounts
from tenax.record import record
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import read_store, tell_time
from tenax.stores.place import Place
from tenax.stores.queries.parsers import (
    ParserDomain,
    ParserPoint,
    ParserSummary,
    StatsStep,
    list_parser_domains,
    list_parser_points,
    list_parser_totals,
    list_parser_warnings,
)
from tenax.visible import clean

DAY_S = 86_400.0
FIGURES = ("PAGES", "ITEMS", "INVALID", "ERRORS", "WITH ITEMS", "VALID", "CONFIDENCE")


@record
class Report:
    totals: Sequence[ParserSummary]
    points: Sequence[ParserPoint]
    domains: Sequence[ParserDomain]
    warnings: Sequence[str]


def show_stats(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="A parser: over time and by domain.")
    ] = None,
    days: Annotated[int, typer.Option(min=1, max=400, help="How many days to look back.")] = 30,
    data: DataOption = None,
    store: StoreOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show how parsers did: pages with items, valid items and confidence, by version.

    A parser that does worse than in its own past is named.
    """
    place = locate(store, data)
    report = read_store(place, lambda connection: load(place, connection, name, days))
    if name is not None and not report.totals:
        raise StoreError(f"No page was given to a parser {clean(name)} in the last {days} days in {place}.")
    if json:
        show_json(to_json(report))
        return
    if not report.totals:
        show(f"No page was given to a parser in the last {days} days.")
        return
    show_report(report)


def load(place: Place, connection: Connection, name: str | None, days: int) -> Report:
    now: Instant = tell_time(place, connection)
    since = now - days * DAY_S
    return Report(
        totals=list_parser_totals(connection, since=since, parser=name),
        points=[] if name is None else list_parser_points(connection, name, since=since, step=StatsStep.DAY),
        domains=[] if name is None else list_parser_domains(connection, name, since=since, limit=20),
        warnings=list_parser_warnings(connection, now),
    )


def show_report(report: Report) -> None:
    numbers = tuple(range(3, 3 + len(FIGURES)))
    rows = [
        (clean(each.parser), clean(each.version), format_moment(each.last_at), *format_counts(each.counts))
        for each in report.totals
    ]
    show_table(("PARSER", "VERSION", "LAST", *FIGURES), rows, right=numbers)
    if report.points:
        points = [
            (format_moment(each.at)[:10], clean(each.version), *format_counts(each.counts))
            for each in report.points
        ]
        show("")
        show_table(("DAY", "VERSION", *FIGURES), points, right=numbers[:-1])
    if len(report.domains) > 1:
        found = [(clean(each.domain), *format_counts(each.counts)) for each in report.domains]
        show("")
        show_table(("DOMAIN", *FIGURES), found, right=numbers[:-2])
    for warning in report.warnings:
        show(f"Warning: {clean(warning)}")


def format_counts(counts: ParserCounts) -> tuple[str, ...]:
    whole = (counts.pages, counts.items, counts.invalid, counts.errors)
    return (*map(format_count, whole), *(format_share(counts.find_value(each)) for each in Measure))


def format_share(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.1f} %"


def to_json(report: Report) -> Any:
    return as_json(
        {
            "parsers": [
                {
                    "parser": each.parser,
                    "version": each.version,
                    "domains": each.domains,
                    "last_at": each.last_at,
                    **list_figures(each.counts),
                }
                for each in report.totals
            ],
            "days": [
                {"at": each.at, "version": each.version, **list_figures(each.counts)}
                for each in report.points
            ],
            "domains": [{"domain": each.domain, **list_figures(each.counts)} for each in report.domains],
            "warnings": list(report.warnings),
        }
    )


def list_figures(counts: ParserCounts) -> dict[str, Any]:
    return {
        "pages": counts.pages,
        "items": counts.items,
        "invalid": counts.invalid,
        "empty": counts.empty,
        "errors": counts.errors,
        "share_with_items": counts.find_value(Measure.ITEMS),
        "share_valid": counts.find_value(Measure.VALID),
        "confidence": counts.find_value(Measure.CONFIDENCE),
    }
