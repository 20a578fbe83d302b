"""Where chains of redirects end, as far as the store knows: a statement per hop, for many urls together."""

from collections.abc import Collection, Iterable
from typing import Any, Final

from sqlalchemy import BigInteger, Connection, Select, Text, column, select, values

from tenax.records import Fate
from tenax.stores.tables import domains, urls
from tenax.web.identity import url_key
from tenax.web.parameters import ALL_NAMES
from tenax.web.urls import domain_of, parse_url

MOST_HOPS: Final = 20

_Identity = tuple[str, int]  # domain and key


def find_ends(connection: Connection, targets: Collection[str]) -> dict[str, str]:
    """Of each: itself, unless it was redirected on. Without those whose chain goes in a circle, or is longer
    than MOST_HOPS."""
    under_way = {target: target for target in targets}
    ends: dict[str, str] = {}
    for _ in range(MOST_HOPS):
        onward = _find_onward(connection, set(under_way.values()))
        ends |= {target: url for target, url in under_way.items() if url not in onward}
        under_way = {target: onward[url] for target, url in under_way.items() if url in onward}
        if not under_way:
            break
    return ends


def _find_onward(connection: Connection, addresses: Iterable[str]) -> dict[str, str]:
    """Where those that were redirected lead."""
    identities = {address: _identify(address) for address in addresses}
    wanted = {identity for identity in identities.values() if identity is not None}
    if not wanted:
        return {}
    found = {(row.name, row.key): row.to_url for row in connection.execute(_select_redirected(wanted))}
    return {address: found[identity] for address, identity in identities.items() if identity in found}


def _identify(address: str) -> _Identity | None:
    url = parse_url(address, keep=ALL_NAMES)  # it is an address of the crawl that found it
    return None if url is None else (domain_of(url), url_key(url))


def _select_redirected(wanted: Collection[_Identity]) -> Select[Any]:
    sought = values(column("name", Text), column("key", BigInteger), name="sought").data(sorted(wanted)).cte()
    return (
        select(domains.c.name, urls.c.key, urls.c.to_url)
        .select_from(sought)
        .join(domains, domains.c.name == sought.c.name)
        .join(urls, (urls.c.domain_id == domains.c.id) & (urls.c.key == sought.c.key))
        .where(urls.c.fate == Fate.REDIRECTED, urls.c.to_url.isnot(None))
    )
