"""`tenax run`."""

from typing import Annotated

import typer

from tenax.cli.crawls import build_app_task, crawl_and_report
from tenax.cli.options import (
    ConfigOption,
    DataOption,
    DelayOption,
    MaxPagesOption,
    PrivateOption,
    RecrawlOption,
    ResolveOption,
    StoreOption,
    WorkersOption,
    build_overrides,
    new_app,
)
from tenax.crawler.apps import load_app
from tenax.records.jobs import Recrawl

app = new_app()


@app.command()
def run(
    script: Annotated[
        str, typer.Argument(metavar="FILE", help="Python script with a `tenax.Crawler`, such as shop.py.")
    ],
    data: DataOption = None,
    store: StoreOption = None,
    max_pages: MaxPagesOption = None,
    delay: DelayOption = None,
    workers: WorkersOption = None,
    recrawl: RecrawlOption = Recrawl.NEW,
    resolve: ResolveOption = None,
    allow_private: PrivateOption = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object at the end.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
    config: ConfigOption = None,
) -> None:
    """Run the crawler of a script and store its items. Run it again to resume where it stopped.

    The script is executed up to the point where it would run its crawler itself. Its own loop over items does
    not run: see `tenax items` and `tenax export items`.
    """
    overrides = build_overrides(
        store={"url": store},
        limits={"max_pages": max_pages},
        politeness={"delay_s": delay},
        worker={"processes": workers},
        fetch={"resolve": resolve, "allow_private": allow_private or None},
    )
    plan = load_app(script).plan(overrides, file=config, data=data)
    task, notices = build_app_task(plan, recrawl=recrawl)
    raise typer.Exit(crawl_and_report(task, notices, as_json=json, is_quiet=quiet))
