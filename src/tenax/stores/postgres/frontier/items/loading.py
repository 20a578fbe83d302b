"""What parsers need to know of urls that are to be visited, in PostgreSQL."""

from collections.abc import Sequence

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
from tenax.stores.hot.parameters import to_postgres
from tenax.stores.postgres.connection.protocol import Connection

IS_ONE = "= ANY(?1::bigint[])"
_LIST_PARSED = to_postgres(LIST_PARSED.format(is_one=IS_ONE))
_LIST_FOLLOW_UPS = to_postgres(LIST_FOLLOW_UPS.format(is_one=IS_ONE))


async def add_parser_facts(
    connection: Connection, heads: Sequence[QueueHead], source_id: int
) -> list[QueueHead]:
    ids = list_target_ids(heads)
    rows = await connection.fetch(_LIST_PARSED, ids, source_id)
    parsed = read_parsed(tuple(row) for row in rows)
    return complete_heads(heads, parsed, await load_follow_ups(connection, ids, source_id))


async def load_follow_ups(connection: Connection, url_ids: Sequence[int], source_id: int) -> FollowUps:
    rows = await connection.fetch(_LIST_FOLLOW_UPS, url_ids, source_id)
    return read_follow_ups(tuple(row) for row in rows)
