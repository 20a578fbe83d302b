"""Quotes and their authors: a list of quotes, and a page about each author.

python examples/quotes.py https://quotes.example/
"""

import sys
from collections.abc import Iterator
from typing import Any

import tenax

crawler = tenax.Crawler(*(sys.argv[1:2] or ["https://quotes.example/"]), follow=["/", "/page/*", "/author/*"])


@crawler.page("/", "/page/*")
def quote(page: tenax.Page) -> Iterator[dict[str, Any] | tenax.Follow]:
    for block in page.css(".quote"):
        text, name, link = block.css_first(".text"), block.css_first(".author"), block.css_first("a")
        if text is None or name is None:
            continue
        yield {"text": text.text(), "author": name.text()}
        if link is not None:
            # Visited once, however many quotes lead there; the crawl survives if it is killed before that.
            yield page.follow(link.get("href") or "", author, {"name": name.text()})


@crawler.followed()
def author(page: tenax.Page) -> tenax.Item:
    born = page.css_first(".born")
    name = page.data["name"]
    return tenax.Item({"name": name, "born": born.text() if born else None}, key=name)


for item in crawler.run():
    print(item)
