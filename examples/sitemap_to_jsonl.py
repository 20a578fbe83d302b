"""A map of a site: every page with its title and the pages of the site that it links to, as JSON lines.

python examples/sitemap_to_jsonl.py https://example.com/ sitemap.jsonl
"""

import json
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import tenax

site, target = [*sys.argv[1:3], *["https://example.com/", "sitemap.jsonl"][len(sys.argv[1:3]) :]]
crawler = tenax.Crawler(site, scope="host")


@crawler.page()
def entry(page: tenax.Page) -> dict[str, Any]:
    host = urlsplit(page.url).netloc
    inside = [link.url for link in page.links if urlsplit(link.url).netloc == host]
    return {"url": page.url, "title": page.title, "links": sorted(set(inside))}


for item in crawler.run():
    print(item["url"])

with Path(target).open("w", encoding="utf-8") as file:
    for item in crawler.items():
        file.write(json.dumps(item.data, ensure_ascii=False) + "\n")
