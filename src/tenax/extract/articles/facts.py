"""Reads what a page says about its article: JSON-LD first, then microdata, meta elements and the marks of
bylines and dates in its body. Everything is bounded, and nothing recurses.
"""

from collections.abc import Iterable, Iterator, Mapping
from html import unescape
from typing import Any, Final

from tenax.extract.articles.article import Facts
from tenax.extract.articles.names import read_names, split_names, unique_names
from tenax.extract.articles.titles import choose_texts, find_title
from tenax.extract.structured import read_json_ld, read_metas, read_microdata, shorten_type
from tenax.web.documents import Document, select
from tenax.web.urls import parse_url
from tenax.web.white_space import collapse

ARTICLE_TYPES: Final = frozenset(
    [
        "AdvertiserContentArticle",
        "AnalysisNewsArticle",
        "Article",
        "AskPublicNewsArticle",
        "BackgroundNewsArticle",
        "BlogPosting",
        "DiscussionForumPosting",
        "LiveBlogPosting",
        "MedicalScholarlyArticle",
        "NewsArticle",
        "OpinionNewsArticle",
        "Report",
        "ReportageNewsArticle",
        "ReviewNewsArticle",
        "SatiricalArticle",
        "ScholarlyArticle",
        "SocialMediaPosting",
        "TechArticle",
    ]
)
_LIST_TYPES: Final = frozenset(
    ["CollectionPage", "SearchResultsPage", "ItemList", "Blog", "ProfilePage", "Product"]
)
MAX_TAGS: Final = 50
MAX_BODY: Final = 500_000
_MARKS: Final = 10  # elements that are read of each kind
_TEXT: Final = 300

_TITLES: Final = (
    "og:title",
    "twitter:title",
    "parsely-title",
    "dc.title",
    "dcterms.title",
    "headline",
    "title",
)
_AUTHORS: Final = (
    "author",
    "article:author",
    "parsely-author",
    "sailthru.author",
    "dc.creator",
    "dcterms.creator",
    "citation_author",
    "byl",
)
_PUBLISHED: Final = (
    "article:published_time",
    "og:article:published_time",
    "datepublished",
    "parsely-pub-date",
    "sailthru.date",
    "date.published",
    "pubdate",
    "publishdate",
    "publish-date",
    "dc.date.issued",
    "dcterms.created",
    "dc.date",
    "citation_publication_date",
    "cxenseparse:recs:publishtime",
    "date",
)
_MODIFIED: Final = (
    "article:modified_time",
    "og:updated_time",
    "datemodified",
    "dcterms.modified",
    "last-modified",
)
_SECTIONS: Final = ("article:section", "parsely-section", "og:article:section")
_TAGS: Final = ("parsely-tags", "news_keywords", "sailthru.tags", "keywords")
_IMAGES: Final = ("og:image", "og:image:url", "twitter:image", "twitter:image:src", "parsely-image-url")

_BYLINES: Final = (
    '[rel~="author"], [itemprop~="author"], [class~="byline" i], [class~="author-name" i],'
    ' [class~="author" i], [class*="byline" i]'
)
_DATES: Final = (
    'time[itemprop~="datePublished"], [itemprop~="datePublished"], time[pubdate], time[datetime],'
    ' [class~="published" i], [class~="date" i], [class*="publish" i], [class~="entry-date" i],'
    ' [class~="post-date" i]'
)


def read_facts(document: Document, title: str | None) -> Facts:
    """`title`: that of the title element."""
    items = [*read_json_ld(document), *read_microdata(document)]
    metas = read_metas(document)
    said = _choose_item(items)
    site = _find_site(items, said, metas)
    authors, byline = _find_authors(document, said, metas)
    of_people = tuple(each for each in authors if each.casefold() != (site or "").casefold())
    headlines = choose_texts([_text(said.get("headline")), _text(said.get("name")), *_values(metas, _TITLES)])
    return Facts(
        title=find_title(document, [unescape(each) for each in headlines], title, site),
        authors=of_people or authors,  # bylines end with the name of the site
        byline=byline,
        published=tuple(_list_published(document, said, metas)),
        modified=tuple(choose_texts([_text(said.get("dateModified")), *_values(metas, _MODIFIED)])),
        description=next(
            iter(
                choose_texts(
                    [*_values(metas, ("description", "og:description")), _text(said.get("description"))]
                )
            ),
            None,
        ),
        lead_image=_find_image(document, said, metas),
        section=next(
            iter(choose_texts([*_values(metas, _SECTIONS), *_texts(said.get("articleSection"))])), None
        ),
        tags=_find_tags(document, said, metas),
        site=site,
        language=_text(said.get("inLanguage")),
        body=_read_body(said),
        is_declared=bool(said)
        or metas.get("og:type", "").lower() in ("article", "news", "newsarticle", "blog"),
        is_list=not said and _has_list(items),
    )


# --- structured data -----------------------------------------------------------------------------


def _types(item: Mapping[str, Any]) -> set[str]:
    return {shorten_type(each) for each in _texts(item.get("@type"))}


def _choose_item(items: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """The article that says most: pages repeat theirs, and list others."""
    found = [each for each in _list_articles(items) if _types(each) & ARTICLE_TYPES]
    return max(found[:100], key=_weigh, default={})


def _list_articles(items: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for item in items:
        yield item
        main = item.get("mainEntity")
        if isinstance(main, dict):
            yield main


def _weigh(item: Mapping[str, Any]) -> int:
    names = ("headline", "datePublished", "author", "articleBody", "image", "mainEntityOfPage")
    return sum(name in item for name in names)


def _has_list(items: Iterable[Mapping[str, Any]]) -> bool:
    return any(_types(each) & _LIST_TYPES for each in items)


def _text(value: Any) -> str | None:
    """The first text of a value: itself, one of a list, or the name of a thing."""
    return next(iter(_texts(value)), None)


def _texts(value: Any) -> list[str]:
    found: list[str] = []
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, dict):
            each = each.get("name") or each.get("@value")
        if isinstance(each, str) and each.strip():
            found.append(unescape(each))
        elif isinstance(each, list):
            found += [inner for inner in each if isinstance(inner, str)]
    return found[:100]


def _values(metas: Mapping[str, str], names: Iterable[str]) -> Iterator[str]:
    return (metas[name] for name in names if name in metas)


def _read_body(said: Mapping[str, Any]) -> str | None:
    body = said.get("articleBody")
    return body[:MAX_BODY] if isinstance(body, str) else None


# --- site, authors, dates ------------------------------------------------------------------------


def _find_site(
    items: Iterable[Mapping[str, Any]], said: Mapping[str, Any], metas: Mapping[str, str]
) -> str | None:
    of_sites = [_text(each.get("name")) for each in items if "WebSite" in _types(each)]
    found = [*_values(metas, ("og:site_name",)), _text(said.get("publisher")), *of_sites]
    found += _values(metas, ("application-name", "apple-mobile-web-app-title"))
    return next(iter(choose_texts(found)), None)


def _find_authors(
    document: Document, said: Mapping[str, Any], metas: Mapping[str, str]
) -> tuple[tuple[str, ...], str | None]:
    declared = _texts(said.get("author")) or _texts(said.get("creator"))
    authors = unique_names(split_names(declared))
    of_metas = [each for each in _values(metas, _AUTHORS) if "://" not in each]
    authors = authors or unique_names(split_names(of_metas))
    shown = next(_list_bylines(document), None)
    if not authors and shown:
        authors = read_names(shown)
    return authors, shown or (", ".join(authors) or None)


def _list_bylines(document: Document) -> Iterator[str]:
    for node in select(document.tree, _BYLINES)[:_MARKS]:
        text = collapse(node.text_lexbor(), _TEXT)
        if text and len(text) <= 120 and read_names(text):
            yield text


def _list_published(document: Document, said: Mapping[str, Any], metas: Mapping[str, str]) -> Iterator[str]:
    declared = [_text(said.get("datePublished")), _text(said.get("dateCreated")), *_values(metas, _PUBLISHED)]
    yield from choose_texts(declared)
    for node in select(document.tree, _DATES)[:_MARKS]:
        attributes = node.attributes
        for value in (attributes.get("datetime"), attributes.get("content"), node.text_lexbor()):
            if value and (text := collapse(value, _TEXT)) and len(text) <= 100:
                yield text


# --- image and tags ------------------------------------------------------------------------------


def _find_image(document: Document, said: Mapping[str, Any], metas: Mapping[str, str]) -> str | None:
    for reference in [*_values(metas, _IMAGES), *_list_images(said.get("image"))]:
        if url := parse_url(reference.strip(), document.base_url):
            return url
    return None


def _list_images(value: Any) -> Iterator[str]:
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, dict):
            each = next((inner for inner in (each.get("url"), each.get("contentUrl")) if inner), None)
        if isinstance(each, str):
            yield each


def _find_tags(document: Document, said: Mapping[str, Any], metas: Mapping[str, str]) -> tuple[str, ...]:
    found = [each.get("content") or "" for each in document.metas if each.get("property") == "article:tag"]
    if not found:
        found = [*_texts(said.get("keywords")), *_values(metas, _TAGS)]
        found = [tag for each in found[:MAX_TAGS] for tag in each.split(",")]
    return tuple(dict.fromkeys(choose_texts(found[:MAX_TAGS])))
