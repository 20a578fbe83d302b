"""Handlers that are to see urls, in SQLite. See stores/hot/items/follow_ups.py."""

from collections import Counter
from collections.abc import Iterable, Sequence

import orjson

from tenax.clock import Instant
from tenax.stores.contracts.batches import DomainWork
from tenax.stores.hot.column_lists import join_marks
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
from tenax.stores.sqlite.connection.database import Connection
from tenax.stores.sqlite.frontier.domain_events import add_wakes
from tenax.stores.sqlite.frontier.items.loading import IS_ONE, load_follow_ups
from tenax.stores.sqlite.frontier.statements import WAKE

_SAVE = f"""
    INSERT INTO follow_ups ({FOLLOW_UP_COLUMNS})
    VALUES ({join_marks(FOLLOW_UP_NAMES)})
    ON CONFLICT (url_id, source_id, parser) DO UPDATE SET {REPLACE_FOLLOW_UP}
"""
_FORGET_PARSED = FORGET_PARSED.format(is_one=IS_ONE)


def settle_follow_ups(
    connection: Connection, works: Sequence[DomainWork], source_id: int, now: Instant
) -> Counter[int]:
    """After the new urls and the fates of a batch's urls. Urls of the source with follow-ups that no visit
    has seen are due; returns how many, by domain, in domains of the batch. Others are counted here."""
    wishes = list_wishes(works)
    urls = _find_urls(connection, {wish.url for wish in wishes})
    visited = {visit.target.id for _, visit in iter_visits(works)}
    known = load_follow_ups(connection, sorted({*visited, *(url.id for url in urls.values())}), source_id)
    new = list_new_wishes(wishes, urls, known)
    connection.executemany(_SAVE, follow_up_rows(new, urls, source_id))
    followed = {urls[wish.url].id for wish in new}
    foreign = {url.id for url in urls.values() if url.source_id != source_id}
    unseen = {*followed, *list_missed(works, known)}
    if not unseen:
        return Counter()
    # What it was parsed by is forgotten, so that its page is requested even if it has not changed.
    connection.execute(_FORGET_PARSED, (orjson.dumps(sorted(unseen)).decode(), source_id))
    return _make_due(connection, unseen - foreign, {work.lease.domain_id for work in works}, now)


_FIND_URL = """
    SELECT u.id, u.domain_id, d.source_id
    FROM urls u
    JOIN domains d ON d.id = u.domain_id
    WHERE d.name = ? AND u.key = ?
"""


def _find_urls(connection: Connection, names: Iterable[UrlName]) -> dict[UrlName, FollowedUrl]:
    urls = {}
    for name in names:
        row = connection.execute(_FIND_URL, name).fetchone()
        if row is not None:
            urls[name] = FollowedUrl._make(row)
    return urls


_MAKE_DUE = f"{MAKE_DUE.format(is_one='= ?2')} RETURNING domain_id"
_COUNT = f"""
    UPDATE domains
    SET queued = queued + ?1, {WAKE.format(parked="(avail_at IS NULL AND queued > 0)")}
    WHERE id = ?3
"""


def _make_due(connection: Connection, url_ids: set[int], held: set[int], now: Instant) -> Counter[int]:
    queued: Counter[int] = Counter()
    for url_id in sorted(url_ids):
        row = connection.execute(_MAKE_DUE, (now, url_id)).fetchone()
        if row is not None:
            queued[row[0]] += 1
    others = [(number, now, domain_id) for domain_id, number in queued.items() if domain_id not in held]
    add_wakes(connection, (domain_id for _, _, domain_id in others), now)
    connection.executemany(_COUNT, others)
    return Counter({domain_id: queued[domain_id] for domain_id in queued if domain_id in held})
