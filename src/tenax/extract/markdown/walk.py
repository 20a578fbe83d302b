"""Visits the elements of a document in order, without recursion."""

from collections.abc import Callable
from typing import Final

from selectolax.lexbor import LexborNode

from tenax.extract.markdown.elements import Elements, Leave, skip
from tenax.extract.tags import BLOCKS, COMMENT, HIDDEN, SVG, TEXT, WORDS, find_id

_BY_NAMES: Final = {
    "article main section": Elements.enter_section,
    "header footer nav": Elements.enter_frame,
    "h1 h2 h3 h4 h5 h6": Elements.enter_heading,
    "div": Elements.enter_soft,
    "address form details p search": Elements.enter_paragraph,
    "ul ol menu dir": Elements.enter_list,
    "li": Elements.enter_item,
    "dt summary": Elements.enter_term,
    "dd": Elements.enter_definition,
    "blockquote": Elements.enter_quote,
    "hr": Elements.enter_rule,
    "br": Elements.enter_line,
    "pre": Elements.enter_pre,
    "code kbd samp tt": Elements.enter_code,
    "b strong": Elements.enter_strong,
    "em i cite dfn var": Elements.enter_em,
    "del s strike": Elements.enter_struck,
    "a": Elements.enter_link,
    "img": Elements.enter_image,
    "input": Elements.enter_input,
    "sub sup": Elements.enter_script,
    "table": Elements.enter_table,
    "tr": Elements.enter_row,
    "svg": Elements.enter_drawing,
}
Entry = Callable[[Elements, LexborNode], Leave | None]


def _list_entries() -> dict[int, Entry]:
    entries: dict[int, Entry] = dict.fromkeys(BLOCKS, Elements.enter_block)
    entries |= dict.fromkeys(WORDS, Elements.enter_word)
    entries |= dict.fromkeys(HIDDEN - {SVG}, Elements.enter_hidden)
    for names, enter in _BY_NAMES.items():
        entries |= {find_id(name): enter for name in names.split()}
    return entries


ENTRIES: Final = _list_entries()


def visit(root: LexborNode, elements: Elements, hidden: frozenset[int]) -> None:
    """Write an element and what is in it."""
    phrases = elements.phrases
    find, add_text = ENTRIES.get, phrases.add_text
    above: list[tuple[LexborNode, Leave | None]] = []
    node = root
    while True:
        tag_id = node.tag_id
        child: LexborNode | None = None
        leave: Leave | None = None
        if tag_id == TEXT:
            text = node.text_content or ""
            if elements.pre is None:
                add_text(text)
            else:
                elements.pre.append(text)
        elif tag_id != COMMENT and not (hidden and node.mem_id in hidden):
            if (enter := find(tag_id)) is not None:
                leave = enter(elements, node)
            if leave is not skip:
                child = node.first_child
        if child is not None:
            above.append((node, leave))
            node = child
            continue
        if leave is not None:
            leave()
        following: LexborNode | None = None
        while above and (following := node.next) is None:
            node, leave = above.pop()
            if leave is not None:
                leave()
        if following is None:
            break
        node = following
    elements.flush()
