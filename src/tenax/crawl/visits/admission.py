"""Picks the links and images of a page that are new to the store. The hottest code of a crawl: most links of
a page are known, so each is dismissed as early and as cheaply as possible.
"""

from collections.abc import Mapping

from tenax.crawl.domains.known_keys import FRESH_KEY_BYTES
from tenax.crawl.domains.leased_domain import LeasedDomain
from tenax.crawl.domains.robots_rules import find_robots_refusal
from tenax.policy.priority import plan_priority
from tenax.policy.scope import Scope
from tenax.record import replace
from tenax.records.items import FollowUp
from tenax.records.pages import NewImage, Outside, PageImage, PageLink
from tenax.records.urls import FoundBy, NewUrl, Priority, RefusalReason, SitemapNote, SitemapOrigin, Target
from tenax.web.identity import url_key
from tenax.web.urls import domain_of, origin_of

KEYS_BYTES = 15_000_000
IMAGE_KEYS_BYTES = 5_000_000
# A page may link to thousands of invented domains, which are not worth listing.
OUTSIDE_PER_PAGE = 100
_SLOWED = Priority.SLOWED


class Admission:
    """Shared by the domains of one worker."""

    def __init__(self, scope: Scope, keys_bytes: int = KEYS_BYTES, *, reads_sitemaps: bool = False) -> None:
        self.scope = scope
        self.reads_sitemaps = reads_sitemaps
        # Keys that need no second look: refused, or sent to the store recently.
        self._dismissed: set[int] = set()
        self._max_dismissed = keys_bytes // FRESH_KEY_BYTES
        # Keys of images that were sent to the store recently: a site shows its logo on every page.
        self._sent_images: set[int] = set()
        # Domains that scope refuses, with one of their urls and how many: of the page that is being read.
        self._outside: dict[str, tuple[str, int]] = {}

    def admit(
        self, domain: LeasedDomain, target: Target, links: Mapping[int, PageLink]
    ) -> tuple[NewUrl, ...]:
        """The links that scope admits and that the domain does not know yet. Marks them as known."""
        depth = target.depth + 1
        # Set operations run no Python code per link; the store orders urls by itself.
        keys = set(links) - self._dismissed
        new = []
        for key in domain.known.find_new(keys) if domain.known is not None else keys:
            link = links[key]
            if link[3] == "link" and "sitemap" in link[1].split():
                new += self._admit_linked_sitemap(link[0], key, target.id)
            elif url := self._admit_one(domain, link[0], key, depth, target.id):
                new.append(url)
        return tuple(new)

    def admit_listed(
        self, domain: LeasedDomain, target: Target, listed: Mapping[int, str], room: int
    ) -> tuple[list[NewUrl], int]:
        """Of the urls that a sitemap lists, by key: those that are new, at most `room`; and how many may not
        be crawled. They count as links of a home page. Marks them as known."""
        depth = target.depth + 1
        new: list[NewUrl] = []
        refused = 0
        # A dismissed key may belong to a url that was sent to the store: whether it was refused is not known.
        keys = set(listed) - self._dismissed
        for key in domain.known.find_new(keys) if domain.known is not None else keys:
            is_full = len(new) >= room
            url = None if is_full else self._admit_one(domain, listed[key], key, depth, target.id)
            if url is None:
                refused += 1
            else:
                new.append(replace(url, found_by=FoundBy.SITEMAP))
        return new, refused

    def admit_sitemap(self, url: str, note: SitemapNote, from_id: int) -> NewUrl | None:
        """An address that was named as a sitemap. The store decides whether it knows it already."""
        if not self.reads_sitemaps or self.scope.check_sitemap(url) is not None:
            return None
        return NewUrl(
            url=url,
            key=url_key(url),
            domain=domain_of(url),
            depth=0,
            priority=Priority.HIGH,
            discovered_from=from_id,
            found_by=FoundBy.SITEMAP,
            sitemap=note,
        )

    def _admit_linked_sitemap(self, url: str, key: int, from_id: int) -> list[NewUrl]:
        self._dismiss(key)
        new = self.admit_sitemap(url, SitemapNote(origin=SitemapOrigin.LINK), from_id)
        return [] if new is None else [new]

    def take_outside(self) -> tuple[Outside, ...]:
        """Where those links lead that were refused since the last call, and never before."""
        if not self._outside:
            return ()
        found, self._outside = self._outside, {}
        return tuple([(name, url, number) for name, (url, number) in found.items()])

    def admit_images(self, images: Mapping[int, PageImage]) -> tuple[NewImage, ...]:
        """Those that were not sent to the store lately. Marks them as sent."""
        keys = images.keys() - self._sent_images
        if len(self._sent_images) + len(keys) > IMAGE_KEYS_BYTES // FRESH_KEY_BYTES:
            self._sent_images.clear()
        self._sent_images |= keys
        return tuple([NewImage(url=images[key][0], key=key, alt=images[key][1]) for key in keys])

    def admit_redirect(self, domain: LeasedDomain, target: Target, to_url: str) -> tuple[NewUrl, ...]:
        """The target of a redirect, with the depth, the privileges and the follow-ups of the redirected url:
        once for each of those."""
        name = domain_of(to_url)
        if target.is_sitemap:
            refusal = self.scope.check_sitemap(to_url)
        else:
            refusal = self.scope.check(to_url, target.depth, domain=name, is_seed=target.is_seed)
        if refusal is not None:
            return ()
        if target.is_seed:
            # The user who gave the old address wants its target; the store keeps that as a seed.
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
            found_by=target.found_by,
            sitemap=self._note_move(target, name) if target.is_sitemap else None,
        )
        return tuple([replace(new, follow_up=each) for each in target.follow_ups]) or (new,)

    def admit_guess(
        self, domain: LeasedDomain, url: str, depth: int, from_id: int, found_by: FoundBy
    ) -> NewUrl | None:
        """An address of the domain that no page names; None: it is known, or a rule forbids it."""
        key, origin = url_key(url), origin_of(url)
        if domain.known is not None and not domain.known.find_new({key}):
            return None
        rules = domain.robots.get(origin)
        if rules is not None and find_robots_refusal(rules.rules, url) is not None:
            return None
        if self.scope.check(url, depth, domain=domain.name) is not None:
            return None
        self._remember(domain, domain.name, key)
        return NewUrl(
            url=url,
            key=key,
            domain=domain.name,
            depth=depth,
            priority=Priority.DISCOVERY,
            discovered_from=from_id,
            found_by=found_by,
        )

    def admit_follow_up(
        self, domain: LeasedDomain, target: Target, url: str, follow_up: FollowUp
    ) -> NewUrl | str:
        """A url that a parser asks for, whether or not it is known; or what forbids it."""
        name, depth = domain_of(url), target.depth + 1
        refusal = self.scope.check(url, depth, domain=name)
        rules = domain.robots.get(origin_of(url))
        if refusal is None and rules is not None:
            refusal = find_robots_refusal(rules.rules, url)
        if refusal is not None:
            return refusal.detail
        key = url_key(url)
        self._remember(domain, name, key)
        return NewUrl(
            url=url,
            key=key,
            domain=name,
            depth=depth,
            priority=plan_priority(url, depth),
            discovered_from=target.id,
            follow_up=follow_up,
        )

    def _admit_one(self, domain: LeasedDomain, url: str, key: int, depth: int, from_id: int) -> NewUrl | None:
        name = domain_of(url)
        refusal = self.scope.check(url, depth, domain=name)
        if refusal is not None:
            if refusal is self.scope.roots.outside:
                self._note_outside(name, url)
            # Another page may link to it at a lesser depth; all other refusals are final.
            if refusal.reason is not RefusalReason.TOO_DEEP:
                self._dismiss(key)
            return None
        self._remember(domain, name, key)
        priority = plan_priority(url, depth)
        if domain.guard is not None and domain.guard.is_holding and name == domain.name:
            priority = _SLOWED if domain.guard.find_hold(url) is not None else priority
        return NewUrl(
            url=url,
            key=key,
            domain=name,
            depth=depth,
            priority=priority,
            discovered_from=from_id,
        )

    def _note_move(self, target: Target, name: str) -> SitemapNote:
        """A sitemap that has moved may list what it could list before."""
        home = domain_of(target.url)
        return SitemapNote(origin=SitemapOrigin.REDIRECT, hosts=() if home == name else (home,))

    def _note_outside(self, name: str, url: str) -> None:
        known = self._outside.get(name)
        if known is not None:
            self._outside[name] = (known[0], known[1] + 1)
        elif len(self._outside) < OUTSIDE_PER_PAGE:
            self._outside[name] = (url, 1)

    def widen(self, seed: str) -> None:
        """The scope admits more from now on."""
        if self.scope.roots.add(seed):
            self._dismissed.clear()

    def forget_sent(self) -> None:
        """Visits were dropped before they reached the store, so their links count as unsent; or the scope
        admits more than before."""
        self._dismissed.clear()
        self._sent_images.clear()

    def _remember(self, domain: LeasedDomain, name: str, key: int) -> None:
        if name == domain.name and domain.known is not None:
            domain.known.add(key)
        else:
            self._dismiss(key)

    def _dismiss(self, key: int) -> None:
        if len(self._dismissed) >= self._max_dismissed:
            self._dismissed.clear()
        self._dismissed.add(key)
