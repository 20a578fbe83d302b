"""From documents, elements and pieces of HTML to Markdown."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tenax.extract.markdown.elements import Elements, Rules
from tenax.extract.markdown.walk import visit
from tenax.extract.profile import WHOLE_PAGE, ExtractionProfile
from tenax.extract.tags import ROOTS
from tenax.extract.text import find_hidden, find_roots, list_outermost
from tenax.web.documents import Document, parse_document, select
from tenax.web.hrefs import Hrefs
from tenax.web.parameters import NO_NAMES, Names

_FRAME_ROLES: Final = '[role="navigation"],[role="banner"],[role="contentinfo"],[role="search"]'


def to_markdown(
    document: Document,
    profile: ExtractionProfile = WHOLE_PAGE,
    *,
    keep: Names = NO_NAMES,
    hrefs: Hrefs | None = None,
    images: bool = True,
) -> str:
    """The Markdown of a page, without its navigation, header and footer, and without what its text is
    without. Of a page that consists of those, all is kept. `keep`: names of parameters to keep in addresses,
    unless there are `hrefs`."""
    tree = document.tree
    body = tree.body
    if body is None:
        return ""
    place = (hrefs or Hrefs(keep=keep)).for_page(document.base_url)
    whole = Rules(hrefs=place, hidden=find_hidden(tree, profile), images=images)
    if profile.only and (roots := find_roots(tree, body, whole.hidden, profile)):
        return _walk(roots, whole)
    return _walk([body], _leave_frame_out(tree, whole)) or _walk([body], whole)


def _leave_frame_out(tree: LexborHTMLParser, rules: Rules) -> Rules:
    kept = _find_title_header(tree)
    frame = frozenset(node.mem_id for node in select(tree, _FRAME_ROLES) if node.tag_id not in ROOTS)
    return replace(rules, hidden=rules.hidden | (frame - kept), whole=False, kept=kept)


def elements_to_markdown(
    nodes: Iterable[LexborNode], document: Document, *, keep: Names = NO_NAMES, images: bool = True
) -> str:
    """The Markdown of elements of a document, with all that is in them; those in others once."""
    place = Hrefs(keep=keep).for_page(document.base_url)
    rules = Rules(hrefs=place, hidden=find_hidden(document.tree, WHOLE_PAGE), images=images)
    return _walk(list_outermost(document.tree, nodes), rules)


def html_to_markdown(html: str, url: str, *, images: bool = True) -> str:
    """The Markdown of a piece of HTML that was found at an address. Raises ContentError, as
    parse_document does."""
    document = parse_document(
        html.encode("utf-8", "replace"), url=url, content_type="text/html; charset=utf-8"
    )
    body = document.tree.body
    return "" if body is None else elements_to_markdown([body], document, images=images)


def _walk(nodes: Iterable[LexborNode], rules: Rules) -> str:
    elements = Elements(rules)
    for node in nodes:
        visit(node, elements, rules.hidden)
    return elements.format()


def _find_title_header(tree: LexborHTMLParser) -> frozenset[int]:
    """Find what is around the only h1 of a page: a header with it is no boilerplate."""
    titles = tree.tags("h1")
    above: LexborNode | None = titles[0].parent if len(titles) == 1 else None
    found = set()
    while above is not None:
        found.add(above.mem_id)
        above = above.parent
    return frozenset(found)
