"""The demo site: a small invented museum on loopback, so that a first crawl needs no network.

Besides ordinary pages it has one example of everything a crawler meets: a redirect, a missing and a removed
page, a PDF, a page that robots.txt forbids, one that asks not to be indexed, a duplicate, one that is busy at
first, and a link that leaves the site.
"""

from collections.abc import Iterator, Sequence
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from threading import Lock, Thread
from types import TracebackType
from typing import Self

from tenax.record import record

MUSEUM = "The Lantern Quay Museum"
YEARS = range(2019, 2025)
OBJECTS_PER_PAGE = 8
STORIES_PER_PAGE = 6
POLL_S = 0.05  # longest delay when the context ends
BUSY_PATH = "/journal/the-last-ferry-pilot"

# fmt: off
OBJECTS = (
    ("Brass sextant", "brass", 1841), ("Bell of the Morning Tide", "bronze", 1867),
    ("Harbor master's desk", "oak", 1902), ("Cork life vest", "cork", 1911),
    ("Painted figurehead", "lime wood", 1823), ("Signal lamp", "copper", 1888),
    ("Ferry ticket press", "iron", 1926), ("Whaler's sea chest", "camphor wood", 1839),
    ("Chart of the inner bay", "linen paper", 1796), ("Net-mender's needle", "bone", 1850),
    ("Tide gauge", "steel", 1934), ("Diver's helmet", "copper", 1898),
    ("Customs seal", "lead", 1812), ("Model of a coal barge", "pear wood", 1875),
    ("Fog horn", "zinc", 1919), ("Eel trap", "willow", 1880),
    ("Lighthouse lens", "crystal", 1859), ("Sailmaker's palm", "leather", 1871),
    ("Ship's biscuit tin", "tin", 1905), ("Pilot's telescope", "mahogany", 1833),
    ("Rope-walk wheel", "ash", 1845), ("Dockers' brass checks", "brass", 1910),
    ("Quarantine flag", "bunting", 1892), ("Radio direction finder", "bakelite", 1947),
)

STORIES = (
    "The winter the bay froze", "How a sextant finds noon", "The last ferry pilot",
    "Reading an old chart", "Cleaning a bronze bell", "Who painted the figurehead",
    "A desk with a secret drawer", "Letters from the quarantine house", "Learning to make rope",
    "The year of three floods", "Why the fog horn fell silent", "A day in the paper workshop",
    "Eels for the whole town", "The keeper's daughter", "Lifting the lens",
    "What divers found in the basin", "Counting ships by night", "A tin with a dent",
    "The strike of the dockers", "Sewing a sail in a week", "Our oldest photograph",
    "Tides, written down", "The customs house cat", "New light in the east hall",
)
# fmt: on

OPENINGS = (
    "Every visitor asks about the {thing} sooner or later",
    "Few people in {place} remember the {thing} at work",
    "The {thing} came to us from a family in {place}",
    "For a long time nobody knew what the {thing} was for",
    "When the store room was cleared, the {thing} lay behind a crate from {place}",
)
MIDDLES = (
    "its {material} had turned dull, yet every mark of the maker could be read",
    "a clerk noted it in {year} among the goods landed at {place}",
    "the repair of {year} used {material}, which tells us how scarce it had become",
    "two crews quarreled over it until the harbor court in {place} decided in {year}",
    "children were let in free in {year} only to see it",
    "the {material} parts were cast within a day's walk of {place}",
)
ENDINGS = (
    "We keep it at fifty percent humidity and check it twice a year.",
    "The east hall shows it beside the letters that mention it.",
    "A copy may be touched; the original rests in its case.",
    "If your family has papers about it, the reading room would like to see them.",
    "The next guided walk on the quay ends in front of it.",
)
MATERIALS = ("brass", "oak", "copper", "iron", "linen", "bone", "leather", "crystal", "willow")
PLACES = ("Lantern Quay", "Saltmarsh", "Upper Ferry", "Gannet Point", "the rope yard", "Mill Basin")


@record
class Reply:
    status: int = 200
    content_type: str = "text/html; charset=utf-8"
    body: bytes = b""
    location: str | None = None
    retry_after_s: int | None = None


class DemoWeb:
    """Serves the museum on a free port of 127.0.0.1 while the context lasts."""

    def __enter__(self) -> Self:
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.replies = build_replies(self.url)
        self._thread = Thread(target=self._server.serve_forever, args=(POLL_S,), daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/"


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # idle keep-alive connections must not delay the end
    replies: dict[str, Reply]

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(address, handler)
        self._is_busy = True
        self._lock = Lock()

    def reply(self, target: str) -> Reply:
        with self._lock:
            if target == BUSY_PATH and self._is_busy:
                self._is_busy = False
                return Reply(status=503, retry_after_s=1)
        return self.replies.get(target) or Reply(status=404, body=b"There is no such page.")

    def handle_error(self, request: object, client_address: object) -> None:
        """Print nothing: a client that disconnected is not an error, and the terminal belongs to the
        crawl."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # otherwise headers and body in two packets cost 40 ms
    timeout = 30

    def do_GET(self) -> None:
        reply = self.server.reply(self.path)
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.content_type)
        self.send_header("Content-Length", str(len(reply.body)))
        if reply.location:
            self.send_header("Location", reply.location)
        if reply.retry_after_s:
            self.send_header("Retry-After", str(reply.retry_after_s))
        self.end_headers()
        self.wfile.write(reply.body)

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""


def build_replies(base_url: str) -> dict[str, Reply]:
    """Build the response for every path of the museum."""
    pages = dict(_pages())
    listed = (path for path in pages if path.startswith(("/collection", "/journal")))
    locations = "".join(f"<url><loc>{base_url}{path[1:]}</loc></url>" for path in listed)
    sitemap = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{locations}</urlset>'
    robots = f"User-agent: *\nDisallow: /staff/\nSitemap: {base_url}sitemap.xml\n"
    return {path: Reply(body=html.encode()) for path, html in pages.items()} | {
        "/robots.txt": Reply(content_type="text/plain", body=robots.encode()),
        "/sitemap.xml": Reply(content_type="application/xml", body=sitemap.encode()),
        "/opening-hours": Reply(status=301, location="/visit"),
        "/old": Reply(status=410, body=b"This page was removed."),
        "/floor-plan.pdf": Reply(content_type="application/pdf", body=b"%PDF-1.4\n%%EOF\n"),
    }


def _pages() -> Iterator[tuple[str, str]]:
    yield "/", _page("Home", _welcome() + _prose("home"))
    plan = _list([("/floor-plan.pdf", "Floor plan (PDF)")])
    yield "/visit", _page("Plan your visit", _prose("visit") + plan)
    inside = _list([("/staff/rota", "Staff rota"), ("/old", "Former site")])
    yield "/about", _page("About us", _prose("about") + inside)
    yield "/staff/rota", _page("Staff rota", _prose("rota"))
    noindex = '<meta name="robots" content="noindex">'
    yield "/find", _page("Search", "<p>Nothing was searched for.</p>", head=noindex)
    objects = [(f"/collection/{_slug(name)}", name) for name, _, _ in OBJECTS]
    yield from _listing("/collection", "Collection", objects, OBJECTS_PER_PAGE)
    for (path, name), (_, material, year) in zip(objects, OBJECTS, strict=True):
        facts = f"<dl><dt>Material</dt><dd>{material}</dd><dt>Year</dt><dd>{year}</dd></dl>"
        yield path, _page(name, facts + _prose(name))
    yield from _journal()


def _journal() -> Iterator[tuple[str, str]]:
    histories = [(f"/journal/{_slug(title)}", title) for title in STORIES]
    yield from _listing("/journal", "Journal", histories, STORIES_PER_PAGE)
    for number, (path, title) in enumerate(histories):
        neighbors = [histories[number - 1], histories[(number + 1) % len(histories)]]
        yield path, _page(title, _prose(title) + _list(neighbors))
    path, title = histories[0]
    # The printable copy has the same text as the story and names it as the original.
    canonical = f'<link rel="canonical" href="{path}">'
    yield f"/print{path}", _page(title, _prose(title), head=canonical)
    yield "/archive", _page("Archive", _list([(f"/archive/{year}", str(year)) for year in YEARS]))
    for position, year in enumerate(YEARS):
        yield (
            f"/archive/{year}",
            _page(f"Stories of {year}", _list(histories[position :: len(YEARS)])),
        )


def _listing(
    path: str, title: str, entries: Sequence[tuple[str, str]], per_page: int
) -> Iterator[tuple[str, str]]:
    last = -(-len(entries) // per_page)
    for number in range(1, last + 1):
        shown = entries[(number - 1) * per_page : number * per_page]
        more = f'<p><a rel="next" href="{path}?page={number + 1}">Next page</a></p>'
        heading = title if number == 1 else f"{title}, page {number}"
        where = path if number == 1 else f"{path}?page={number}"
        yield where, _page(heading, _list(shown) + (more if number < last else ""))


def _welcome() -> str:
    return "<p>Three halls, one quay, and the things that the harbor left behind.</p>" + _list(
        [
            ("/opening-hours", "Opening hours"),
            ("/print/journal/the-winter-the-bay-froze", "This month's story, to print"),
            ("/find", "Search"),
            ("/summer-fair", "Summer fair"),
            ("http://lighthouse.invalid/", "Our friends at the lighthouse"),
        ]
    )


def _prose(topic: str) -> str:
    random = Random(topic)
    return "".join(f"<p>{_paragraph(random)}</p>" for _ in range(random.randint(3, 5)))


def _paragraph(random: Random) -> str:
    middles = random.sample(MIDDLES, 2)
    template = f"{random.choice(OPENINGS)}; {middles[0]}, and {middles[1]}. {random.choice(ENDINGS)}"
    return template.format(
        thing=random.choice(OBJECTS)[0].lower(),
        material=random.choice(MATERIALS),
        place=random.choice(PLACES),
        year=random.randint(1790, 1950),
    )


def _list(entries: Sequence[tuple[str, str]]) -> str:
    items = (f'<li><a href="{path}">{escape(text)}</a></li>' for path, text in entries)
    return f"<ul>{''.join(items)}</ul>"


def _slug(title: str) -> str:
    return "-".join("".join(c for c in title.lower() if c.isalnum() or c in " -").split())


def _page(title: str, content: str, head: str = "") -> str:
    sections = ("collection", "journal", "archive", "visit", "about")
    navigation = "".join(f'<a href="/{name}">{name.capitalize()}</a> ' for name in sections)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">{head}'
        f"<title>{escape(title)} – {MUSEUM}</title>"
        f'<meta name="description" content="{escape(title)}: a page of {MUSEUM}."></head>'
        f'<body><nav><a href="/">Home</a> {navigation}</nav>'
        f"<main><h1>{escape(title)}</h1>{content}</main>"
        f"<footer>{MUSEUM} exists only on this computer.</footer></body></html>"
    )
