"""The server for the dashboard's tests of items and errors: a real `tenax serve` on a store that has some.
Commands and results as in dashboard.py.

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
from tenax.stores.commands.item_audits import keep_audit
from tenax.stores.place import Place
from tenax.stores.queries.item_audit import FindingCode
from tests.support.article_rows import add_articles
from tests.support.audits import make_audit, make_finding
from tests.support.dashboard import Service
from tests.support.item_rows import ItemRows, add_shop, find_source
from tests.support.product_rows import ProductRows, add_offers
from tests.support.stores import SHOP, fill_store

HOSTILE = {
    "name": "<img src=x onerror=alert(1)>\u202egnihtoN",
    "brand": "<b>bold</b>",
    "images": ["javascript:alert(1)", {"no": "url"}, "https://shop.example/<script>.jpg"],
}


def fill(folder: Path) -> None:
    fill_store(folder)

    def add(connection: Any) -> None:
        source_id = find_source(connection, "shop.example")
        rows = ItemRows(connection, source_id, run_id=1, start=time.time() - 86_400)
        add_shop(rows, f"{SHOP}/", f"{SHOP}/a")
        add_offers(rows, f"{SHOP}/", f"{SHOP}/a")
        add_articles(rows, f"{SHOP}/a")
        for days, broken in ((6, 1), (4, 2), (3, 5), (1, 3)):
            found = [make_finding(domain="shop.example")] * broken + [make_finding(FindingCode.ORPHAN)]
            keep_audit(connection, "shop", make_audit(time.time() - days * 86_400, *found))
        ProductRows(rows).add(f"{SHOP}/a", "hostile", (1000.0, HOSTILE))

    asyncio.run(write_store(Place(folder=folder), add))


def main() -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tenax-dashboard-")))
        fill(folder / "crawl")
        service = Service(folder)
        stack.callback(service.stop)
        for _ in sys.stdin:
            (setup,) = re.findall(r"http\S+/setup#token=\S+", service.start())
            print(json.dumps({"url": setup.split("/setup")[0], "setup": setup, "seeds": [SHOP]}), flush=True)


if __name__ == "__main__":
    main()
