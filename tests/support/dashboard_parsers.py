"""The server for the dashboard's tests of parsers: a real `tenax serve` on a store in which one parser has
done worse for a day, and a web with a shop and an article. Commands and results as in dashboard.py.

    {"order": "begin"}   → {"url": …, "setup": …, "seeds": […]}
"""

import asyncio
import json
import re
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tenax.runtime.actions import write_store
from tenax.stores.place import Place
from tests.support.dashboard import Service
from tests.support.item_rows import ItemRows, add_shop, find_source
from tests.support.parser_figures import DAY_S, HOUR_S, add_figures
from tests.support.scripted import Reply, ScriptedWeb, page
from tests.support.stores import SHOP, fill_store

LANTERN = "lantern.test"
PRODUCTS = range(1, 9)
UNPRICED, CHEAP, HOSTILE = 3, 5, 7  # no price; less than the rules allow; markup as its name
STORY = (
    "The lamps of the harbour are made of brass, and have been lit every evening since the pier was built. "
    "A keeper trims them at dusk, writes the hour into a book, and rows out to the mole with oil and a rag."
)
MARKUP = "&lt;img src=x onerror=alert(1)&gt;"


def fill(folder: Path) -> None:
    """A month of figures, with the last day a bad one."""
    fill_store(folder)
    now = time.time()

    def add(connection: Any) -> None:
        rows = ItemRows(connection, find_source(connection, "shop.example"), run_id=1, start=now - DAY_S)
        add_shop(rows, f"{SHOP}/", f"{SHOP}/a")
        for day in range(2, 30):
            add_figures(connection, "shop.example", now - day * DAY_S, pages=40, full=38 - day % 3)
        # In one hour: the chart shows days, and an earlier hour may be of the day before.
        bad_hour = now - 3 * HOUR_S
        add_figures(connection, "shop.example", bad_hour, pages=60, full=9, confidence=0.6)
        add_figures(connection, "shop.example", bad_hour, pages=20, full=19, version="2")

    asyncio.run(write_store(Place(folder=folder), add))


def build_web() -> ScriptedWeb:
    paths = [f"/products/{number}" for number in PRODUCTS]
    story = page(
        "The lamps of the harbour",
        "/",
        head='<meta property="og:type" content="article"><h1>The lamps of the harbour</h1>',
        text=f"<h2>Brass</h2><p>{STORY} {STORY}</p><ul><li>lamps</li><li>oil</li></ul><p>{STORY}</p>",
    )
    home = page("Lantern", "/stories/harbour", *paths, text="All our lamps.")
    products = {path: show_product(number) for number, path in enumerate(paths, 1)}
    return ScriptedWeb({LANTERN: {"/": home, "/stories/harbour": story, **products}})


def show_product(number: int) -> Reply:
    price = 0.1 if number == CHEAP else 10 + number
    name = MARKUP if number == HOSTILE else f"Harbour lamp {number}"
    offer = {"@type": "Offer", "price": price + number % 2, "priceCurrency": "EUR"}
    linked = json.dumps({"@type": "Product", "brand": {"name": "Lumen"}, "offers": offer})
    shown = "" if number == UNPRICED else f"<b class=price>{price}</b>"
    head = f'<script type="application/ld+json">{linked}</script>'
    return page(f"Lamp {number}", "/", head=head, text=f"<h1>{name}</h1> {shown} A lamp for number {number}.")


def main() -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tenax-dashboard-")))
        fill(folder / "crawl")
        web = stack.enter_context(build_web())
        service = Service(folder)
        stack.callback(service.stop)
        for _ in sys.stdin:
            (setup,) = re.findall(r"http\S+/setup#token=\S+", service.start())
            facts = {"url": setup.split("/setup")[0], "setup": setup, "seeds": [web.url(LANTERN)]}
            print(json.dumps(facts), flush=True)


if __name__ == "__main__":
    main()
