"""Handlers that are to see urls, as the pages of a batch ask for it: the same for every database. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from tenax.clock import Instant
from tenax.records.items import FollowUp
from tenax.records.urls import NewUrl
from tenax.stores.contracts.batches import DomainWork
from tenax.stores.hot.column_lists import join_names
from tenax.stores.hot.items.loading import FollowUps
from tenax.stores.hot.outcomes import iter_visits
from tenax.stores.hot.rows import VISITED

FOLLOW_UP_NAMES: Final = ("url_id", "source_id", "parser", "domain_id", "data", "from_url_id", "at")
FOLLOW_UP_COLUMNS: Final = join_names(FOLLOW_UP_NAMES)
REPLACE_FOLLOW_UP: Final = "data = excluded.data, from_url_id = excluded.from_url_id, at = excluded.at"
# A url that was visited is due; one that waits will be visited anyway, and one that was given up stays so.
MAKE_DUE: Final = f"UPDATE urls SET due_at = ?1, revisit_at = NULL WHERE id {{is_one}} AND {VISITED}"


class UrlName(NamedTuple):
    """Of a url that may not be known yet."""

    domain: str
    key: int


class FollowedUrl(NamedTuple):
    id: int
    domain_id: int
    source_id: int  # that owns its domain


class Wish(NamedTuple):
    """A follow-up, as a page asks for it."""

    url: UrlName
    parser: str
    data: str
    from_url_id: int
    at: Instant


def list_wishes(works: Sequence[DomainWork]) -> list[Wish]:
    """If several pages ask for the same, the last one counts."""
    wishes: dict[tuple[UrlName, str], Wish] = {}
    for _, visit in iter_visits(works):
        for url in visit.discovered:
            if url.follow_up is not None:
                wish = _make_wish(url, url.follow_up, visit.target.id, visit.at)
                wishes[wish.url, wish.parser] = wish
    return list(wishes.values())


def _make_wish(url: NewUrl, wanted: FollowUp, from_url_id: int, at: Instant) -> Wish:
    return Wish(UrlName(url.domain, url.key), wanted.parser, wanted.data, from_url_id, at)


def list_new_wishes(
    wishes: Iterable[Wish], urls: Mapping[UrlName, FollowedUrl], known: FollowUps
) -> list[Wish]:
    """Those that say something new, of urls that are known by now."""
    return [
        wish
        for wish in wishes
        if wish.url in urls
        and FollowUp(parser=wish.parser, data=wish.data) not in known.get(urls[wish.url].id, ())
    ]


def follow_up_rows(
    wishes: Iterable[Wish], urls: Mapping[UrlName, FollowedUrl], source_id: int
) -> list[tuple[Any, ...]]:
    """FOLLOW_UP_NAMES, in the order of their key."""
    rows = []
    for wish in wishes:
        url = urls[wish.url]
        rows.append((url.id, source_id, wish.parser, url.domain_id, wish.data, wish.from_url_id, wish.at))
    return sorted(rows, key=lambda row: (row[0], row[2]))


def list_missed(works: Sequence[DomainWork], known: FollowUps) -> list[int]:
    """Ids of visited urls with follow-ups that came after they were loaded to be visited."""
    return [
        visit.target.id
        for _, visit in iter_visits(works)
        if not set(known.get(visit.target.id, ())) <= set(visit.target.follow_ups)
    ]
