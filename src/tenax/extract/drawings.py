"""The text of a drawing (svg): its labels, titles and descriptions."""

from typing import Final

from selectolax.lexbor import LexborNode

_TEXT: Final = 2  # lexbor's number for text nodes
_WORDS: Final = frozenset({"text", "title", "desc", "foreignobject"})
# Not shown, or shown where a "use" element refers to them: icon sprites consist of these.
_KEPT: Final = frozenset(
    {"clippath", "defs", "marker", "mask", "metadata", "pattern", "script", "style", "symbol", "template"}
)


def read_drawing(svg: LexborNode, hidden: frozenset[int]) -> str:
    """Read the labels, with spaces around each; empty if there are none. `hidden`: `mem_id`s to leave out."""
    content = svg.text_lexbor()
    if not content or content.isspace():
        return ""  # most are icons
    parts: list[str] = []
    waiting = [(svg, False)]
    while waiting:
        node, is_word = waiting.pop()
        if node is not svg and (following := node.next) is not None:
            waiting.append((following, is_word))
        if node.tag_id == _TEXT:
            if is_word:
                parts.append(node.text_content or "")
            continue
        name = (node.tag or "").lower()
        if name in _KEPT or node.mem_id in hidden:
            continue
        if name in _WORDS or (is_word and not _is_joined(node, name)):
            parts.append(" ")
        if (child := node.first_child) is not None:
            waiting.append((child, is_word or name in _WORDS))
    text = "".join(parts)
    return f"{text} " if text and not text.isspace() else ""


def _is_joined(node: LexborNode, name: str) -> bool:
    """Whether it continues the text before it; the lines of a label have positions instead."""
    if name not in ("tspan", "a", "textpath"):
        return False
    attributes = node.attributes
    return "x" not in attributes and "y" not in attributes
