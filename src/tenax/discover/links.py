"""The references of a page: a, area, link and meta refresh."""

import re
from itertools import islice

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tenax.records.pages import PageLink
from tenax.web.documents import Document, select
from tenax.web.hrefs import NOWHERE, Hrefs, PageHrefs
from tenax.web.white_space import collapse

MAX_ANCHOR = 200
_LINK_RELS = frozenset({"alternate", "canonical", "next", "prev", "sitemap"})
# "alternate stylesheet" and "alternate icon" are not alternates of the page.
_RESOURCE_RELS = frozenset(
    {"apple-touch-icon", "icon", "manifest", "mask-icon", "modulepreload", "preload", "stylesheet"}
)

# Anchors may nest (through tables and objects), so that reading the text of each could read the page a
# thousand times. Real pages have a few kilobytes of anchor text.
_ANCHOR_BUDGET = 1_000_000
_ALT_NODES = 16  # how many nodes of a link without text are searched for an image

_REFRESH = re.compile(r"\s*[0-9.]+[\s;,]+(?:url\s*=\s*)?(.*)", re.IGNORECASE | re.DOTALL)


_tree = LexborHTMLParser("<area><img>")
_AREA, _IMG = (_tree.tags(name)[0].tag_id for name in ("area", "img"))

Links = dict[int, PageLink]


def find_links(document: Document, limit: int, hrefs: Hrefs) -> Links:
    """Find the first `limit` crawlable urls that the page refers to, by key: in its head, then in its body.
    Does not change the tree."""
    links: Links = {}
    place = hrefs.for_page(document.base_url)
    _add_head(links, document, place, limit)
    _add_body(links, document.tree, place, limit)
    return links


def _add_head(links: Links, document: Document, place: PageHrefs, limit: int) -> None:
    for attributes in document.links:
        rel = _tidy_rel(attributes.get("rel"))
        rels = rel.split()
        if not _LINK_RELS.isdisjoint(rels) and _RESOURCE_RELS.isdisjoint(rels):
            _add(links, attributes.get("href"), place, (rel, "", "link"), limit)
    for attributes in document.metas:
        if "http-equiv" in attributes:
            _add(links, _read_refresh(attributes), place, ("", "", "meta"), limit)


def _add(links: Links, href: str | None, place: PageHrefs, about: tuple[str, str, str], limit: int) -> None:
    url, key = place.find(href) if href else NOWHERE
    if url and key not in links and len(links) < limit:
        links[key] = (url, *about)


def _add_body(links: Links, tree: LexborHTMLParser, place: PageHrefs, limit: int) -> None:
    find_rooted, find_relative, find = place.rooted.get, place.relative.get, place.find
    has_areas = bool(tree.tags("area"))
    budget = _ANCHOR_BUDGET
    # Lookup by name takes a third of the time of a selector, which is needed only for the order of both.
    for node in select(tree, "a,area") if has_areas else tree.tags("a"):
        attributes = node.attributes
        href = attributes.get("href")
        if not href:
            continue
        url, key = find_rooted(href) or find_relative(href) or find(href)
        if key in links or not url:
            continue
        if len(links) >= limit:
            break
        rel = _tidy_rel(attributes["rel"]) if "rel" in attributes else ""
        anchor, tag = "", "a"
        if has_areas and node.tag_id == _AREA:
            anchor, tag = collapse(attributes.get("alt") or "", MAX_ANCHOR), "area"
        elif budget > 0:
            text = node.text_lexbor()
            budget -= len(text)
            anchor = collapse(text, MAX_ANCHOR) or _read_alt(node)
        links[key] = (url, rel, anchor, tag)


def _tidy_rel(rel: str | None) -> str:
    return " ".join(rel.lower().split()) if rel else ""


def _read_alt(node: LexborNode) -> str:
    """Read the alternative text of an image inside."""
    child = node.first_child
    if child is not None and child.tag_id == _IMG:
        return collapse(child.attrs.get("alt") or "", MAX_ANCHOR)
    for inside in islice(node.traverse(), _ALT_NODES):
        if inside.tag_id == _IMG and (alt := inside.attrs.get("alt")):
            return collapse(alt, MAX_ANCHOR)
    return ""


def _read_refresh(attributes: dict[str, str | None]) -> str | None:
    """Parse the URL of a meta refresh: "5; url='/next'" in any form that browsers accept."""
    if (attributes.get("http-equiv") or "").strip().lower() != "refresh":
        return None
    refresh = _REFRESH.match(attributes.get("content") or "")
    if refresh is None:
        return None
    target = refresh[1]
    quote = target[:1]
    if quote and quote in "'\"":
        target = target[1:].partition(quote)[0]
    return target
