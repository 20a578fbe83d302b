"""The images of a page: img with srcset or a lazy source, picture, and the images for link previews."""

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tenax.discover.srcset import NO_SIZE, find_largest
from tenax.records.pages import PageImage
from tenax.web.documents import Document
from tenax.web.hrefs import Hrefs, PageHrefs
from tenax.web.white_space import collapse

MAX_IMAGES = 1_000
MAX_ALT = 300

# Characters of srcset attributes to parse. Pages have a few kilobytes; a page full of them would take
# seconds.
_SRCSET_BUDGET = 400_000

_PREVIEWS = {
    "og:image": "og:image",
    "og:image:url": "og:image",
    "twitter:image": "twitter:image",
    "twitter:image:src": "twitter:image",
}
_PREVIEW_ALTS = {"og:image:alt": "og:image", "twitter:image:alt": "twitter:image"}

_tree = LexborHTMLParser("<picture><source><img></picture>")
_PICTURE, _SOURCE, _IMG = (_tree.tags(name)[0].tag_id for name in ("picture", "source", "img"))

Images = dict[int, PageImage]


def find_images(document: Document, hrefs: Hrefs, limit: int = MAX_IMAGES) -> Images:
    """Find the first `limit` images of the page that have a url, by url key. Does not change the tree."""
    images: Images = {}
    shown = document.tree.tags("img")
    previews = _list_previews(document.metas)
    if shown or previews:
        place = hrefs.for_page(document.base_url)
        _add_shown(images, shown, place, limit)
        _add_previews(images, previews, place, limit)
    return images


def _add_shown(images: Images, nodes: list[LexborNode], place: PageHrefs, limit: int) -> None:
    find_rooted, find_relative, find = place.rooted.get, place.relative.get, place.find
    budget = _SRCSET_BUDGET
    for node in nodes:
        if len(images) >= limit:
            break
        attributes = node.attributes
        kind, srcsets = "img", []
        if (parent := node.parent) is not None and parent.tag_id == _PICTURE:
            kind, srcsets = "picture", _list_sources(node)
        if own := attributes.get("data-srcset") or attributes.get("srcset"):
            srcsets.append(own)
        largest = ""
        if srcsets:
            budget -= sum(map(len, srcsets))
            largest = _find_largest(srcsets) if budget >= 0 else ""
        # If there is a lazy source, `src` is a placeholder.
        for href in (largest, attributes.get("data-src"), attributes.get("src")):
            if not href:
                continue
            url, key = find_rooted(href) or find_relative(href) or find(href)
            if url:
                if key not in images:
                    images[key] = (url, collapse(attributes.get("alt") or "", MAX_ALT), kind)
                break


def _list_sources(img: LexborNode) -> list[str]:
    """List the srcsets of a picture that come before its img."""
    srcsets = []
    node = img.prev
    # Stops at another img, so that nothing is read twice.
    while node is not None and (tag_id := node.tag_id) != _IMG:
        if tag_id == _SOURCE:
            attributes = node.attributes
            if srcset := attributes.get("data-srcset") or attributes.get("srcset"):
                srcsets.append(srcset)
        node = node.prev
    srcsets.reverse()
    return srcsets


def _find_largest(srcsets: list[str]) -> str:
    if len(srcsets) == 1:
        return find_largest(srcsets[0])[0]
    best, largest = "", NO_SIZE
    for url, size in map(find_largest, srcsets):
        if size > largest:
            best, largest = url, size
    return best


def _list_previews(metas: list[dict[str, str | None]]) -> list[PageImage]:
    """List the preview images in the head: (href, alt, kind)."""
    previews: list[PageImage] = []
    for attributes in metas:
        name = (attributes.get("property") or attributes.get("name") or "").strip().lower()
        if name in _PREVIEWS:
            previews.append((attributes.get("content") or "", "", _PREVIEWS[name]))
        elif name in _PREVIEW_ALTS and previews and previews[-1][2] == _PREVIEW_ALTS[name]:
            # It describes the last image before it.
            previews[-1] = (
                previews[-1][0],
                collapse(attributes.get("content") or "", MAX_ALT),
                previews[-1][2],
            )
    return previews


def _add_previews(images: Images, previews: list[PageImage], place: PageHrefs, limit: int) -> None:
    for href, alt, kind in previews:
        if not href or len(images) >= limit:
            continue
        url, key = place.find(href)
        if url and key not in images:
            images[key] = (url, alt, kind)
