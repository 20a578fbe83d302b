"""Handlers that are to see urls, in PostgreSQL. See stores/hot/items/follow_ups.py.

A worker may visit a url at the moment in which another one finds a follow-up for it. Both lock the row of the
url: whoever comes last sees what the other has written, and makes the url due.
"""

from collections.abc import Collection, Sequence

from tenax.clock import Instant
from tenax.stores.contracts.batches import DomainWork
from tenax.stores.hot.column_lists import join_arrays
from tenax.stores.hot.items.columns import FOLLOW_UPS
from tenax.stores.hot.items.follow_ups import (
    FOLLOW_UP_COLUMNS,
    FOLLOW_UP_NAMES,
    MAKE_DUE,
    REPLACE_FOLLOW_UP,
    FollowedUrl,
    UrlName,
    follow_up_rows,
    list_missed,
    list_new_wishes,
    list_wishes,
)
from tenax.stores.hot.items.statements import FORGET_PARSED
from tenax.stores.hot.outcomes import iter_visits
from tenax.stores.hot.parameters import to_postgres
from tenax.stores.postgres.connection.protocol import Connection
from tenax.stores.postgres.frontier.items.loading import IS_ONE, load_follow_ups
from tenax.stores.postgres.frontier.statements import to_arrays

_SAVE = f"""
    INSERT INTO follow_ups ({FOLLOW_UP_COLUMNS})
    SELECT * FROM unnest({join_arrays(FOLLOW_UP_NAMES, FOLLOW_UPS)})
    ON CONFLICT (url_id, source_id, parser) DO UPDATE SET {REPLACE_FOLLOW_UP}
"""
_FORGET_PARSED = to_postgres(FORGET_PARSED.format(is_one=IS_ONE))
_LOCK_URLS = "SELECT id FROM urls WHERE id = ANY($1::bigint[]) ORDER BY id FOR NO KEY UPDATE"


async def lock_urls(connection: Connection, works: Sequence[DomainWork]) -> None:
    """Lock the urls of a batch and the known urls that its pages follow, in one order, before any of them is
    written: otherwise two workers that follow urls of each other might wait for each other."""
    followed = await _find_urls(connection, {wish.url for wish in list_wishes(works)})
    visited = {visit.target.id for _, visit in iter_visits(works)}
    await connection.execute(_LOCK_URLS, sorted(visited | {url.id for url in followed.values()}))


async def settle_follow_ups(
    connection: Connection, works: Sequence[DomainWork], source_id: int, now: Instant
) -> dict[int, int]:
    """After the new urls and the fates of a batch's urls. Urls of the source with follow-ups that no visit
    has seen are due; returns how many, by domain."""
    wishes = list_wishes(works)
    urls = await _find_urls(
        connection, {wish.url for wish in wishes}, " ORDER BY u.id FOR NO KEY UPDATE OF u"
    )
    visited = {visit.target.id for _, visit in iter_visits(works)}
    ids = sorted({*visited, *(url.id for url in urls.values())})
    known = await load_follow_ups(connection, ids, source_id)
    new = list_new_wishes(wishes, urls, known)
    if new:
        await connection.execute(_SAVE, *to_arrays(follow_up_rows(new, urls, source_id)))
    foreign = {url.id for url in urls.values() if url.source_id != source_id}
    unseen = {*(urls[wish.url].id for wish in new), *list_missed(works, known)}
    if not unseen:
        return {}
    # What it was parsed by is forgotten, so that its page is requested even if it has not changed.
    await connection.execute(_FORGET_PARSED, sorted(unseen), source_id)
    return await _make_due(connection, unseen - foreign, now)


_FIND_URLS = """
    SELECT d.name, u.key, u.id, u.domain_id, d.source_id
    FROM unnest($1::text[], $2::bigint[]) AS v(name, key)
    JOIN domains d ON d.name = v.name
    JOIN urls u ON u.domain_id = d.id AND u.key = v.key
"""


async def _find_urls(
    connection: Connection, names: Collection[UrlName], more: str = ""
) -> dict[UrlName, FollowedUrl]:
    if not names:
        return {}
    rows = await connection.fetch(_FIND_URLS + more, *to_arrays(names))
    return {UrlName(row[0], row[1]): FollowedUrl(row[2], row[3], row[4]) for row in rows}


_MAKE_DUE = f"""
    WITH due AS ({to_postgres(MAKE_DUE.format(is_one="= ANY(?2::bigint[])"))} RETURNING domain_id)
    SELECT domain_id, count(*)
    FROM due
    GROUP BY domain_id
"""


async def _make_due(connection: Connection, url_ids: set[int], now: Instant) -> dict[int, int]:
    rows = await connection.fetch(_MAKE_DUE, now, sorted(url_ids))
    return {row[0]: row[1] for row in rows}
