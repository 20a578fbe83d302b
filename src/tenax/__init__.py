"""Tenax: a web crawler that is polite, never loses work, explains itself and is fast.

The names here are the contract with programs; docs/extract-your-data.md says which of them stay. They are
imported when they are first used, so that `import tenax` costs nothing.
"""

from importlib import import_module
from typing import Any

__version__ = "0.2.0"

API_VERSION = 1  # of the contract; it changes when a program may have to

_HOMES = {
    "ConfigError": "tenax.errors",
    "CrawlError": "tenax.errors",
    "Crawler": "tenax.crawler.crawler",
    "Element": "tenax.web.elements",
    "FinishedRun": "tenax.crawler.crawler",
    "Follow": "tenax.items.page",
    "Item": "tenax.items.parser",
    "Link": "tenax.items.page",
    "Page": "tenax.items.page",
    "Parser": "tenax.items.parser",
    "StoredItem": "tenax.crawler.items",
    "TenaxError": "tenax.errors",
    "UsageError": "tenax.errors",
    "parse_page": "tenax.items.page",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'tenax' has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return ["API_VERSION", "__version__", *_HOMES]
