"""From the links of a page to the urls that are new to the frontier. The hottest code of a crawl: most
links of a page are known, so each is dismissed as early and as cheaply as possible.
"""

from collections.abc import Sequence

from tenax.crawl.domain import CACHED_HREFS, REMEMBERED_REFUSALS, LeasedDomain
from tenax.policy.priority import plan_priority
from tenax.policy.scope import Scope
from tenax.records import Link, NewUrl, RefusalReason, Target
from tenax.web.urls import domain_of, normalize, origin_of, url_key

REMEMBERED_FOREIGN = 200_000


class Admission:
    """Shared by the domains of one worker."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        # Keys of urls of other domains that were sent to the store lately: it need not hear them again.
        self._foreign: set[int] = set()

    def resolve(self, domain: LeasedDomain, base_url: str, links: Sequence[Link]) -> list[tuple[Link, int]]:
        """Links with normalised hrefs and their keys; what cannot be crawled is dropped."""
        resolved = []
        cache = domain.hrefs
        # A path from the root means the same on every page of an origin, and only there.
        prefix = origin_of(base_url)
        for link in links:
            href = link.href
            if href.startswith("/") and not href.startswith("//"):
                name = prefix + href
            elif href.startswith(("http://", "https://")):
                name = href
            else:
                name = ""
            found = cache.get(name) if name else None
            if found is None:
                url = normalize(href, base_url)
                if url is None:
                    continue
                found = (url, url_key(url))
                if name:
                    if len(cache) >= CACHED_HREFS:
                        cache.clear()
                    cache[name] = found
            resolved.append((Link(found[0], link.rel, link.anchor, link.tag), found[1]))
        return resolved

    def admit(
        self, domain: LeasedDomain, target: Target, resolved: Sequence[tuple[Link, int]]
    ) -> tuple[NewUrl, ...]:
        """The links that scope admits and that the domain does not know yet. Marks them as known."""
        depth = target.depth + 1
        known, refused = domain.known, domain.refused
        new = []
        for link, key in resolved:
            if (known is not None and key in known) or key in refused or key in self._foreign:
                continue
            if url := self._admit_one(domain, link.href, key, depth, target.id):
                new.append(url)
        return tuple(new)

    def admit_redirect(self, domain: LeasedDomain, target: Target, to_url: str) -> tuple[NewUrl, ...]:
        """Where a url points to, with the depth and the rights of the url itself."""
        name = domain_of(to_url)
        if self.scope.check(to_url, target.depth, domain=name, is_seed=target.is_seed) is not None:
            return ()
        if target.is_seed:
            # Whoever asked for the old address wants what is behind it; the store keeps it as a seed.
            self.scope = self.scope.with_seed(to_url)
        new = NewUrl(
            url=to_url,
            key=url_key(to_url),
            domain=name,
            depth=target.depth,
            priority=plan_priority(to_url, target.depth, is_seed=target.is_seed),
            hops=target.hops + 1,
            is_seed=target.is_seed,
            discovered_from=target.id,
        )
        return (new,)

    def _admit_one(self, domain: LeasedDomain, url: str, key: int, depth: int, from_id: int) -> NewUrl | None:
        name = domain_of(url)
        refusal = self.scope.check(url, depth, domain=name)
        if refusal is not None:
            # Another page may name it at a lesser depth; all other refusals are for good.
            if refusal.reason is not RefusalReason.TOO_DEEP and len(domain.refused) < REMEMBERED_REFUSALS:
                domain.refused.add(key)
            return None
        self._remember(domain, name, key)
        return NewUrl(
            url=url,
            key=key,
            domain=name,
            depth=depth,
            priority=plan_priority(url, depth),
            discovered_from=from_id,
        )

    def forget_foreign(self) -> None:
        """Visits were dropped before they reached the store: what they found counts as unsaid."""
        self._foreign.clear()

    def _remember(self, domain: LeasedDomain, name: str, key: int) -> None:
        if name == domain.name:
            if domain.known is not None:
                domain.known.add(key)
            return
        if len(self._foreign) >= REMEMBERED_FOREIGN:
            self._foreign.clear()
        self._foreign.add(key)
