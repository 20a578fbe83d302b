"""Watches pages and posts what changed to a webhook. Run it by cron, as often as you like.

python examples/change_monitor.py https://shop.example/prices https://hooks.example/prices
"""

import json
import sys
import urllib.request
from pathlib import Path
from typing import Any

import tenax

site, hook = [
    *sys.argv[1:3],
    *["https://shop.example/prices", "https://hooks.example/prices"][len(sys.argv[1:3]) :],
]
crawler = tenax.Crawler(site, max_depth=1)
CURSOR = Path("change_monitor.cursor")


@crawler.page()
def price(page: tenax.Page) -> list[tenax.Item]:
    rows = (row.css("td") for row in page.css("table.prices tr"))
    return [
        tenax.Item({"name": cells[0].text(), "price": cells[1].text()}, key=cells[0].text())
        for cells in rows
        if len(cells) == 2
    ]


def post(item: tenax.StoredItem) -> None:
    """Raises OSError: the change is told again by the next run."""
    message: dict[str, Any] = {"change": item.change, "key": item.key, "url": item.url, "fields": item.fields}
    request = urllib.request.Request(
        hook, json.dumps(message).encode(), {"Content-Type": "application/json"}, method="POST"
    )
    with urllib.request.urlopen(request, timeout=30):
        pass


# After a crash, it goes on behind the last change that the webhook has confirmed.
after = CURSOR.read_text() if CURSOR.exists() else None
for item in crawler.run(recrawl="all", after=after):
    post(item)
    CURSOR.write_text(item.cursor)
    print(item.change, item.key)
