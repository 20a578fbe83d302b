"""The articles of a news site, by the data that they declare about themselves, as a Parquet file.

pip install pyarrow
python examples/news_to_parquet.py https://news.example/ articles.parquet
"""

import sys
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import tenax

site, target = [*sys.argv[1:3], *["https://news.example/", "articles.parquet"][len(sys.argv[1:3]) :]]
crawler = tenax.Crawler(site, max_pages=1_000)
SCHEMA = pa.schema(
    [("url", pa.string()), ("headline", pa.string()), ("published", pa.string()), ("text", pa.string())]
)


@crawler.page()
def article(page: tenax.Page) -> Iterator[dict[str, Any]]:
    for found in page.json_ld:
        if found.get("@type") in ("Article", "NewsArticle"):
            yield {
                "url": page.url,
                "headline": found.get("headline"),
                "published": found.get("datePublished"),
                "text": page.text,
            }


found = sum(1 for item in crawler.run())
print(f"{found} new or changed articles")

# The file has all articles that the store holds, those of earlier runs included.
pq.write_table(pa.Table.from_pylist([item.data for item in crawler.items()], SCHEMA), target)
