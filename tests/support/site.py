"""The test web as a pure function: which pages exist, their content and their links.

The origin serves what this file defines, and the tests expect it. Page 0 of a host is "/", page n is
"/p/n.html". Page n links to its children in a tree, so that every page is reachable from "/", and to random
other pages.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape
from random import Random
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

CHILDREN = 4
CROSS_HOST_SHARE = 0.15
LOOP_PATHS = ("/loop/a", "/loop/b")
PDF_PATH = "/file.pdf"
TRAP_PATH = "/calendar"

_VOCABULARY = (
    "amber anchor basin beacon birch bridge canal cedar cellar chalk cliff clover copper coral "
    "ember fable fern ferry flint garnet glacier granite harvest heather hollow island ivory "
    "juniper kiln lagoon lantern linen marble meadow mill mortar nettle oak orchard parchment "
    "pebble pine quarry quartz reed ridge saffron sedge silver slate spruce stable stream tallow "
    "thistle timber tundra valley velvet walnut weaver willow winter"
)
_WORDS = _VOCABULARY.split()


@dataclass(frozen=True, slots=True, kw_only=True)
class HostBehavior:
    """How a host responds. The defaults are a host without faults."""

    robots: str = "User-agent: *\nAllow: /\n"
    robots_status: int = 200
    robots_location: str | None = None  # answer with a redirect to this instead
    robots_hangs: bool = False  # never answer

    captured_by: str | None = None  # answer everything with a redirect to this, like a captive portal

    delay_s: float = 0.0  # before the answer to a page
    limited_requests: int = 0  # how many of the first page requests get limited_status
    limited_status: int = 429
    retry_after: str | None = "1"

    has_validators: bool = False  # ETag, Last-Modified and 304
    editions: Mapping[int, int] = field(default_factory=dict)  # page → the edition that its text names
    error_pages: Mapping[int, int] = field(default_factory=dict)  # page → status
    noindex_pages: Sequence[int] = ()
    nofollow_pages: Sequence[int] = ()
    canonical_pages: Mapping[int, int] = field(default_factory=dict)  # page → its canonical page

    # What the home page links to besides pages. The paths respond whether linked or not.
    redirects: Sequence[int] = ()  # /r/n → page n
    chain_length: int = 0  # /chain/length → … → /chain/1 → page 0
    has_loop: bool = False  # /loop/a ⇄ /loop/b
    has_pdf: bool = False  # /file.pdf
    has_trap: bool = False  # /calendar?month=0 → month=1 → … without end


class PageLink(NamedTuple):
    href: str  # as written in the page
    url: str  # what it normalizes to


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedPage:
    url: str
    title: str
    description: str
    paragraphs: tuple[str, ...]  # the first one is unique to the page
    links: tuple[PageLink, ...]
    images: tuple[tuple[str, str], ...]  # (url, alt): the logo of the host, and one of the page
    canonical: str | None
    is_noindex: bool
    is_nofollow: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteShape:
    """The constants of a test web; equal shapes make equal webs, except for the port."""

    hosts: tuple[str, ...]
    pages_per_host: int
    links_per_page: int
    paragraphs_per_page: int
    cross_host: bool
    seed: int


def path_of_page(number: int) -> str:
    return f"/p/{number}.html" if number else "/"


def find_page_number(path: str) -> int | None:
    """The number in a page's path; None when the path is not a page's."""
    if path == "/":
        return 0
    digits = path.removeprefix("/p/").removesuffix(".html")
    is_page = path.startswith("/p/") and path.endswith(".html") and digits.isdecimal()
    return int(digits) if is_page else None


def find_redirect(path: str) -> str | None:
    """The path that a redirecting path leads to; None when the path does not redirect."""
    if path in LOOP_PATHS:
        return LOOP_PATHS[1 - LOOP_PATHS.index(path)]
    _, kind, digits = [*path.split("/"), "", ""][:3]
    if kind not in ("r", "chain") or not digits.isdecimal():
        return None
    number = int(digits)
    if kind == "r":
        return path_of_page(number)
    return f"/chain/{number - 1}" if number > 1 else "/"


def canonical_host(host: str) -> str:
    return host.lower().removeprefix("www.")


def _domain_of(url: str) -> str:
    return canonical_host(urlsplit(url).hostname or "")


class Site:
    """The pages of all hosts under one port."""

    def __init__(self, shape: SiteShape, port: int, behaviors: Mapping[str, HostBehavior]) -> None:
        self.shape = shape
        self.port = port
        self.behaviors = dict(behaviors)
        self.render = lru_cache(maxsize=4096)(self._render)

    def set_behavior(self, host: str, behavior: HostBehavior) -> None:
        self.behaviors[host] = behavior
        self.render.cache_clear()

    def behavior(self, host: str) -> HostBehavior:
        return self.behaviors.get(canonical_host(host), HostBehavior())

    def url(self, host: str, path: str) -> str:
        return f"http://{host}:{self.port}{path}"

    def has_page(self, host: str, number: int) -> bool:
        return canonical_host(host) in self.shape.hosts and number < self.shape.pages_per_host

    def page(self, host: str, number: int) -> ExpectedPage:
        behavior = self.behavior(host)
        random = Random(f"{self.shape.seed}/{canonical_host(host)}/{number}")
        canonical = behavior.canonical_pages.get(number)
        return ExpectedPage(
            url=self.url(host, path_of_page(number)),
            title=f"Page {number} of {host}",
            description=f"What page {number} of {host} says about {random.choice(_WORDS)}.",
            paragraphs=self._paragraphs(host, number, random),
            links=tuple(self._links(host, number, random)),
            images=(
                (self.url(host, "/logo.png"), f"Logo of {host}"),
                (self.url(host, f"/img/{number}.jpg"), f"Image {number}"),
            ),
            canonical=None if canonical is None else self.url(host, path_of_page(canonical)),
            is_noindex=number in behavior.noindex_pages,
            is_nofollow=number in behavior.nofollow_pages,
        )

    def _paragraphs(self, host: str, number: int, random: Random) -> tuple[str, ...]:
        unique = f"This is paragraph one of page {number} on {host}, seed {self.shape.seed}."
        if edition := self.behavior(host).editions.get(number):
            unique += f" Edition {edition}."
        rest = (
            " ".join(random.choices(_WORDS, k=40)).capitalize() + "."
            for _ in range(self.shape.paragraphs_per_page - 1)
        )
        return (unique, *rest)

    def _links(self, host: str, number: int, random: Random) -> Iterator[PageLink]:
        if number == 0:
            yield from self._links_of_home(host)
        first_child = CHILDREN * number + 1
        children = range(first_child, min(first_child + CHILDREN, self.shape.pages_per_host))
        for child in children:
            yield self._page_link(host, host, child, random)
        for _ in range(self.shape.links_per_page - len(children)):
            to_host = host
            if self.shape.cross_host and random.random() < CROSS_HOST_SHARE:
                to_host = random.choice(self.shape.hosts)
            yield self._page_link(host, to_host, random.randrange(self.shape.pages_per_host), random)

    def _links_of_home(self, host: str) -> Iterator[PageLink]:
        if self.shape.cross_host:
            hosts = self.shape.hosts
            position = hosts.index(canonical_host(host)) + 1
            home = self.url(hosts[position % len(hosts)], "/")
            yield PageLink(home, home)
        for path in self._special_paths(self.behavior(host)):
            yield PageLink(path, self.url(host, path))

    def _special_paths(self, behavior: HostBehavior) -> Iterator[str]:
        yield from (f"/r/{number}" for number in behavior.redirects)
        if behavior.chain_length:
            yield f"/chain/{behavior.chain_length}"
        if behavior.has_loop:
            yield LOOP_PATHS[0]
        if behavior.has_pdf:
            yield PDF_PATH
        if behavior.has_trap:
            yield f"{TRAP_PATH}?month=0"

    def _page_link(self, host: str, to_host: str, number: int, random: Random) -> PageLink:
        path = path_of_page(number)
        url = self.url(to_host, path)
        forms = [
            url,
            self.url(to_host.upper(), path) + "#top",
            f"{url}?utm_source=page&utm_medium=link",
        ]
        if to_host == host:
            forms += [path, f"..{path}", f"{path}#part-{number}", f"{path}?utm_campaign=spring"]
        return PageLink(random.choice(forms), url)

    def _render(self, host: str, number: int) -> bytes:
        page = self.page(host, number)
        return render_page(page).encode()

    def expected_urls(self, seeds: Sequence[str], scope: Literal["any", "domain"] = "any") -> set[str]:
        """The pages that a complete crawl stores: answered with 200, HTML, not noindex.

        Robots rules, limits and the calendar trap are not considered: tests handle them.
        """
        domains = {_domain_of(seed) for seed in seeds}
        waiting, seen, kept = list(seeds), set(seeds), set[str]()
        while waiting:
            url = waiting.pop()
            page = self.find_page(url)
            if page and not page.is_noindex:
                kept.add(url)
            for target in self._targets(url, page):
                if target not in seen and (scope == "any" or _domain_of(target) in domains):
                    seen.add(target)
                    waiting.append(target)
        return kept

    def find_page(self, url: str) -> ExpectedPage | None:
        """None if the url is not a page or responds with an error."""
        parts = urlsplit(url)
        host, number = parts.hostname or "", find_page_number(parts.path)
        if number is None or not self.has_page(host, number):
            return None
        if number in self.behavior(host).error_pages:
            return None
        return self.page(host, number)

    def _targets(self, url: str, page: ExpectedPage | None) -> list[str]:
        if page:
            return [] if page.is_nofollow else [link.url for link in page.links]
        parts = urlsplit(url)
        path = find_redirect(parts.path)
        return [self.url(parts.hostname or "", path)] if path else []


def render_page(page: ExpectedPage) -> str:
    return _HTML.format(
        title=escape(page.title),
        description=escape(page.description),
        head="".join(_head_lines(page)),
        paragraphs="\n".join(f"<p>{escape(text)}</p>" for text in page.paragraphs),
        images="\n".join(f'<img src="{escape(url)}" alt="{escape(alt)}">' for url, alt in page.images),
        links="\n".join(
            f'<li><a href="{escape(link.href)}">To {escape(link.url)}</a></li>' for link in page.links
        ),
    )


def _head_lines(page: ExpectedPage) -> Iterator[str]:
    directives = ["noindex"] * page.is_noindex + ["nofollow"] * page.is_nofollow
    if directives:
        yield f'<meta name="robots" content="{", ".join(directives)}">\n'
    if page.canonical:
        yield f'<link rel="canonical" href="{escape(page.canonical)}">\n'


_HTML = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<meta name="description" content="{description}">
{head}</head>
<body>
<main>
<h1>{title}</h1>
{paragraphs}
{images}
<ul>
{links}
</ul>
</main>
</body>
</html>
"""
