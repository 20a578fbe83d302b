"""`tenax doctor`."""

from dataclasses import asdict
from typing import Annotated

import typer

from tenax.cli.options import DataOption, StoreOption, locate, new_app
from tenax.cli.show.render import as_json, format_moment, show, show_json
from tenax.clock import format_instant
from tenax.crawl.insight.store_doctor import diagnose_store, diagnose_write_obstacle
from tenax.crawl.insight.verdicts import Verdict
from tenax.runtime.bodies import list_body_warnings
from tenax.stores.commands.secret_checks import list_warnings
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import find_foreign, read_store, tell_store_time, tell_time
from tenax.stores.databases.write_check import check_writable
from tenax.stores.layout import WORKERS_NAME
from tenax.stores.place import Place
from tenax.stores.presence import find_signs
from tenax.stores.queries.doctor import load_facts
from tenax.stores.queries.parsers import list_parser_warnings
from tenax.visible import clean

app = new_app()


@app.command()
def doctor(
    data: DataOption = None,
    store: StoreOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Find what blocks a crawl, since when, and what to do about it. Warn of problems with how the store is
    kept."""
    verdict, warnings = examine_store(locate(store, data))
    if json:
        since = format_instant(verdict.since)
        show_json(as_json({**asdict(verdict), "since": since, "warnings": warnings}))
        return
    since = f" This has been so since {format_moment(verdict.since)}." if verdict.since is not None else ""
    detail = f" {clean(verdict.detail)}" if verdict.detail is not None else ""
    show(f"{clean(verdict.sentence)}{detail}{since}")
    if verdict.advice is not None:
        show(f"What to do: {clean(verdict.advice)}")
    for warning in warnings:
        show(f"Warning: {clean(warning)}")


def examine_store(place: Place) -> tuple[Verdict, list[str]]:
    """Return what blocks the crawl, and warnings about the store."""
    if obstacles := check_writable(place):
        return diagnose_write_obstacle(obstacles[0]), []
    signs = find_signs(place.folder / WORKERS_NAME)

    def examine(connection: Connection) -> tuple[Verdict, list[str]]:
        foreign = find_foreign(place, connection)
        now = tell_store_time(place, connection)
        verdict = diagnose_store(load_facts(connection, signs=signs, foreign=foreign, now=now))
        return verdict, [
            *list_warnings(connection, place),
            *list_parser_warnings(connection, tell_time(place, connection)),
            *list_body_warnings(connection, place),
        ]

    return read_store(place, examine)
