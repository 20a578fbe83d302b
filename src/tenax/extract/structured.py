"""Structured data of a document: JSON-LD."""

from typing import Any

import orjson

from tenax.web.documents import Document, select

MAX_BYTES = 2_000_000  # of all blocks of a document


def read_json_ld(document: Document) -> list[dict[str, Any]]:
    """The objects of all JSON-LD blocks, those of lists and @graph one by one. What is no JSON is left out;
    the library refuses to nest deeper than 1,024 levels."""
    found: list[dict[str, Any]] = []
    left = MAX_BYTES
    for node in select(document.tree, 'script[type="application/ld+json"]'):
        text = node.text_lexbor()
        left -= len(text)
        if left < 0:
            break
        try:
            said = orjson.loads(text)
        except orjson.JSONDecodeError:
            continue
        found += _list_objects(said)
    return found


def _list_objects(said: Any) -> list[dict[str, Any]]:
    if isinstance(said, dict) and isinstance(said.get("@graph"), list):
        said = said["@graph"]
    return [each for each in (said if isinstance(said, list) else [said]) if isinstance(each, dict)]
