"""What parsers need to know of urls that are to be visited, in SQLite."""

from collections.abc import Sequence

import orjson

from tenax.stores.contracts.batches import QueueHead
from tenax.stores.hot.items.loading import (
    LIST_FOLLOW_UPS,
    LIST_PARSED,
    FollowUps,
    complete_heads,
    list_target_ids,
    read_follow_ups,
)
from tenax.stores.sqlite.connection.database import Connection

IS_ONE = "IN (SELECT value FROM json_each(?))"


def add_parser_facts(connection: Connection, heads: Sequence[QueueHead]) -> list[QueueHead]:
    ids = list_target_ids(heads)
    parsed = dict(connection.execute(LIST_PARSED.format(is_one=IS_ONE), (orjson.dumps(ids).decode(),)))
    return complete_heads(heads, parsed, load_follow_ups(connection, ids))


def load_follow_ups(connection: Connection, url_ids: Sequence[int]) -> FollowUps:
    listed = orjson.dumps(url_ids).decode()
    return read_follow_ups(connection.execute(LIST_FOLLOW_UPS.format(is_one=IS_ONE), (listed,)))
