"""Articles as rows: one with everything that Markdown has, one from right to left, one that attacks its
reader.
"""

from typing import Any

from tests.support.item_rows import ItemRows

STORY = """The lamps of the harbour are made of *brass*, and have been lit **every evening** since the pier
was built. A keeper trims them at dusk, writes the hour into [a book](https://archive.example/book "it"), and
rows out to the mole with oil and a rag.

## What a keeper carries

- oil, in a can of `2 l`
- a rag
  - of linen
  - or of wool
- [x] a match

1. Trim the wick.
2. Light it.

> The sea takes what is not tied down.
>
> — a sign at the pier

### Hours

| Month | Lit | Put out |
| --- | --- | --- |
| January | 16:10 | 08:20 |
| June | 22:05 | 04:15 |

```python
def is_lit(hour):
    return hour >= 16 or hour < 8
```

***

![The pier at dusk](https://shop.example/pier.jpg) A photograph hangs in the office.
"""
LAMPS: dict[str, Any] = {
    "title": "The lamps of the harbour",
    "authors": ["Ada Ferry", "Ben Quay"],
    "published_at": "2026-05-01T06:30:00Z",
    "modified_at": "2026-05-03T09:00:00Z",
    "site": "Harbour News",
    "section": "Local",
    "description": "Who lights the pier, and with what.",
    "tags": ["harbour", "lamps"],
    "language": "en",
    "lead_image": "https://shop.example/pier.jpg",
    "text": "The lamps of the harbour are made of brass.",
    "markdown": STORY,
}
PORT: dict[str, Any] = {
    "title": "مصابيح الميناء",
    "byline": "بقلم ليلى",
    "published_at": "2026-05-02",
    "site": "أخبار الميناء",
    "language": "ar",
    "text": "تُضاء المصابيح كل مساء.\n\nيكتب الحارس الساعة في دفتر، ثم يجدف نحو الرصيف.",
    "markdown": "تُضاء المصابيح كل مساء على **الرصيف**.\n\n## الحارس\n\n"
    "- زيت\n- قطعة قماش\n\n> يكتب الحارس الساعة في [دفتر](https://archive.example/).\n",
}
HOSTILE: dict[str, Any] = {
    "title": "<script>window.owned=1</script>\u202eelttil",
    "byline": "<img src=x onerror=window.owned=2>",
    "published_at": "<svg onload=window.owned=3>",
    "site": "\u2067evil",
    "language": '"><script>window.owned=4</script>',
    "lead_image": "javascript:window.owned=5",
    "tags": ["<b>bold</b>", {"no": "text"}],
    "text": "unused",
    "markdown": "<script>window.owned=6</script>\n\n"
    "<img src=https://tracker.example/p.gif onerror=window.owned=7>\n\n"
    "[press](javascript:window.owned=8) [data](data:text/html,<script>window.owned=9</script>)\n\n"
    "![pixel](https://tracker.example/p.gif)\n\n`<iframe src=https://tracker.example>`\n\n"
    "pay \u202egnp.exe\u202c now\n\n" + "> " * 3_000 + "deep\n\n" + "[" * 5_000 + "\n\n" + "*a " * 5_000,
}
PLAIN: dict[str, Any] = {"text": "First paragraph,\non two lines.\n\nSecond <b>paragraph</b>."}


def add_articles(rows: ItemRows, url: str) -> None:
    articles = (("port", PORT), ("plain", PLAIN), ("hostile", HOSTILE), ("lamps", LAMPS))
    for number, (key, data) in enumerate(articles):
        at = 1000.0 + 60 * number
        item_id = rows.add_item(url, key, data, kind="article", parser="article", parser_version="1", at=at)
        rows.show(url, item_id, at=at)
