"""The static web of the benchmark: the same bytes on every machine, except for the port in absolute links.

Small pages are plain documents of about 7.5 kB with 40 links. Heavy pages resemble those of news sites
(news.py): 15 to 400 kB, 90 on average, with 160 links.
"""

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from bench.news import draw_scale, render_heavy
from bench.page import WORDS, Page, path_of

VERSION = 3  # increase it when the pages change, so that existing ones are rebuilt
CHILDREN = 8
ROBOTS = "User-agent: *\nDisallow: /private/\nDisallow: /*?print=\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Web:
    """A web of one kind of page: hosts × pages_per_host, each page with links_per_page links
    on average."""

    name: str
    network: int  # its hosts are 127.<network>.0.1, .2, …
    hosts: int
    pages_per_host: int
    links_per_page: int
    render: Callable[[Page], str]
    draw_scale: Callable[[Random], float] | None = None  # of each page; None: all are of the same size

    @property
    def pages(self) -> int:
        return self.hosts * self.pages_per_host

    def host(self, number: int) -> str:
        """The host's own address on loopback, so that no crawler needs DNS."""
        return f"127.{self.network}.0.{number + 1}"

    @property
    def addresses(self) -> list[str]:
        return [self.host(number) for number in range(self.hosts)]

    def urls(self, port: int) -> Iterator[str]:
        for host in range(self.hosts):
            for number in range(self.pages_per_host):
                yield f"http://{self.host(host)}:{port}{path_of(number)}"

    def seeds(self, port: int) -> Iterator[str]:
        return (f"http://{self.host(host)}:{port}/" for host in range(self.hosts))


def build(web: Web, root: Path, port: int) -> None:
    """Write the web below root, one directory per host, unless it exists already."""
    stamp = root / f"{web.name}-{web.network}.json"
    wanted = {"version": VERSION, "port": port, "hosts": web.hosts, "pages": web.pages_per_host}
    if stamp.exists() and json.loads(stamp.read_text()) == wanted:
        return
    stamp.unlink(missing_ok=True)
    for host in range(web.hosts):
        _build_host(web, host, root / web.host(host), port)
    stamp.write_text(json.dumps(wanted))


def _build_host(web: Web, host: int, directory: Path, port: int) -> None:
    shutil.rmtree(directory, ignore_errors=True)
    (directory / "articles").mkdir(parents=True)
    (directory / "robots.txt").write_text(ROBOTS)
    for number in range(web.pages_per_host):
        path = path_of(number).removeprefix("/") or "index.html"
        (directory / path).write_text(web.render(_make_page(web, host, number, port)), encoding="utf-8")


def _make_page(web: Web, host: int, number: int, port: int) -> Page:
    random = Random(f"{web.name}/{host}/{number}")
    name = web.host(host)
    first_child = CHILDREN * number + 1
    children = range(first_child, min(first_child + CHILDREN, web.pages_per_host))
    scale = web.draw_scale(random) if web.draw_scale else 1.0
    others = random.choices(range(web.pages_per_host), k=int(web.links_per_page * scale) - len(children))
    links = [_href(web, name, target, port, random) for target in (*children, *others)]
    random.shuffle(links)
    title = f"{' '.join(random.choices(WORDS, k=5)).capitalize()}, article {number} of {name}"
    return Page(host=name, number=number, title=title, links=links, scale=scale, random=random)


def _href(web: Web, host: str, number: int, port: int, random: Random) -> str:
    """Of ten links, seven are absolute paths, one is relative, one a full URL, one leaves the host."""
    path = path_of(number)
    kind = random.randrange(10)
    if kind == 0:
        return f"http://{web.host(random.randrange(web.hosts))}:{port}{path}"
    if kind == 1:
        return f"http://{host}:{port}{path}"
    if kind == 2:
        return f"..{path}#part-{random.randrange(5)}"
    return path


def render_small(page: Page) -> str:
    items = "\n".join(f'<li><a href="{href}">{page.words(3)}</a></li>' for href in page.links)
    paragraphs = "\n".join(f"<p>{page.sentences(7)}</p>" for _ in range(9))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{page.title}</title>
<meta name="description" content="{page.words(20)}">
</head>
<body>
<h1>{page.title}</h1>
{paragraphs}
<ul>
{items}
</ul>
</body>
</html>
"""


SMALL = Web(name="small", network=1, hosts=100, pages_per_host=100, links_per_page=40, render=render_small)
HEAVY = Web(
    name="heavy",
    network=2,
    hosts=20,
    pages_per_host=100,
    links_per_page=160,
    render=render_heavy,
    draw_scale=draw_scale,
)
# A third of the pages: enough to compare two crawlers.
QUICK_SMALL = replace(SMALL, network=3, hosts=30)
QUICK_HEAVY = replace(HEAVY, network=4, hosts=8)
