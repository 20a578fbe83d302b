"""`tenax demo`."""

from pathlib import Path
from typing import Annotated

import typer

from tenax.cli.crawls import build_task, crawl_and_report, open_crawl
from tenax.cli.options import build_overrides, command_name, new_app
from tenax.config.loading import load_settings
from tenax.demo.web import DemoWeb
from tenax.runtime.backends import find_backend
from tenax.stores.place import Place

app = new_app()

DEMO_DATA = Path("crawl-demo")
DEMO_NAME = "demo"


@app.command()
def demo(
    data: Annotated[Path, typer.Option("--data", help="Directory of the crawl.")] = DEMO_DATA,
    delay: Annotated[float, typer.Option(metavar="S", help="Minimum seconds between requests.")] = 0.1,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object at the end.")] = False,
) -> None:
    """Crawl the site of a small museum, which Tenax serves on this machine; no network is needed."""
    place = Place(folder=data)
    with DemoWeb() as web:
        settings = load_settings(
            overrides=build_overrides(
                politeness={"delay_s": delay},
                fetch={"allow_private": True},
                # Threads of this process serve the site, so it cannot fork workers.
                worker={"processes": 1},
            )
        )
        find_backend(place).discard(place)
        task = build_task(place, settings, open_crawl(place, DEMO_NAME, [web.url]), seeds=[web.url])
        code = crawl_and_report(task, as_json=json, is_quiet=False)
        if not json:
            typer.echo(format_tour(web.url, data))
    raise typer.Exit(code)


def format_tour(url: str, data: Path) -> str:
    tenax = command_name()
    return "\n".join(
        [
            "",
            "What happened to a URL, and why:",
            f"  {tenax} explain {url}staff/rota --data {data}",
            "How politely a site was crawled:",
            f"  {tenax} domains show {url} --data {data}",
            "The pages as JSON lines:",
            f"  {tenax} export pages --data {data}",
        ]
    )
