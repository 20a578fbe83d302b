"""Images of items that the crawl knows as urls and that are gone."""

from collections.abc import Collection, Mapping
from itertools import islice
from typing import Final

from sqlalchemy import Connection, select, tuple_

from tenax.records.urls import Fate
from tenax.stores.schema.domains import domains
from tenax.stores.schema.urls import urls
from tenax.web.identity import url_key
from tenax.web.urls import domain_of, parse_url

AT_ONCE: Final = 1_000


def find_broken(connection: Connection, addresses: Collection[str]) -> set[str]:
    """Those of the addresses that the server has said do not exist. Most images are unknown: a crawl visits
    only those that pages link to."""
    left = iter(addresses)
    broken: set[str] = set()
    while part := list(islice(left, AT_ONCE)):
        broken |= _find_some(connection, {each: url for each in part if (url := parse_url(each))})
    return broken


def _find_some(connection: Connection, parsed: Mapping[str, str]) -> set[str]:
    names = {domain_of(url) for url in parsed.values()}
    of = domains.c
    ids = {row.name: row.id for row in connection.execute(select(of.name, of.id).where(of.name.in_(names)))}
    keys = {
        address: (ids[domain], url_key(url))
        for address, url in parsed.items()
        if (domain := domain_of(url)) in ids
    }
    if not keys:
        return set()
    place = tuple_(urls.c.domain_id, urls.c.key)
    gone = select(urls.c.domain_id, urls.c.key).where(
        place.in_(sorted(set(keys.values()))), urls.c.fate == Fate.GONE
    )
    found = {(row.domain_id, row.key) for row in connection.execute(gone)}
    return {address for address, key in keys.items() if key in found}
