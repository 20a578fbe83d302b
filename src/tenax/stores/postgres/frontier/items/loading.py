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
)
from tenax.stores.postgres.connection.protocol import Connection

IS_ONE = "= ANY($1::bigint[])"


async def add_parser_facts(connection: Connection, heads: Sequence[QueueHead]) -> list[QueueHead]:
    ids = list_target_ids(heads)
    rows = await connection.fetch(LIST_PARSED.format(is_one=IS_ONE), ids)
    parsed = {row[0]: row[1] for row in rows}
    return complete_heads(heads, parsed, await load_follow_ups(connection, ids))


async def load_follow_ups(connection: Connection, url_ids: Sequence[int]) -> FollowUps:
    rows = await connection.fetch(LIST_FOLLOW_UPS.format(is_one=IS_ONE), url_ids)
    return read_follow_ups(tuple(row) for row in rows)
