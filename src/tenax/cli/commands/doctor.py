"""`tenax doctor`."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from tenax.cli.options import DataOption, StoreOption, locate, new_app
from tenax.cli.render import as_json, clean, format_moment, show, show_json
from tenax.clock import format_instant
from tenax.crawl.store_doctor import Verdict, diagnose_store
from tenax.stores.doctor_facts import load_facts
from tenax.stores.layout import WORKERS_NAME
from tenax.stores.presence import find_signs
from tenax.stores.reading import find_foreign, read_store, tell_time

app = new_app()


@app.command()
def doctor(
    data: DataOption = None,
    store: StoreOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Name the one thing that holds a crawl back, since when, and what to do, whoever works on it."""
    place = locate(store, data)
    signs = find_signs(place.folder / WORKERS_NAME)

    def examine(connection: Any) -> Verdict:
        foreign = find_foreign(place, connection)
        now = tell_time(place, connection)
        return diagnose_store(load_facts(connection, signs=signs, foreign=foreign, now=now))

    verdict = read_store(place, examine)
    if json:
        show_json(as_json({**asdict(verdict), "since": format_instant(verdict.since)}))
        return
    since = f" Since {format_moment(verdict.since)}." if verdict.since is not None else ""
    show(f"{clean(verdict.sentence)}{since}")
    if verdict.advice is not None:
        show(f"What to do: {clean(verdict.advice)}")
