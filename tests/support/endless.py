"""Webs whose pages are generated on request: endless ones with real pages in a corner, and healthy ones.

with GeneratedWeb({"a.test": Calendar()}) as web:
    crawl(data, [web.url("a.test")])
    assert web.count_real("a.test") >= 475
"""

import random
from collections.abc import Callable, Iterable, Mapping
from html import escape
from itertools import count
from typing import Protocol
from urllib.parse import parse_qsl, urlencode

from tests.support.scripted import HTML, Reply, Script, ScriptedWeb, text

REAL_PAGES = 500
PER_LIST = 10
_WORDS = [a + b + c for a in "bdfgklmn" for b in "aeiou" for c in ("rta", "sko", "ndi", "lmu", "vex", "pon")]
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


class GeneratedSite(Protocol):
    def reply(self, path: str) -> Reply:
        """Of a path with its query."""
        ...

    def find_real(self, path: str) -> int | str | None:
        """Which of the pages that count is at this path; None: none is."""
        ...


class GeneratedWeb(ScriptedWeb):
    """Serves generated sites inside the `with` block, beside those with a script."""

    def __init__(
        self, sites: Mapping[str, GeneratedSite], hosts: Mapping[str, Mapping[str, Script]] | None = None
    ) -> None:
        super().__init__(hosts or {})
        self._sites = sites

    def find_reply(self, host: str, path: str) -> Reply:
        site = self._sites.get(host)
        if site is None:
            return super().find_reply(host, path)
        return text("nothing here", 404) if path == "/robots.txt" else site.reply(path)

    def list_real(self, host: str) -> list[int | str]:
        """The pages that count, as often as they were requested."""
        found = [self._sites[host].find_real(path) for path in self.paths(host)]
        return [each for each in found if each is not None]

    def count_real(self, host: str) -> int:
        return len(set(self.list_real(host)))


def prose(name: object, words: int = 80) -> str:
    """Paragraphs that only one page has."""
    chosen = random.Random(str(name)).choices(_WORDS, k=words)
    return "".join(f"<p>{' '.join(chosen[at : at + 20])}.</p>" for at in range(0, words, 20))


def show(title: str, body: str, links: Iterable[str], nav: Iterable[str] = ("/",)) -> Reply:
    anchors = "".join(f'<li><a href="{escape(href)}">{escape(href)}</a></li>' for href in links)
    menu = "".join(f'<a href="{escape(href)}">menu</a>' for href in nav)
    html = f"<!doctype html><title>{escape(title)}</title><nav>{menu}</nav><h1>{escape(title)}</h1>{body}"
    return Reply(body=f"{html}<ul>{anchors}</ul>".encode(), headers={"Content-Type": HTML})


# --- endless sites -------------------------------------------------------------------------------------


class Listing:
    """A listing of real pages beside which a site may be endless."""

    entrance: tuple[str, ...] = ()  # into the endless part, on every page
    list_path = "/list?page={}"

    def reply(self, path: str) -> Reply:
        last = REAL_PAGES // PER_LIST
        if path == "/":
            return self.show("Home", prose("home"), [self.list_path.format(1)])
        for number in range(1, last + 1):
            if path == self.list_path.format(number):
                first = (number - 1) * PER_LIST
                items = [f"/item/{each}" for each in range(first, first + PER_LIST)]
                later = [self.list_path.format(number + 1)] if number < last else []
                return self.show(f"List {number}", "", [*items, *later])
        real = self.find_real(path)
        if real is not None and int(real) < REAL_PAGES:
            return self.show(f"Item {real}", prose(path), [self.list_path.format(1)])
        return self.reply_trap(path) or text("nothing here", 404)

    def show(self, title: str, body: str, links: Iterable[str]) -> Reply:
        return show(title, body, links, ["/", *self.entrance])

    def reply_trap(self, path: str) -> Reply | None:
        return None

    def find_real(self, path: str) -> int | str | None:
        start, _, number = path.rpartition("/")
        return int(number) if start == "/item" and number.isdigit() else None


class Calendar(Listing):
    """Months and days without end, in both directions, with nothing on them."""

    entrance = ("/calendar/2026/05",)

    def reply_trap(self, path: str) -> Reply | None:
        parts = path.split("/")[2:]
        if not path.startswith("/calendar/") or len(parts) > 3:
            return None
        year, month = int(parts[0]), int(parts[1])
        name = f"{_MONTHS[month - 1]} {year}"
        if len(parts) == 3:
            day = int(parts[2])
            others = [f"/calendar/{year}/{month:02}", f"/calendar/{year}/{month:02}/{day % 28 + 1:02}"]
            return self.show(f"{day} {name}", "<p>There are no events on this day.</p>", others)
        months = [12 * year + month - 1 + step for step in (-12, -1, 1, 12)]
        links = [f"/calendar/{each // 12}/{each % 12 + 1:02}" for each in months if each >= 12]
        links += [f"/calendar/{year}/{month:02}/{day:02}" for day in range(1, 29)]
        return self.show(name, "<p>Mo Tu We Th Fr Sa Su</p><p>There are no events this month.</p>", links)


class QueryCalendar(Listing):
    """The same with the date in the query, as plugins of blogs have it."""

    entrance = ("/events?month=5&year=2026",)

    def reply_trap(self, path: str) -> Reply | None:
        given = dict(parse_qsl(path.partition("?")[2]))
        if not path.startswith("/events?"):
            return None
        at = 12 * int(given["year"]) + int(given["month"]) - 1
        links = [
            f"/events?month={each % 12 + 1}&year={each // 12}&view={view}"
            for each in (at - 1, at + 1, at + 12)
            for view in ("list", "grid", "week")
        ]
        return self.show(f"Events in {_MONTHS[at % 12]} {at // 12}", "<p>Nothing is planned.</p>", links)


class Repeating(Listing):
    """Relative links that lead deeper and deeper, and pages that say where they are."""

    entrance = ("/a/", "/b/")

    def reply_trap(self, path: str) -> Reply | None:
        if path[:3] not in ("/a/", "/b/"):
            return None
        return self.show(f"You are at {path}", f"<p>All about {path}.</p>", ["a/", "b/"])


class Growing(Listing):
    """A path that gets longer with every link, with other words each time."""

    entrance = ("/deeper/start",)

    def reply_trap(self, path: str) -> Reply | None:
        if not path.startswith("/deeper/"):
            return None
        words = random.Random(path).sample(_WORDS, 8)
        anchors = "".join(f'<a href="{path}/{word}">next</a> ' for word in words)
        return self.show("Deeper", f"<p>Keep going.</p>{anchors}", [])


class Facets(Listing):
    """Nine filters with ten values each, whose results are always among the same forty items."""

    entrance = ("/shop",)
    names = ("brand", "color", "cut", "fabric", "fit", "length", "price", "season", "size")

    def reply_trap(self, path: str) -> Reply | None:
        start, _, query = path.partition("?")
        if start != "/shop":
            return None
        given = dict(parse_qsl(query))
        draw = random.Random(path)
        anchors = ""
        for name in self.names:
            for value in draw.sample(range(10), 3):
                query = urlencode(sorted({**given, name: str(value)}.items()))
                anchors += f'<li><a href="/shop?{escape(query)}">{name} {value}</a></li>'
        chosen = ", ".join(f"{name} {value}" for name, value in given.items())
        items = [f"/item/{number}" for number in draw.sample(range(40), 6)]
        return self.show("Shop", f"<p>Shirts: {chosen}</p><ul>{anchors}</ul>", items)


class FacetsOfList(Facets):
    """The same where the listing is at the same path as the filters."""

    list_path = "/shop?page={}"


class Sessions(Listing):
    """Every link has a token of its own, which changes nothing."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def reply(self, path: str) -> Reply:
        return super().reply(self.strip(path))

    def strip(self, path: str) -> str:
        start, _, query = path.partition("?")
        kept = urlencode([pair for pair in parse_qsl(query) if pair[0] != "tok"])
        return f"{start}?{kept}" if kept else start

    def show(self, title: str, body: str, links: Iterable[str]) -> Reply:
        related = [f"/item/{number}" for number in random.Random(title).sample(range(REAL_PAGES), 4)]
        anchors = [*links, *(related if title.startswith("Item") else ())]
        token = self.make_token()
        moved = "".join(f'<a href="{escape(self.mark(href, token))}">link</a> ' for href in ["/", *anchors])
        html = f"<!doctype html><title>{title}</title><h1>{title}</h1>{body}<p>{prose('about us')}</p>{moved}"
        return Reply(body=html.encode(), headers={"Content-Type": HTML})

    def make_token(self) -> str:
        return f"{random.Random(next(self._numbers)).getrandbits(48):012x}"

    def mark(self, href: str, token: str) -> str:
        return f"{href}{'&' if '?' in href else '?'}tok={token}"

    def find_real(self, path: str) -> int | str | None:
        return super().find_real(self.strip(path))


class PathSessions(Sessions):
    """The token is part of the path."""

    def strip(self, path: str) -> str:
        parts = path.split("/", 3)
        return f"/{parts[3]}" if path.startswith("/u/") and len(parts) == 4 else path

    def mark(self, href: str, token: str) -> str:
        return f"/u/{token}{href}"


ENDLESS: dict[str, Callable[[], Listing]] = {
    "calendar": Calendar,
    "query calendar": QueryCalendar,
    "repeating": Repeating,
    "growing": Growing,
    "facets": Facets,
    "facets of the list": FacetsOfList,
    "sessions": Sessions,
    "path sessions": PathSessions,
}


# --- healthy sites -------------------------------------------------------------------------------------


class Healthy:
    """A finite site: every page of it is wanted."""

    def __init__(self) -> None:
        self.pages = dict(self.build())

    def build(self) -> Iterable[tuple[str, Reply]]:
        raise NotImplementedError

    def reply(self, path: str) -> Reply:
        return self.pages.get(path) or text("nothing here", 404)

    def find_real(self, path: str) -> int | str | None:
        return path if path in self.pages else None


class Blog(Healthy):
    """Posts under dates, with archives of months and links to the posts before and after."""

    def build(self) -> Iterable[tuple[str, Reply]]:
        days = [(2020 + at // 120, at // 10 % 12 + 1, at % 10 + 3) for at in range(360)]
        posts = [
            f"/{year}/{month:02}/{day:02}/{_WORDS[at % 240]}-{_WORDS[at // 2 % 240]}"
            for at, (year, month, day) in enumerate(days)
        ]
        months = sorted({post[:9] for post in posts})
        yield "/", show("Blog", prose("blog"), [*posts[:5], *months])
        for month in months:
            yield month, show(f"Archive {month}", "", [post for post in posts if post.startswith(month)])
        for at, post in enumerate(posts):
            yield post, show(post, prose(post), posts[max(at - 1, 0) : at + 2])


class Shop(Healthy):
    """Products with numbers, little text of their own beside much that all have, and related products."""

    def build(self) -> Iterable[tuple[str, Reply]]:
        numbers = [10_000 + 37 * at for at in range(400)]
        lists = [f"/c/shirts?page={page}" for page in range(1, 21)]
        terms = prose("terms", 200)
        yield "/", show("Shop", terms, ["/c/shirts?page=1"])
        for at, path in enumerate(lists):
            shown = [f"/p/{number}" for number in numbers[20 * at : 20 * at + 20]]
            yield path, show("Shirts", terms, [*shown, *lists[at : at + 2]])
        for at, number in enumerate(numbers):
            draw = random.Random(number)
            related = [f"/p/{numbers[(at + step) % 400]}" for step in (1, 2, 7)]
            name = " ".join(draw.choices(_WORDS, k=30))
            yield f"/p/{number}", show(name, f"<p>{draw.randint(5, 90)} EUR</p>{terms}", related)


class Forum(Healthy):
    """Topics with several pages, all at one path."""

    def build(self) -> Iterable[tuple[str, Reply]]:
        boards = [f"/index.php?board={board}" for board in range(5)]
        yield "/", show("Forum", prose("forum"), boards)
        for board, path in enumerate(boards):
            topics = [f"/index.php?topic={20 * board + each}" for each in range(20)]
            yield path, show(f"Board {board}", prose(path, 20), topics)
            for topic in topics:
                pages = [topic, *(f"{topic}&page={page}" for page in range(2, 6))]
                for each in pages:
                    yield each, show("Topic", prose(each), pages)


class Wiki(Healthy):
    """Pages at one level that link to each other only."""

    def build(self) -> Iterable[tuple[str, Reply]]:
        names = [f"/wiki/{_WORDS[at % 240].title()}_{_WORDS[at // 3 % 240]}" for at in range(400)]
        yield "/", show("Wiki", prose("wiki"), names[:3])
        for at, name in enumerate(names):
            others = [names[(at * step + step) % 400] for step in (1, 2, 3, 5, 8)]
            yield name, show(name, prose(name, 40), [*others, names[(at + 1) % 400]])


class Docs(Healthy):
    """Ten versions of the same manual, which hardly differ."""

    def build(self) -> Iterable[tuple[str, Reply]]:
        versions = [f"/docs/v{major}.{minor}" for major in (1, 2) for minor in range(5)]
        yield "/", show("Docs", prose("docs"), [f"{version}/start/" for version in versions])
        for version in versions:
            chapters = [f"{version}/{name}/" for name in ["start", *_WORDS[:39]]]
            for chapter in chapters:
                topic = chapter.removeprefix(version)
                note = f"<p>This is about version {version[6:]}.</p>"
                yield chapter, show(topic, note + prose(topic), chapters)


class Numbers(Healthy):
    """Pages that differ in numbers only, in a list and linked to each other."""

    def build(self) -> Iterable[tuple[str, Reply]]:
        pages = [f"/page/{number}" for number in range(600)]
        yield "/", show("Home", "<p>Welcome.</p>", pages[:300])
        for at, path in enumerate(pages):
            later = [pages[(at * step + step) % 600] for step in (1, 2, 3)]
            yield path, show(f"Page {at}", f"<p>This is page {at}.</p>", [*later, pages[(at + 1) % 600]])


class Comic(Healthy):
    """One picture after the other, and not a word."""

    def build(self) -> Iterable[tuple[str, Reply]]:
        yield "/", show("Comic", '<img src="/1.png">', ["/1/"])
        for at in range(1, 400):
            links = [f"/{at + 1}/"] if at < 399 else []
            yield f"/{at}/", show(f"Strip {at}", f'<img src="/{at}.png">', links)


HEALTHY: dict[str, Callable[[], Healthy]] = {
    "blog": Blog,
    "shop": Shop,
    "forum": Forum,
    "wiki": Wiki,
    "docs": Docs,
    "numbers": Numbers,
    "comic": Comic,
}
