"""From the links of a page to the urls that are new to the frontier. The hottest code of a crawl: most
links of a page are known, so each is dismissed as early and as cheaply as possible.
"""

from collections.abc import Mapping, Sequence

from tenax.crawl.domain import LeasedDomain
from tenax.crawl.known import FRESH_KEY_BYTES
from tenax.policy.priority import plan_priority
from tenax.policy.scope import Scope
from tenax.records import Link, NewUrl, PageLink, RefusalReason, Target
from tenax.web.urls import domain_of, normalize, origin_of, url_key

LINKS_BYTES = 30_000_000
_HREF_BYTES = 320  # of a remembered href, beside the characters of the href and of its url
MAX_HREF = 16_384  # a longer one is no link but an attack on the parser


class Admission:
    """Shared by the domains of one worker."""

    def __init__(self, scope: Scope, links_bytes: int = LINKS_BYTES) -> None:
        self.scope = scope
        # hrefs with what they are relative to → url and key. A site repeats its links on every page.
        self._hrefs: dict[str, tuple[str, int]] = {}
        self._hrefs_bytes = 0
        self._max_hrefs_bytes = links_bytes // 2
        # Keys that need no second look: refused, or sent to the store lately.
        self._dismissed: set[int] = set()
        self._max_dismissed = links_bytes // 2 // FRESH_KEY_BYTES

    def resolve(self, base_url: str, links: Sequence[Link]) -> dict[int, PageLink]:
        """The links that can be crawled, each url once, by their keys and in the order of the page."""
        resolved: dict[int, PageLink] = {}
        cache = self._hrefs
        origin = origin_of(base_url)
        folder = base_url[: base_url.partition("?")[0].rindex("/") + 1]
        for href, rel, anchor, tag in links:
            if "#" in href:
                href = href[: href.index("#")]
            # What an href means depends on the origin, on the folder, or on nothing but itself.
            if href[0] == "/":
                name = origin + href
            elif href.startswith(("http://", "https://")):
                name = href
            else:
                name = folder + href
            found = cache.get(name)
            if found is None:
                if len(href) > MAX_HREF or (url := normalize(href, base_url)) is None:
                    continue
                found = (url, url_key(url))
                if href[0] != "?":
                    self._remember_href(name, found)
            url, key = found
            if key not in resolved:
                resolved[key] = (url, rel, anchor, tag)
        return resolved

    def admit(
        self, domain: LeasedDomain, target: Target, resolved: Mapping[int, PageLink]
    ) -> tuple[NewUrl, ...]:
        """The links that scope admits and that the domain does not know yet. Marks them as known."""
        depth = target.depth + 1
        dismissed = self._dismissed
        keys = [key for key in resolved if key not in dismissed]
        if domain.known is not None:
            keys = domain.known.find_new(keys)
        new = []
        for key in keys:
            if url := self._admit_one(domain, resolved[key][0], key, depth, target.id):
                new.append(url)
        return tuple(new)

    def _remember_href(self, name: str, found: tuple[str, int]) -> None:
        self._hrefs_bytes += _HREF_BYTES + len(name) + len(found[0])
        if self._hrefs_bytes > self._max_hrefs_bytes:
            self._hrefs.clear()
            self._hrefs_bytes = 0
        self._hrefs[name] = found

    def admit_redirect(self, domain: LeasedDomain, target: Target, to_url: str) -> tuple[NewUrl, ...]:
        """Where a url points to, with the depth and the rights of the url itself."""
        name = domain_of(to_url)
        if self.scope.check(to_url, target.depth, domain=name, is_seed=target.is_seed) is not None:
            return ()
        if target.is_seed:
            # Whoever asked for the old address wants what is behind it; the store keeps it as a seed.
            self.widen(to_url)
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
            if refusal.reason is not RefusalReason.TOO_DEEP:
                self._dismiss(key)
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

    def widen(self, seed: str) -> None:
        """Scope admits more from now on."""
        wider = self.scope.with_seed(seed)
        if wider is not self.scope:
            self.scope = wider
            self._dismissed.clear()

    def forget_sent(self) -> None:
        """Visits were dropped before they reached the store: what they found counts as unsaid."""
        self._dismissed.clear()

    def _remember(self, domain: LeasedDomain, name: str, key: int) -> None:
        if name == domain.name and domain.known is not None:
            domain.known.add(key)
        else:
            self._dismiss(key)

    def _dismiss(self, key: int) -> None:
        if len(self._dismissed) >= self._max_dismissed:
            self._dismissed.clear()
        self._dismissed.add(key)
