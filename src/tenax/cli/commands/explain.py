"""`tenax explain`."""

import asyncio
from dataclasses import asdict
from typing import Annotated

import orjson
import typer

from tenax.cli.options import DataOption, StoreOption, locate, new_app
from tenax.cli.render import clean
from tenax.config import Settings, load_settings
from tenax.crawl.explain import NEVER_SEEN, NOT_CRAWLABLE, Explanation
from tenax.runtime import explain_url
from tenax.stores.place import Place

app = new_app()


@app.command()
def explain(
    url: Annotated[str, typer.Argument(metavar="URL", help="The address to explain.")],
    data: DataOption = None,
    store: StoreOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Say where a URL stands and why: its fate, the rule behind it, what it waits for."""
    found = asyncio.run(find_explanation(locate(store, data), url, load_settings()))
    typer.echo(orjson.dumps(asdict(found)).decode() if json else format_explanation(found))


async def find_explanation(place: Place, address: str, settings: Settings) -> Explanation:
    """Of a URL as people write it: without a scheme, https and http are tried."""
    found = await explain_url(place, address, settings)
    if found.fate != NOT_CRAWLABLE:
        return found
    completed = [await explain_url(place, f"{scheme}://{address}", settings) for scheme in ("https", "http")]
    known = [each for each in completed if each.fate not in (NOT_CRAWLABLE, NEVER_SEEN)]
    possible = [each for each in completed if each.fate != NOT_CRAWLABLE]
    return [*known, *possible, found][0]


def format_explanation(found: Explanation) -> str:
    lines = [clean(found.url), f"  {found.fate}: {clean(found.because)}"]
    lines += [f"  - {clean(fact)}" for fact in found.facts]
    return "\n".join(lines)
