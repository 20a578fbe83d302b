"""The references of a page: a, area, link and meta refresh."""

import re
from itertools import islice

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tenax.records import PageLink
from tenax.web.documents import Document, select
from tenax.web.hrefs import Hrefs

MAX_ANCHOR = 200
_LINK_RELS = frozenset({"alternate", "canonical", "next", "prev"})

# Anchors may nest (through tables and objects), so that reading each could read the page a
# thousand times. Real pages have some kilobytes of anchor text.
_ANCHOR_BUDGET = 1_000_000
_ALT_NODES = 16  # how far into a link without text an image is looked for

_REFRESH = re.compile(r"\s*[0-9.]+[\s;,]+(?:url\s*=\s*)?(.*)", re.IGNORECASE | re.DOTALL)


def _find_tag_ids(*names: str) -> dict[int, str]:
    """Tag ids are lexbor's own numbers: ask for them rather than copy them."""
    tree = LexborHTMLParser("".join(f"<{name}>" for name in names))
    return {tree.tags(name)[0].tag_id: name for name in names}


_TAGS = _find_tag_ids("a", "area", "link", "meta")
_A, _AREA, _LINK, _META = _TAGS
_IMG = next(iter(_find_tag_ids("img")))


def find_links(document: Document, limit: int, hrefs: Hrefs) -> dict[int, PageLink]:
    """The first `limit` crawlable urls that the page refers to, by their keys. Leaves the tree alone."""
    links: dict[int, PageLink] = {}
    place = hrefs.around(document.base_url)
    find_rooted, find_relative, find = place.rooted.get, place.relative.get, place.find
    anchor_budget = _ANCHOR_BUDGET
    for node in select(document.tree, "[href],meta"):
        attributes = node.attributes
        tag_id = node.tag_id
        href = attributes["href"] if tag_id != _META else _read_refresh(attributes)
        if not href:
            continue
        url, key = find_rooted(href) or find_relative(href) or find(href)
        if key in links or not url:
            continue
        rel = _tidy_rel(attributes["rel"]) if "rel" in attributes else ""
        anchor = ""
        if tag_id == _A:
            if anchor_budget > 0:
                text = node.text_lexbor()
                anchor_budget -= len(text)
                anchor = " ".join(text.split()) if len(text) <= MAX_ANCHOR else _collapse(text)
                anchor = anchor or _read_alt(node)
        elif tag_id == _AREA:
            anchor = _collapse(attributes.get("alt") or "")
        elif tag_id not in _TAGS or (tag_id == _LINK and _LINK_RELS.isdisjoint(rel.split())):
            continue
        if len(links) >= limit:
            break
        links[key] = (url, rel, anchor, _TAGS[tag_id])
    return links


def _tidy_rel(rel: str | None) -> str:
    return " ".join(rel.lower().split()) if rel else ""


def _collapse(text: str) -> str:
    # The second cut is the limit; the first keeps a huge text from being split into words.
    return " ".join(text[: 5 * MAX_ANCHOR].split())[:MAX_ANCHOR].rstrip()


def _read_alt(node: LexborNode) -> str:
    """The alternative text of an image inside."""
    child = node.first_child
    if child is not None and child.tag_id == _IMG:
        return _collapse(child.attrs.get("alt") or "")
    for inside in islice(node.traverse(), _ALT_NODES):
        if inside.tag_id == _IMG and (alt := inside.attrs.get("alt")):
            return _collapse(alt)
    return ""


def _read_refresh(attributes: dict[str, str | None]) -> str | None:
    """The URL of a meta refresh: "5; url='/next'" in any of the forms that browsers accept."""
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
