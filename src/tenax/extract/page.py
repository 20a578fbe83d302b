"""Extracts the content of a page from a document."""

import re

import xxhash
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tenax.config.fetch import PRODUCT_TOKEN
from tenax.extract.language import detect_language
from tenax.extract.markdown.convert import to_markdown
from tenax.extract.profile import WHOLE_PAGE, ExtractionProfile
from tenax.extract.similarity import simhash
from tenax.extract.text import read_text
from tenax.records.pages import PageContent
from tenax.web.documents import Document
from tenax.web.headers import parse_meta_robots, parse_robots_tag
from tenax.web.hrefs import Hrefs
from tenax.web.parameters import NO_NAMES, Names
from tenax.web.urls import parse_url
from tenax.web.white_space import collapse

MAX_TITLE = 1000
MAX_DESCRIPTION = 2000
MAX_LANGUAGE = 35  # what implementations of RFC 5646 must support

_ROBOTS_NAMES = ("robots", PRODUCT_TOKEN)
_META_NAMES = frozenset({"content-language", "description", "og:description", "og:title"})
_LANGUAGE = re.compile(r"[a-z]{2,8}(?:-[a-z0-9]{1,8})*")


def extract_page(
    document: Document,
    *,
    robots_tag: str | None = None,
    profile: ExtractionProfile = WHOLE_PAGE,
    keep: Names = NO_NAMES,
    least_similar_chars: int | None = None,
    hrefs: Hrefs | None = None,
) -> PageContent:
    """Extract a page; `robots_tag`: its X-Robots-Tag header, `keep`: names of parameters to keep in
    addresses, `least_similar_chars`: from which its text gets a simhash; None: no text does. `hrefs`: a cache
    of addresses."""
    tree = document.tree
    metas, robots = _read_metas(document)
    robots |= parse_robots_tag(robots_tag)
    title = _find_title(tree, metas)
    text = read_text(tree, profile)
    return PageContent(
        title=title,
        description=_collapse(metas.get("description") or metas.get("og:description"), MAX_DESCRIPTION),
        canonical=_find_canonical(document, keep),
        language=_find_language(tree, metas) or (detect_language(text) if profile.detects_language else None),
        charset=document.charset,
        text=text,
        content_hash=hash_text(text),
        simhash=hash_similar(text, least_similar_chars),
        is_noindex="noindex" in robots,
        is_nofollow="nofollow" in robots,
        markdown=to_markdown(document, profile, keep=keep, hrefs=hrefs) if profile.markdown else None,
    )


def _read_metas(document: Document) -> tuple[dict[str, str], frozenset[str]]:
    """Read the first content of each required name, and all directives for robots."""
    metas: dict[str, str] = {}
    robots: frozenset[str] = frozenset()
    for attributes in document.metas:
        content = attributes.get("content")
        if not content or content.isspace():
            continue
        name = attributes.get("name") or attributes.get("property") or attributes.get("http-equiv")
        name = name.strip().lower() if name else ""
        if name in _META_NAMES:
            metas.setdefault(name, content)
        elif name in _ROBOTS_NAMES:
            robots |= parse_meta_robots(content)
    return metas, robots


def _find_title(tree: LexborHTMLParser, metas: dict[str, str]) -> str | None:
    node = next(filter(_is_of_page, tree.tags("title")), None)
    title = _collapse(node.text_lexbor(), MAX_TITLE) if node else None
    title = title or _collapse(metas.get("og:title"), MAX_TITLE)
    if title:
        return title
    headings = tree.tags("h1")
    return _collapse(headings[0].text_lexbor(), MAX_TITLE) if headings else None


def _is_of_page(title: LexborNode) -> bool:
    """Whether it is the title of the page: drawings and their parts have titles, too."""
    above = title.parent
    while above is not None and above.tag != "head":
        if above.tag == "svg":
            return False
        above = above.parent
    return True


def _find_canonical(document: Document, keep: Names) -> str | None:
    for attributes in document.links:
        href = attributes.get("href")
        if href and "canonical" in (attributes.get("rel") or "").lower().split():
            return parse_url(href.strip(), document.base_url, keep)
    return None


def _find_language(tree: LexborHTMLParser, metas: dict[str, str]) -> str | None:
    root = tree.root
    attributes = root.attributes if root else {}
    for value in (
        attributes.get("lang"),
        attributes.get("xml:lang"),
        metas.get("content-language"),
    ):
        if language := clean_language(value):
            return language
    return None


def clean_language(said: str | None) -> str | None:
    """The language that a document says it has; None: it says none, or nothing that is one."""
    language = (said or "").partition(",")[0].strip().lower().replace("_", "-")
    return language if len(language) <= MAX_LANGUAGE and _LANGUAGE.fullmatch(language) else None


def _collapse(text: str | None, limit: int) -> str | None:
    """Collapse white space; None if nothing is left."""
    return collapse(text, limit) or None if text else None


def hash_text(text: str) -> int:
    return _sign(xxhash.xxh3_64_intdigest(text.encode()))


def hash_similar(text: str, least_chars: int | None) -> int | None:
    if least_chars is None or len(text) < least_chars:
        return None
    found = simhash(text)
    return None if found is None else _sign(found)


def _sign(digest: int) -> int:
    """64 bits as a signed integer, because integers in databases are."""
    return digest - (1 << 64) if digest >> 63 else digest
