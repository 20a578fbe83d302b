"""The parser of articles."""

from typing import Any, Final

from tenax.config.fetch import ArticleUse
from tenax.items.page import Page
from tenax.items.parser import Output, Parser

_TEXT: Final = {"type": "string"}
_LIST: Final = {"type": "array", "items": _TEXT}
SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["text"],
    "properties": {
        "title": _TEXT,
        "authors": _LIST,
        "byline": _TEXT,
        "published_at": _TEXT,
        "modified_at": _TEXT,
        "text": {"type": "string", "minLength": 1},
        "markdown": _TEXT,
        "language": _TEXT,
        "lead_image": _TEXT,
        "description": _TEXT,
        "section": _TEXT,
        "tags": _LIST,
        "site": _TEXT,
    },
}


class ArticleParser(Parser):
    """Makes one item of a page that is an article; none of a home page, a list or any other page."""

    name = "article"
    version = "1"
    kind = "article"
    schema = SCHEMA

    def __init__(self, use: ArticleUse = ArticleUse.ALWAYS) -> None:
        self.is_last_resort = use is ArticleUse.FALLBACK
        if self.is_last_resort:
            # Pages that the other setting left have to be seen once more.
            self.version = f"{self.version}-fallback"

    def parse(self, page: Page) -> Output:
        return page.article()
