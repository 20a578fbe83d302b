"""The simulated web of the frontier benchmark: its urls and pages are computed from their numbers, not
stored.

One domain in a hundred is large: together these have half of the urls.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from random import Random

from tenax.records.urls import NewUrl, Priority
from tenax.web.identity import url_key
from tenax.web.urls import domain_of

DOMAINS = 10_000
LARGE_EVERY = 100
LINKS = 40
NEW_LINKS = 4  # per page; all other links are known already
FOREIGN_LINKS = 4  # known ones that lead to other domains
MENU_LINKS = 16  # known ones that are on every page of the domain
TEXT_BYTES = 4_000


@dataclass(frozen=True)
class SimulatedWeb:
    urls: int  # known when the crawl starts

    def size_of(self, domain: int) -> int:
        large = DOMAINS // LARGE_EVERY
        if domain % LARGE_EVERY == 0:
            return self.urls // 2 // large
        return self.urls // 2 // (DOMAINS - large)

    def url_of(self, domain: int, number: int) -> str:
        """About 75 characters, like urls on the web."""
        return f"https://www.site-{domain}.example/section-{number % 89}/{_slug(number)}-{number}.html"

    def new_url(self, domain: int, number: int, found_on: int) -> NewUrl:
        """`found_on`: the id of the url whose page links to it."""
        url = self.url_of(domain, number)
        return NewUrl(
            url=url,
            key=url_key(url),
            domain=domain_of(url),
            depth=3,
            priority=Priority.MEDIUM,
            discovered_from=found_on,
        )

    @cached_property
    def _text(self) -> bytes:
        words = Random(0).choices(_WORDS, k=TEXT_BYTES)
        return " ".join(words)[:TEXT_BYTES].encode()

    def page(self, domain: int, page_number: int) -> bytes:
        """Links to known urls of the domain, to new ones, and to known ones of other domains. The same page
        for every worker, whatever it fetched before."""
        draws = _draw(domain * self.urls + page_number)
        # All pages have the same number of links, even if the store knows fewer urls of the domain: its first
        # pages add the missing ones. Repeated links would make the pages of a small store cheaper.
        size = max(self.size_of(domain), LINKS)
        others = LINKS - NEW_LINKS - FOREIGN_LINKS - MENU_LINKS
        # Numbers from the size on are unused: each page has its own four.
        first_new = size + NEW_LINKS * page_number
        hrefs = [self.url_of(domain, number % size) for number in range(MENU_LINKS)]
        rest = size - MENU_LINKS
        start = int(next(draws) * rest)
        hrefs += [self.url_of(domain, MENU_LINKS + (start + step) % rest) for step in range(others)]
        hrefs += [self.url_of(domain, number) for number in range(first_new, first_new + NEW_LINKS)]
        for _ in range(FOREIGN_LINKS):
            other = int(next(draws) * DOMAINS)
            hrefs.append(self.url_of(other, int(next(draws) * self.size_of(other))))
        links = "".join([f'<li><a href="{href}">read on</a></li>' for href in hrefs])
        title = f"Page {page_number} of site {domain}"
        head = f"<!doctype html><title>{title}</title><body><h1>{title}</h1><ul>{links}</ul><p>"
        return head.encode() + self._text


def describe_web() -> str:
    return (
        f"The simulated web has {DOMAINS:,} domains; half of the urls belong to one domain in a hundred. "
        f"{LINKS} links per page, {NEW_LINKS} of them new, {FOREIGN_LINKS} to other domains, {MENU_LINKS} "
        f"the same on all pages of a domain; {TEXT_BYTES:,} bytes of text; 1 s between two requests to a "
        "domain."
    )


_WORDS = [
    "the",
    "quick",
    "brown",
    "fox",
    "jumps",
    "over",
    "lazy",
    "dogs",
    "while",
    "seven",
    "wizards",
    "mix",
    "potions",
    "behind",
    "old",
    "walls",
]
_SPREAD = 0x9E3779B97F4A7C15  # neighboring seeds start far apart
_FACTOR = 6364136223846793005  # Knuth, MMIX
_MASK = 2**64 - 1
_SLUGS = ("a-day-at-the-sea", "notes-on-bread", "the-long-way-home", "how-clouds-form", "twelve-small-towns")


def _draw(seed: int) -> Iterator[float]:
    """Numbers from 0 to 1 by a linear congruential generator: seeding Python's would cost more than a page's
    other links."""
    state = seed * _SPREAD
    while True:
        state = (state * _FACTOR + 1) & _MASK
        yield (state >> 11) / 2**53


def _slug(number: int) -> str:
    return _SLUGS[number % len(_SLUGS)]
