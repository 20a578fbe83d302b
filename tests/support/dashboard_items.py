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
from tenax.stores.place import Place
from tests.support.dashboard import Service
from tests.support.item_rows import ItemRows, add_shop, find_source
from tests.support.stores import SHOP, fill_store


def fill(folder: Path) -> None:
    fill_store(folder)

    def add(connection: Any) -> None:
        source_id = find_source(connection, "shop.example")
        add_shop(
            ItemRows(connection, source_id, run_id=1, start=time.time() - 86_400), f"{SHOP}/", f"{SHOP}/a"
        )

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
