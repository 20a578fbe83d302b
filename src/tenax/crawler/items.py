"""Items as programs get them, and how they travel from process to process."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

import orjson

from tenax.stores.queries.item_log import DeliveredItem

Change = Literal["new", "changed", "gone", "back"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredItem:
    """An item that is committed to the store. `item["price"]` is a field of its data."""

    id: int
    kind: str
    key: str  # unique within its crawl and kind
    url: str | None  # the page that made the change; None: it was removed from the store
    data: dict[str, Any]  # as it is now; of an item that is gone, as it was last
    change: Change | None  # None: no change is told, as by `items()` without a cursor
    fields: dict[str, tuple[Any, Any]]  # what has changed: field → (old, new)
    at: datetime  # when it last changed, in UTC
    run: int  # the run that found it so
    parser: str
    version: str  # of the parser
    confidence: float | None  # from 0 to 1; None: the parser does not say
    cursor: str  # for `items(after=...)` and `run(after=...)`: what comes after this

    def __getitem__(self, field: str) -> Any:
        return self.data[field]

    def __str__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in self.data.items())
        change = "" if self.change in (None, "new") else f" ({self.change})"
        return f"{self.kind} {self.key}{change}: {fields}"


def format_item(item: DeliveredItem) -> dict[str, Any]:
    """As JSON, for the process that reads it."""
    return {
        "id": item.id,
        "kind": item.kind,
        "key": item.key,
        "url": item.url,
        "data": orjson.Fragment(item.data),
        "change": item.change,
        "fields": None if item.fields is None else orjson.Fragment(item.fields),
        "at": item.at,
        "run": item.run_id,
        "parser": item.parser,
        "version": item.parser_version,
        "confidence": item.confidence,
        "cursor": str(item.position),
    }


def parse_item(said: Mapping[str, Any]) -> StoredItem:
    fields = {name: (old, new) for name, (old, new) in (said["fields"] or {}).items()}
    at = datetime.fromtimestamp(said["at"], UTC)
    return StoredItem(**{**said, "fields": fields, "at": at})
