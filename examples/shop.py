"""The products of a shop, with a schema, a key of their own and the changes of their prices.

python examples/shop.py https://shop.example/
"""

import sys

from pydantic import BaseModel, Field

import tenax

crawler = tenax.Crawler(*(sys.argv[1:2] or ["https://shop.example/"]), skip=["/cart*", "/login*"])


class Product(BaseModel):
    """What a product must look like. One that does not is kept apart and counted, never dropped."""

    sku: str
    name: str = Field(min_length=2)
    price: float = Field(gt=0, lt=100_000)
    in_stock: bool


@crawler.page("/products/*", schema=Product)
def product(page: tenax.Page) -> tenax.Item | None:
    sku, name, price = (page.css_first(selector) for selector in (".sku", "h1", ".price"))
    if sku is None or name is None or price is None:
        return None  # a page without a product is no error
    data = {
        "sku": sku.text(),
        "name": name.text(),
        "price": float(price.text().removeprefix("€").strip()),
        "in_stock": page.css_first(".sold-out") is None,
    }
    # Two pages may show the same product: it is one item.
    return tenax.Item(data, key=sku.text())


# The products that are known are visited again, so that this program also sees what has changed.
for item in crawler.run(recrawl="all"):
    if item.change == "changed" and "price" in item.fields:
        old, new = item.fields["price"]
        print(f"{item['name']}: {old} -> {new}")
    else:
        print(item)
