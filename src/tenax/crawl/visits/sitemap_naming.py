"""Finds the sitemaps that robots.txt files name, or that are usually there. links.py finds those of pages."""

from collections.abc import Iterable, Iterator
from itertools import islice

from tenax.config.settings import Settings
from tenax.crawl.domains.leased_domain import LeasedDomain
from tenax.crawl.visits.admission import Admission
from tenax.discover.sitemaps import USUAL_PATHS
from tenax.record import record
from tenax.records.urls import NO_URL, NewUrl, SitemapNote, SitemapOrigin
from tenax.web.robots import RobotsRules
from tenax.web.urls import domain_of, parse_url


@record
class SitemapNaming:
    settings: Settings
    admission: Admission

    def list_named(self, origin: str, rules: RobotsRules) -> list[NewUrl]:
        """The sitemaps of an origin whose robots.txt was read."""
        if not self.admission.reads_sitemaps:
            return []
        if rules.sitemaps:
            return list(self._admit(origin, rules.sitemaps, SitemapOrigin.ROBOTS))
        if self.settings.sitemaps.guess:
            return list(self._admit(origin, USUAL_PATHS, SitemapOrigin.GUESS))
        return []

    def list_missing(self, domain: LeasedDomain) -> list[NewUrl]:
        """Those that the store does not know, although it has the robots.txt: it was read while sitemaps
        were not."""
        known = domain.known
        if known is None or not self.admission.reads_sitemaps:
            return []
        named = [
            url
            for origin, found in domain.robots.items()
            if found.is_usable
            for url in self.list_named(origin, found.rules)
            if url.domain == domain.name
        ]
        new = set(known.find_new({url.key for url in named}))
        return [url for url in named if url.key in new]

    def _admit(self, origin: str, addresses: Iterable[str], found_in: SitemapOrigin) -> Iterator[NewUrl]:
        home = domain_of(f"{origin}/")
        for address in islice(addresses, self.settings.sitemaps.files_per_domain):
            url = parse_url(address, f"{origin}/robots.txt", self.settings.scope.kept_names)
            if url is None:
                continue
            # The robots.txt of a host may name a sitemap elsewhere, which then speaks for the host.
            hosts = () if domain_of(url) == home else (home,)
            new = self.admission.admit_sitemap(url, SitemapNote(origin=found_in, hosts=hosts), NO_URL)
            if new is not None:
                yield new
