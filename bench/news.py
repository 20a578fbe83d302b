"""The heavy page of the benchmark, shaped like the pages of news sites: their sizes and their parts.

Half of a page is tags, the rest scripts, text and styles.
"""

import json
from collections.abc import Iterator
from random import Random
from typing import Any

from bench.page import Page, path_of

_ACCENTS = str.maketrans("aeou", "äéöü")
_NAMES = (
    "og:type og:site_name og:locale og:title og:description og:url og:image:alt article:section article:tag"
    " article:author article:published_time article:modified_time twitter:card twitter:site twitter:title"
    " twitter:description fb:app_id theme-color format-detection news_keywords"
)
_METAS = _NAMES.split()
_RELS = ("dns-prefetch", "preconnect", "preload", "stylesheet", "icon", "apple-touch-icon")
_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+/"


def draw_scale(random: Random) -> float:
    """Between 15 and 400 kB, half of the pages below 75, a fifth above 128."""
    return min(max(random.lognormvariate(-0.3, 0.75), 0.1), 3.4)


def render_heavy(page: Page) -> str:
    share = len(page.links)
    nav, story, cards, footer = _divide(page.links, share * 3 // 10, share // 8, share * 3 // 8)
    return f"""<!doctype html>
<!--[if lt IE 9]><html class="no-js ie8" lang="en"><![endif]-->
<html lang="en" dir="ltr" class="no-js theme-light" prefix="og: https://ogp.me/ns#">
<head>
{_head(page)}
</head>
<body class="article-template page-{page.number} has-sidebar" data-page='{_attribute(page, 6)}'>
<noscript><img height="1" width="1" style="display:none" src="/pixel.gif?id={page.number}" alt=""></noscript>
<div id="app"><div class="layout layout--three-columns"><div class="layout__inner">
<header class="site-header" role="banner"><div class="site-header__bar">{_icons(page, _size(page, 7))}
<nav class="mega-menu" aria-label="Main">{_menu(page, nav)}</nav></div></header>
<div class="columns"><main id="content" role="main">
<article class="story" itemscope itemtype="https://schema.org/Article">
<h1 class="story__title" itemprop="headline">{page.title}</h1>
{_story(page, story)}
</article></main>
<aside class="sidebar">{_advertisements(page)}{_cards(page, cards)}</aside></div>
<footer class="site-footer">{_menu(page, footer)}</footer>
</div></div></div>
{_scripts(page)}
</body>
</html>
"""


def _text(page: Page, words: int) -> str:
    """Words for readers: a third of the pages is in a language with accents."""
    text = page.words(words)
    return text.translate(_ACCENTS) if page.number % 3 == 0 else text


def _prose(page: Page, sentences: int) -> str:
    return " ".join(f"{_text(page, 12).capitalize()}." for _ in range(sentences))


def _size(page: Page, average: float) -> int:
    return round(page.scale * average)


def _divide(links: list[str], *sizes: int) -> Iterator[list[str]]:
    start = 0
    for size in sizes:
        yield links[start : start + size]
        start += size
    yield links[start:]


def _head(page: Page) -> str:
    metas = "\n".join(f'<meta property="{name}" content="{page.words(8)}">' for name in _METAS)
    links = "\n".join(
        f'<link rel="{_RELS[number % len(_RELS)]}" href="/assets/{page.words(1)}-{number}.css" crossorigin>'
        for number in range(19)
    )
    rules = "\n".join(
        f".c-{number:x}>.{page.words(1)}__{page.words(1)}:not(.is-{page.words(1)})"
        f"{{display:flex;margin:{number % 7}px 0;color:#{number * 4099 % 16777216:06x}}}"
        for number in range(_size(page, 60))
    )
    data = json.dumps(_structured_data(page), indent=1)
    return f"""<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{page.title}</title>
<meta name="description" content="{page.words(24)}">
<link rel="canonical" href="{path_of(page.number)}">
{metas}
<meta property="og:image" content="/img/{page.number}-1200.jpg">
{links}
<style>{rules}</style>
<script type="application/ld+json">{data}</script>"""


def _structured_data(page: Page) -> dict[str, Any]:
    return {
        "@context": "https://schema.org",
        "@type": "NewsArticle",
        "headline": page.title,
        "author": [{"@type": "Person", "name": page.words(2)} for _ in range(3)],
        "mentions": [{"@type": "Thing", "name": page.words(3)} for _ in range(_size(page, 20))],
        "articleSection": page.words(2),
    }


def _attribute(page: Page, fields: int) -> str:
    """JSON for an attribute in single quotes."""
    return json.dumps({f"key-{number}": page.words(3) for number in range(fields)})


def _data_uri(page: Page, length: int) -> str:
    return "data:image/png;base64," + "".join(page.random.choices(_DIGITS, k=length))


def _icons(page: Page, count: int) -> str:
    def path() -> str:
        return "".join(f"L{page.random.randrange(24)} {page.random.randrange(24)}" for _ in range(20))

    return "".join(
        f'<button type="button" class="icon icon--{page.words(1)}" aria-label="{page.words(2)}">'
        f'<svg viewBox="0 0 24 24" width="24" height="24"><g fill="none"><path d="M0 0{path()}Z"/></g></svg>'
        f"</button>"
        for _ in range(count)
    )


def _menu(page: Page, links: list[str]) -> str:
    def entry(href: str) -> str:
        return (
            f'    <li class="menu__item" data-track="nav-{page.words(1)}">\n'
            f'      <a class="menu__link" data-ga=\'nav|{page.words(2)}\' href="{href}">'
            f'<span class="menu__label">{_text(page, 2)}</span></a>\n    </li>\n'
        )

    return "\n".join(
        f'<div class="menu__group"><h2 class="menu__heading">{_text(page, 1)}</h2>\n'
        f'  <ul class="menu__list">\n{"".join(map(entry, links[start : start + 8]))}  </ul></div>'
        for start in range(0, len(links), 8)
    )


def _story(page: Page, links: list[str]) -> str:
    return "\n".join(
        f'<section class="story__part" id="part-{number}"><h2>{_text(page, 4)}</h2>\n'
        f'<p class="story__text">{_prose(page, 2)} \u201cIt\u2019s {_text(page, 9)}\u201d &mdash; '
        f'{_text(page, 3)} &amp; <a href="{href}" rel="bookmark">{_text(page, 3)}</a>, '
        f"<em>{_text(page, 2)}</em>. {_prose(page, 1)}</p>\n<!-- block {number}: {page.words(9)} -->\n"
        f"<p>{_prose(page, 2)}&nbsp;<strong>{_text(page, 3)}</strong> {_text(page, 5)}.</p></section>"
        for number, href in enumerate(links)
    )


def _cards(page: Page, links: list[str]) -> str:
    return "\n".join(_card(page, number, href) for number, href in enumerate(links))


def _card(page: Page, number: int, href: str) -> str:
    """Every third one has an image, every sixth one in many sizes."""
    media = _media(page, number) if number % 3 == 0 else ""
    return f"""<div class="card card--compact" data-id={number} data-position="{number}">
  <!-- card {number} -->{media}
  <div class="card__body"><span class="tag tag--{page.words(1)}">{_text(page, 1)}</span>
    <h3 class="card__title"><a href="{href}" class="card__link" data-event="{page.words(4)}" target="_self">
      <span class="card__kicker">{_text(page, 1)}:</span> {_text(page, 7)}</a></h3>
    <time datetime="2024-05-{number % 28 + 1:02}T10:00:00Z" class="card__time">{number} hours ago</time>
  </div>
</div>"""


def _media(page: Page, number: int) -> str:
    name = f"/img/{number}-{page.words(1)}"
    if number % 6:
        return f'<img class="card__image" src="{name}-320.jpg" alt="{page.words(5)}" width="320">'
    candidates = ", ".join(
        f"{name}-{width}.jpg?w={width}&amp;q=75 {width}w" for width in range(160, 1761, 160)
    )
    return (
        f'<div class="card__media"><picture><source type="image/webp" srcset="{name}-320.webp 320w, '
        f'{name}-640.webp 640w"><img src="{_data_uri(page, 80)}" data-src="{name}-320.jpg" '
        f'srcset="{candidates}" sizes="(min-width: 60em) 33vw, 100vw" alt="{page.words(5)}" loading="lazy" '
        f'width="320" height="180"></picture></div>'
    )


def _advertisements(page: Page) -> str:
    """Their tags are the longest of a page: a third of the pages has one of more than 2 kB."""
    length = page.random.choice((300, 900, 2_500))
    return "".join(
        f"<div class=\"slot\" data-config='{_attribute(page, 8)}' "
        f'data-hint="{_data_uri(page, length)}"></div>\n'
        for _ in range(_size(page, 2))
    )


def _scripts(page: Page) -> str:
    """Most pages have little in them, and some more than anything else."""
    weight = min(page.scale * page.random.lognormvariate(-0.6, 1.1), 8.0)
    state = {f"block-{number}": page.words(9) for number in range(round(160 * weight))}
    snippets = "\n".join(
        f"<script async>(function(){{for(var i=0,n=window.q.length;i<n&&i>={number};i++){{var a="
        f"document.getElementById('part-{number}');if(a&&a.offsetTop>{number * 37}){{a.innerHTML='<b>"
        f'{page.words(1)}<\\/b>\';window.q.push(["{page.words(1)}",a.className.length]);}}}}}})();</script>'
        for number in range(6 + _size(page, 14))
    )
    return f"<script>window.state={json.dumps(state)};</script>\n{snippets}"
