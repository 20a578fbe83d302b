"""Watches the prices of a shop and says when a product is cheaper than ever before. Run it by cron.

python examples/price_watch.py https://shop.example/
"""

import json
import sys
from pathlib import Path
from typing import Any

import tenax

crawler = tenax.Crawler(*(sys.argv[1:2] or ["https://shop.example/"]), skip=["/cart*", "/login*"])
STATE = Path("price_watch.json")


@crawler.page()
def product(page: tenax.Page) -> tenax.Item | None:
    """Items of this kind are also in `tenax products`, with a history of their prices."""
    for found in page.json_ld:
        if found.get("@type") == "Product" and isinstance(offer := found.get("offers"), dict):
            data = {
                "name": found["name"],
                "price": float(offer["price"]),
                "currency": offer.get("priceCurrency"),
                "availability": "in_stock" if "InStock" in str(offer.get("availability")) else "out_of_stock",
            }
            return tenax.Item({name: value for name, value in data.items() if value is not None})
    return None


def check(item: tenax.StoredItem, lows: dict[str, Any]) -> None:
    """Compare with the lowest price so far, in the same currency."""
    price, name = item.data["price"], f"{item.key} {item.data.get('currency', '')}"
    if name in lows and price < lows[name]:
        print(f"New low: {item.data['name']} for {price:.2f}, before {lows[name]:.2f}")
    lows[name] = min(price, lows.get(name, price))


# Written after each item, together with its cursor: a run that is killed tells an item again, and loses none.
state = json.loads(STATE.read_text()) if STATE.exists() else {"after": None, "lows": {}}
for item in crawler.run(recrawl="all", after=state["after"]):
    if item.change != "gone":
        check(item, state["lows"])
    state["after"] = item.cursor
    new = STATE.with_suffix(".new")
    new.write_text(json.dumps(state))
    new.replace(STATE)
