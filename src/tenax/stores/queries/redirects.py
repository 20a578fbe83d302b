"""Where redirect chains end, as far as the store knows: one statement per hop for many urls together."""

from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum
from typing import Any, Final, NamedTuple

from sqlalchemy import BigInteger, Connection, Select, Text, column, select, values

from tenax.records.urls import Fate
from tenax.stores.schema.domains import domains
from tenax.stores.schema.urls import urls
from tenax.web.identity import url_key
from tenax.web.parameters import ALL_NAMES
from tenax.web.urls import domain_of, parse_url

MOST_HOPS: Final = 20

_Identity = tuple[str, int]  # domain and key


class ChainFault(StrEnum):
    """Why a redirect chain has no end."""

    LOOP = "loop"  # it leads back to itself
    TOO_LONG = "too_long"  # it has more than MOST_HOPS hops


class ChainEnd(NamedTuple):
    """The address that a chain leads to, or why there is none."""

    url: str | None
    fault: ChainFault | None = None


def find_ends(connection: Connection, targets: Collection[str]) -> dict[str, ChainEnd]:
    """The end of the chain of each target: the target itself, unless it redirects further."""
    chains = {target: [target] for target in targets}
    ends: dict[str, ChainEnd] = {}
    for _ in range(MOST_HOPS):
        onward = _find_onward(connection, {chain[-1] for chain in chains.values()})
        for target, chain in list(chains.items()):
            if (end := _go_on(chain, onward)) is not None:
                ends[target] = end
                del chains[target]
        if not chains:
            break
    return ends | dict.fromkeys(chains, ChainEnd(None, ChainFault.TOO_LONG))


def _go_on(chain: list[str], onward: Mapping[str, str]) -> ChainEnd | None:
    """Follow one hop; None: the end of the chain is not known yet."""
    following = onward.get(chain[-1])
    if following is None:
        return ChainEnd(chain[-1])
    if _identify(following) in map(_identify, chain):
        return ChainEnd(None, ChainFault.LOOP)
    chain.append(following)
    return None


def _find_onward(connection: Connection, addresses: Iterable[str]) -> dict[str, str]:
    """The targets of those addresses that redirect."""
    identities = {address: _identify(address) for address in addresses}
    wanted = {identity for identity in identities.values() if identity is not None}
    if not wanted:
        return {}
    found = {(row.name, row.key): row.to_url for row in connection.execute(_select_redirected(wanted))}
    return {address: found[identity] for address, identity in identities.items() if identity in found}


def _identify(address: str) -> _Identity | None:
    url = parse_url(address, keep=ALL_NAMES)  # the crawl that found it has already dropped parameters
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
