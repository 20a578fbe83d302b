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
    read_parsed,
)
from tenax.stores.sqlite.connection.database import Connection

IS_ONE = "IN (SELECT value FROM json_each(?1))"
_LIST_PARSED = LIST_PARSED.format(is_one=IS_ONE)
_LIST_FOLLOW_UPS = LIST_FOLLOW_UPS.format(is_one=IS_ONE)


def add_parser_facts(connection: Connection, heads: Sequence[QueueHead], source_id: int) -> list[QueueHead]:
    ids = list_target_ids(heads)
    parsed = read_parsed(connection.execute(_LIST_PARSED, (orjson.dumps(ids).decode(), source_id)))
    return complete_heads(heads, parsed, load_follow_ups(connection, ids, source_id))


def load_follow_ups(connection: Connection, url_ids: Sequence[int], source_id: int) -> FollowUps:
    return read_follow_ups(connection.execute(_LIST_FOLLOW_UPS, (orjson.dumps(url_ids).decode(), source_id)))
