"""The roots of a crawl: the domains, hosts or sites that its seeds stand for.

Of few seeds a process knows all roots. Of a long list it knows those that it has asked the store about;
crawl/worker/seed_roots.py asks, before anybody acts on an answer that is missing here.
"""

from collections.abc import Collection, Iterable, Mapping
from itertools import islice

from tenax.config.crawl import ScopeKind
from tenax.records.urls import RefusalReason
from tenax.records.visits import Refused
from tenax.web.urls import domain_of, registrable_domain

MOST_HELD = 10_000  # seeds whose roots a process holds all of
MOST_MET = 50_000  # answers of the store that it remembers otherwise, 6 MB
_NAMED_ROOTS = 3

# Asked for every link. To read a member from its class takes a thousand instructions before Python 3.12.
_HOST, _DOMAIN = ScopeKind.HOST, ScopeKind.DOMAIN


class Roots:
    def __init__(self, kind: ScopeKind, seeds: Iterable[str] = (), *, others: int = 0) -> None:
        """`seeds` are addresses; `others` of the store's seeds are not among them."""
        self.kind = kind
        self._held = {} if kind is ScopeKind.ANY else {root_of(kind, seed): None for seed in seeds}
        self._others = 0 if kind is ScopeKind.ANY else others
        self._met: dict[str, bool] = {}
        self._leased: Mapping[str, bool] = {}
        self.outside = self._refuse_outside()  # the answer to every url outside, made once

    @property
    def is_complete(self) -> bool:
        """What is not known here is no root."""
        return not self._others

    def find(self, root: str) -> bool | None:
        """None: only the store knows."""
        if root in self._held:
            return True
        if not self._others:
            return False
        found = self._leased.get(root)
        return self._met.get(root) if found is None else found

    def add(self, seed: str) -> bool:
        """The root of one more seed; says whether it was not known to be one."""
        if self.kind is ScopeKind.ANY or self.find(root := root_of(self.kind, seed)):
            return False
        if not self._others and len(self._held) < MOST_HELD:
            self._held[root] = None
        else:
            self._others += 1
            self.meet({root: True})
            if root in self._leased:
                self._leased = {**self._leased, root: True}
        self.outside = self._refuse_outside()
        return True

    def add_many(self, others: int) -> None:
        """So many seeds came that they are not looked at one by one."""
        self._others += others
        self._met, self._leased = {}, {}
        self.outside = self._refuse_outside()

    def meet(self, answers: Mapping[str, bool]) -> None:
        """What the store says; forgotten when there is too much of it."""
        if len(self._met) + len(answers) > MOST_MET:
            self._met = {}
        self._met |= answers

    def hold(self, answers: Mapping[str, bool]) -> None:
        """What the store says about the domains at hand: not forgotten before the next call."""
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
    """`domain` is the url's `domain_of`, for callers that know it."""
    if kind is _HOST:
        return host_and_port(url)
    if domain is None:
        domain = domain_of(url)
    return domain if kind is _DOMAIN else registrable_domain(domain)


def host_and_port(url: str) -> str:
    """Ports 80 and 443 are left out: http and https of one name are one host."""
    netloc = url.partition("://")[2].partition("/")[0]
    return netloc.removesuffix(":80").removesuffix(":443")


def list_roots(kind: ScopeKind, domain: str) -> Collection[str]:
    """The roots that urls of a domain may have."""
    match kind:
        case ScopeKind.HOST:
            return list_hosts(domain)
        case ScopeKind.SITE:
            return (registrable_domain(domain),)
    return (domain,)


def list_hosts(domain: str) -> Collection[str]:
    """The hosts that belong to a domain."""
    www = f"www.{domain}"
    # "www.com" is a domain of its own, not a host of "com".
    return (domain, www) if domain_of(f"https://{www}/") == domain else (domain,)
