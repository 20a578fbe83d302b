"""Collects the events of the stream of items."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from pydantic import Field

from tenax.api.events.hub import NewEvent
from tenax.api.schemas import Schema
from tenax.records.items import ItemChangeKind
from tenax.stores.access import Access
from tenax.stores.change_log import LogPosition, find_end
from tenax.stores.connection import Connection
from tenax.stores.queries.item_changes import ChangeFeed, describe_change, read_feed

AT_ONCE: Final = 500  # about half of what a stream keeps for clients that reconnect


class ItemEvent(Schema):
    """An item is new, has changed, is gone or has returned."""

    cursor: str = Field(description="Its place in the feed of changes, which continues from there.")
    item_id: int
    kind: str
    key: str
    change: ItemChangeKind
    at: datetime
    fields: dict[str, list[Any]] | None = Field(description="null: it is gone, or `fields_cut`.")
    fields_cut: bool = Field(description="true: the changed values are too large for an event.")
    url: str | None
    source_id: int | None
    source: str | None
    run_id: int
    parser: str
    parser_version: str


class ItemEventCollector:
    """Reports what follows the first look."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._after: LogPosition | None = None

    async def collect(self) -> Sequence[NewEvent]:
        found = await self._access.read(self._load)
        self._after = found.end
        return [
            NewEvent(
                kind="item.changed",
                at=logged.change.at,
                data=ItemEvent(cursor=str(logged.position), **describe_change(logged)),
            )
            for logged in found.changes
        ]

    def _load(self, connection: Connection) -> ChangeFeed:
        if self._after is None:
            return ChangeFeed(changes=[], end=find_end(connection))
        return read_feed(connection, self._after, AT_ONCE)
