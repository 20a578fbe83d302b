"""Whether a page without links to further pages looks like a list. Pure.

A wrong yes costs the site one request for a page that does not exist, so only clear cases count: entries
below the page's own path, or a path that is called like a list.
"""

from collections.abc import Mapping

from tenax.records.pages import PageLink
from tenax.web.urls import origin_of

LEAST_ENTRIES = 8
_TITLE_CHARS = 15  # shorter anchors are navigation
_MOST_SEGMENTS = 3
_SLUG_HYPHENS = 3  # the title of an article, as a path
_NAMES = frozenset(
    [
        "news",
        "blog",
        "blogs",
        "articles",
        "article",
        "posts",
        "stories",
        "archive",
        "archives",
        "category",
        "categories",
        "tag",
        "tags",
        "topic",
        "topics",
        "press",
        "releases",
        "events",
        "reviews",
        "forum",
        "questions",
        "jobs",
        "products",
        "catalog",
        "catalogue",
        "shop",
        "search",
        "results",
        "latest",
        "nachrichten",
        "artikel",
        "beitraege",
        "archiv",
        "kategorie",
        "thema",
        "themen",
        "presse",
        "aktuelles",
        "actualites",
        "articles-list",
        "categorie",
        "rubrique",
        "noticias",
        "articulos",
        "categoria",
        "etiqueta",
        "tema",
        "notizie",
        "articoli",
        "nieuws",
        "artikelen",
        "aktualnosci",
        "kategoria",
        "novosti",
    ]
)


def looks_like_list(url: str, links: Mapping[int, PageLink]) -> bool:
    path = url[len(origin_of(url)) :]
    if "?" in path or path == "/" or path.count("/") > _MOST_SEGMENTS + path.endswith("/"):
        return False
    segments = path.strip("/").split("/")
    if (
        "." in segments[-1]
        or segments[-1].count("-") >= _SLUG_HYPHENS
        or any(segment.isdigit() for segment in segments)
    ):
        return False
    start = url if url[-1] == "/" else url + "/"
    if _count_titles(links, start) >= LEAST_ENTRIES:
        return True
    is_called_so = not _NAMES.isdisjoint(map(str.lower, segments[-2:]))
    return is_called_so and _count_titles(links, origin_of(url) + "/") >= LEAST_ENTRIES


def _count_titles(links: Mapping[int, PageLink], start: str) -> int:
    return sum(1 for link in links.values() if len(link[2]) >= _TITLE_CHARS and link[0].startswith(start))
