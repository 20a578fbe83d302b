"""The roots of a crawl: the domains, hosts or sites of its seeds.

With few seeds, a process knows all roots. With a long list, it knows those that it has looked up in the
store; crawl/worker/seed_roots.py looks up missing ones before they are needed.
"""

from collections.abc import Collection, Iterable, Mapping
from itertools import islice

from tenax.config.crawl import ScopeKind
from tenax.records.urls import RefusalReason
from tenax.records.visits import Refused
from tenax.web.urls import domain_of, registrable_domain

MAX_HELD = 10_000  # maximum number of seeds whose roots are all held in memory
MAX_CACHED = 50_000  # lookups that are cached otherwise, 6 MB
_NAMED_ROOTS = 3

# Used for every link. Reading a member from its enum takes a thousand instructions before Python 3.12.
_HOST, _DOMAIN = ScopeKind.HOST, ScopeKind.DOMAIN


class Roots:
    def __init__(self, kind: ScopeKind, seeds: Iterable[str] = (), *, others: int = 0) -> None:
        """`seeds` are addresses; `others`: number of seeds in the store that are not among them."""
        self.kind = kind
        self._held = {} if kind is ScopeKind.ANY else {root_of(kind, seed): None for seed in seeds}
        self._others = 0 if kind is ScopeKind.ANY else others
        self._cached: dict[str, bool] = {}
        self._leased: Mapping[str, bool] = {}
        self.outside = self._refuse_outside()  # the refusal of every url outside, made once

    @property
    def is_complete(self) -> bool:
        """Whether all roots are known here."""
        return not self._others

    def find(self, root: str) -> bool | None:
        """Whether it is a root; None: only the store knows."""
        if root in self._held:
            return True
        if not self._others:
            return False
        found = self._leased.get(root)
        return self._cached.get(root) if found is None else found

    def add(self, seed: str) -> bool:
        """Add the root of another seed; returns whether it was new."""
        if self.kind is ScopeKind.ANY or self.find(root := root_of(self.kind, seed)):
            return False
        if not self._others and len(self._held) < MAX_HELD:
            self._held[root] = None
        else:
            self._others += 1
            self.cache({root: True})
            if root in self._leased:
                self._leased = {**self._leased, root: True}
        self.outside = self._refuse_outside()
        return True

    def add_many(self, others: int) -> None:
        """Note that many seeds were added, too many to look at one by one."""
        self._others += others
        self._cached, self._leased = {}, {}
        self.outside = self._refuse_outside()

    def cache(self, answers: Mapping[str, bool]) -> None:
        """Cache lookups; the cache is cleared when it is full."""
        if len(self._cached) + len(answers) > MAX_CACHED:
            self._cached = {}
        self._cached |= answers

    def hold(self, answers: Mapping[str, bool]) -> None:
        """Keep the lookups for the leased domains until the next call."""
        self._leased = answers

    def _refuse_outside(self) -> Refused:
        named = ", ".join(islice(self._held, _NAMED_ROOTS))
        others = max(len(self._held) - _NAMED_ROOTS, 0) + self._others
        more = f" and {others:,} more" if others else ""
        return Refused(
            reason=RefusalReason.OUT_OF_SCOPE,
            detail=f"outside the crawl's {self.kind}s ({named or 'none'}{more})",
        )


def root_of(kind: ScopeKind, url: str, domain: str | None = None) -> str:
    """The root of a url. `domain`: the url's `domain_of`, for callers that know it."""
    if kind is _HOST:
        return host_and_port(url)
    if domain is None:
        domain = domain_of(url)
    return domain if kind is _DOMAIN else registrable_domain(domain)


def host_and_port(url: str) -> str:
    """The host and port of a url, without ports 80 and 443: http and https of a name are the same host."""
    netloc = url.partition("://")[2].partition("/")[0]
    return netloc.removesuffix(":80").removesuffix(":443")


def list_roots(kind: ScopeKind, domain: str) -> Collection[str]:
    """List the roots that urls of a domain may have."""
    match kind:
        case ScopeKind.HOST:
            return list_hosts(domain)
        case ScopeKind.SITE:
            return (registrable_domain(domain),)
    return (domain,)


def list_hosts(domain: str) -> Collection[str]:
    """List the hosts that belong to a domain."""
    www = f"www.{domain}"
    # "www.com" is a domain of its own, not a host of "com".
    return (domain, www) if domain_of(f"https://{www}/") == domain else (domain,)
