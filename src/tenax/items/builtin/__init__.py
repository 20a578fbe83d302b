"""Parsers that come with Tenax, by name. A parser of a user that has the same name is used instead. Each
knows its kind of page on any site: a page of another kind makes no item.
"""

from collections.abc import Mapping
from typing import Final

from tenax.items.builtin.article import ArticleParser
from tenax.items.builtin.product import ProductParser
from tenax.items.parser import Parser

BUILTIN_PARSERS: Final[Mapping[str, type[Parser]]] = {
    "article": ArticleParser,
    "product": ProductParser,
}
