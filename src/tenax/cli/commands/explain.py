"""`tenax explain`."""

import asyncio
from dataclasses import asdict
from typing import Annotated

import typer

from tenax.cli.options import DataOption, StoreOption, locate, new_app
from tenax.cli.show.render import show, show_json
from tenax.config.loading import load_settings
from tenax.crawl.insight.explain import Explanation
from tenax.runtime.crawls import explain_url
from tenax.visible import clean

app = new_app()


@app.command()
def explain(
    url: Annotated[str, typer.Argument(metavar="URL", help="URL to explain.")],
    data: DataOption = None,
    store: StoreOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Explain the state of a URL: its fate, the rule behind it, and what it waits for."""
    found = asyncio.run(explain_url(locate(store, data), url, load_settings()))
    if json:
        show_json(asdict(found), is_line=True)
    else:
        show(format_explanation(found))


def format_explanation(found: Explanation) -> str:
    lines = [clean(found.url), f"  {found.fate}: {clean(found.because)}"]
    lines += [f"  - {clean(fact)}" for fact in found.facts]
    return "\n".join(lines)
