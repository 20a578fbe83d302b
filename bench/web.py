"""The static web of the benchmark: the same bytes on every machine, except for the port in absolute links.

Small pages are plain documents of about 7.5 kB with 40 links. Heavy pages resemble those of a news site:
about 90 kB with 130 links, most of it markup, styles and scripts.
"""

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

VERSION = 2  # increase it when the pages change, so that existing ones are rebuilt
CHILDREN = 8
ROBOTS = "User-agent: *\nDisallow: /private/\nDisallow: /*?print=\n"

_VOCABULARY = (
    "about after again along among another around because before began behind being between both "
    "bring build called carry change city close cold common could country course cross day early "
    "earth east enough every example family far field final find first five follow food form found "
    "friend front garden gave general given gold great green ground group grow half hand head heard "
    "high hold home house hundred idea inch island keep kind king known land large last late learn "
    "leave letter light line list little long low machine made main mark measure might mile minute "
    "moon morning mountain move much music name near need never new night north note nothing notice "
    "number object ocean often open order other paper part pass pattern people piece place plain "
    "plan plant point power press problem produce question quick rain reach ready rest river road "
    "rock room round rule science sea second sentence several shape ship short should side simple "
    "small snow some song sound south space stand star state step still stood story street strong "
    "study such summer sun surface system table teach thing think though thousand thought through "
    "time together top toward travel tree true under unit until usual vowel voice walk warm watch "
    "water week west wheel where which while white whole wind winter without wonder word work world "
    "write year young"
)
WORDS = _VOCABULARY.split()


@dataclass(frozen=True, slots=True, kw_only=True)
class Web:
    """A web of one kind of page: hosts × pages_per_host, each page with links_per_page links."""

    name: str
    network: int  # its hosts are 127.<network>.0.1, .2, …
    hosts: int
    pages_per_host: int
    links_per_page: int
    render: Callable[["Page"], str]

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    host: str
    number: int
    title: str
    links: list[str]
    random: Random

    def words(self, count: int) -> str:
        return " ".join(self.random.choices(WORDS, k=count))

    def sentences(self, count: int) -> str:
        return " ".join(f"{self.words(12).capitalize()}." for _ in range(count))


def path_of(number: int) -> str:
    return f"/articles/{number}.html" if number else "/"


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
        (directory / path).write_text(web.render(_make_page(web, host, number, port)))


def _make_page(web: Web, host: int, number: int, port: int) -> Page:
    random = Random(f"{web.name}/{host}/{number}")
    name = web.host(host)
    first_child = CHILDREN * number + 1
    children = range(first_child, min(first_child + CHILDREN, web.pages_per_host))
    others = random.choices(range(web.pages_per_host), k=web.links_per_page - len(children))
    links = [_href(web, name, target, port, random) for target in (*children, *others)]
    random.shuffle(links)
    title = f"{' '.join(random.choices(WORDS, k=5)).capitalize()}, article {number} of {name}"
    return Page(host=name, number=number, title=title, links=links, random=random)


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


def render_heavy(page: Page) -> str:
    links = iter(page.links)
    return f"""<!doctype html>
<html lang="en" dir="ltr" class="no-js theme-light">
<head>
{_heavy_head(page)}
</head>
<body class="article-template page-{page.number} has-sidebar">
<div id="app"><div class="layout layout--three-columns"><div class="layout__inner">
<header class="site-header" role="banner"><div class="site-header__bar">{_icons(page, 12)}
<nav class="mega-menu" aria-label="Main">{_menu(page, links, groups=6, size=6)}</nav></div></header>
<div class="columns"><aside class="sidebar sidebar--left">{_cards(page, links, 10)}</aside>
<main id="content" role="main"><article class="story" itemscope itemtype="https://schema.org/Article">
<h1 class="story__title" itemprop="headline">{page.title}</h1>
{_story(page, links)}
</article></main>
<aside class="sidebar sidebar--right">{_cards(page, links, 16)}</aside></div>
<footer class="site-footer">{_menu(page, links, groups=6, size=7)}</footer>
</div></div></div>
{_scripts(page)}
</body>
</html>
"""


def _heavy_head(page: Page) -> str:
    meta = "\n".join(
        f'<meta property="og:{name}" content="{page.words(8)}">'
        for name in ("type", "site_name", "locale", "image:alt", "article:section", "article:tag")
    )
    rules = "\n".join(
        f".c-{number:x}>.{page.words(1)}__{page.words(1)}:not(.is-{page.words(1)})"
        f"{{display:flex;margin:{number % 7}px 0;color:#{number * 4099 % 16777216:06x}}}"
        for number in range(110)
    )
    data = json.dumps(_structured_data(page), indent=1)
    return f"""<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{page.title}</title>
<meta name="description" content="{page.words(24)}">
{meta}
<link rel="stylesheet" href="/assets/site.css"><link rel="preload" as="script" href="/assets/app.js">
<style>{rules}</style>
<script type="application/ld+json">{data}</script>"""


def _structured_data(page: Page) -> dict[str, Any]:
    return {
        "@context": "https://schema.org",
        "@type": "NewsArticle",
        "headline": page.title,
        "author": [{"@type": "Person", "name": page.words(2)} for _ in range(3)],
        "mentions": [{"@type": "Thing", "name": page.words(3)} for _ in range(30)],
        "articleSection": page.words(2),
    }


def _icons(page: Page, count: int) -> str:
    def path() -> str:
        return "".join(f"L{page.random.randrange(24)} {page.random.randrange(24)}" for _ in range(20))

    return "".join(
        f'<button type="button" class="icon icon--{page.words(1)}" aria-label="{page.words(2)}">'
        f'<svg viewBox="0 0 24 24" width="24" height="24"><path d="M0 0{path()}Z"/></svg></button>'
        for _ in range(count)
    )


def _menu(page: Page, links: Iterator[str], groups: int, size: int) -> str:
    def entries() -> str:
        return "".join(
            f'<li class="menu__item" data-track="nav-{page.words(1)}"><a class="menu__link" '
            f'href="{next(links)}"><span class="menu__label">{page.words(2)}</span></a></li>\n'
            for _ in range(size)
        )

    return "\n".join(
        f'<div class="menu__group"><h2 class="menu__heading">{page.words(1)}</h2>'
        f'<ul class="menu__list">{entries()}</ul></div>'
        for _ in range(groups)
    )


def _cards(page: Page, links: Iterator[str], count: int) -> str:
    return "\n".join(
        f'<div class="card card--compact" style="order:{number}"><div class="card__media"><picture>'
        f'<source type="image/webp" srcset="/img/{number}-320.webp 320w, /img/{number}-640.webp 640w">'
        f'<img src="/img/{number}-320.jpg" alt="{page.words(5)}" loading="lazy" width="320"></picture>'
        f'</div><div class="card__body"><span class="tag tag--{page.words(1)}">{page.words(1)}</span>'
        f'<h3 class="card__title"><a href="{next(links)}" class="card__link">{page.words(7)}</a></h3>'
        f'<p class="card__teaser">{page.sentences(2)}</p></div></div>'
        for number in range(count)
    )


def _story(page: Page, links: Iterator[str]) -> str:
    return "\n".join(
        f'<section class="story__part" id="part-{number}"><h2>{page.words(4)}</h2>'
        f'<p class="story__text" data-block="{number}">{page.sentences(3)} '
        f'<a href="{next(links)}" rel="bookmark">{page.words(3)}</a> {page.sentences(2)}</p>'
        f"<!-- block {number} --><p>{page.sentences(3)}</p></section>"
        for number in range(26)
    )


def _scripts(page: Page) -> str:
    state = {f"block-{number}": page.words(9) for number in range(120)}
    code = "\n".join(
        f"(function(){{var a=document.getElementById('part-{number}');if(a&&a.offsetTop>{number * 37})"
        f"{{window.queue.push(['{page.words(1)}',a.className.length,{{once:true}}]);}}}})();"
        for number in range(110)
    )
    return f"<script>window.state={json.dumps(state)};</script>\n<script>{code}</script>"


SMALL = Web(name="small", network=1, hosts=100, pages_per_host=100, links_per_page=40, render=render_small)
HEAVY = Web(name="heavy", network=2, hosts=20, pages_per_host=100, links_per_page=130, render=render_heavy)
# A third of the pages: enough to compare two crawlers.
QUICK_SMALL = replace(SMALL, network=3, hosts=30)
QUICK_HEAVY = replace(HEAVY, network=4, hosts=8)
