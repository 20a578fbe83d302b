"""The news of five sites every morning: a Markdown file for each new article. Run it by cron.

pip install "tenax[articles]"
python examples/news_every_morning.py news https://one.example/ https://two.example/ …
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import tenax

FIVE = ["news", *(f"https://news-{number}.example/" for number in range(1, 6))]
folder, *sites = sys.argv[1:] if len(sys.argv) > 2 else FIVE
# Two clicks from each home page; the built-in parser makes an item of each page that is an article.
crawler = tenax.Crawler(*sites, max_depth=2, max_pages=2_000, settings={"extract": {"article": "always"}})
CURSOR = Path("news_every_morning.cursor")


def format_article(item: tenax.StoredItem) -> Iterator[str]:
    yield f"# {item.data.get('title', 'Untitled')}"
    said = (item.data.get("byline"), item.data.get("published_at"), item.key)
    yield " · ".join(str(each) for each in said if each)
    yield item.data.get("markdown", item["text"])


def name_file(item: tenax.StoredItem) -> Path:
    """By day and title; two articles may have the same, but no two items have one id."""
    day = str(item.data.get("published_at", "undated"))[:10]
    title = re.sub(r"\W+", "-", str(item.data.get("title", "untitled")).lower()).strip("-")[:60]
    return Path(folder) / f"{day}-{title}-{item.id}.md"


Path(folder).mkdir(exist_ok=True)
# After a crash, it goes on behind the last article that was written.
after = CURSOR.read_text() if CURSOR.exists() else None
for item in crawler.run(recrawl="all", after=after):
    if item.change == "new":
        file = name_file(item)
        file.write_text("\n\n".join(format_article(item)) + "\n", encoding="utf-8")
        print(file.name)
    CURSOR.write_text(item.cursor)
