"""The words of a drawing (svg): its labels, titles and descriptions."""

from typing import Final

from selectolax.lexbor import LexborNode

_TEXT: Final = 2  # lexbor's number of texts
_WORDS: Final = frozenset({"text", "title", "desc", "foreignobject"})
# Shown nowhere, or where a "use" element says: sprites of icons are made of these.
_KEPT: Final = frozenset(
    {"clippath", "defs", "marker", "mask", "metadata", "pattern", "script", "style", "symbol", "template"}
)


def read_drawing(svg: LexborNode, hidden: frozenset[int]) -> str:
    """With spaces around each label; empty without any. `hidden`: `mem_id`s of what is left out."""
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
    """It goes on where the text before it ends; lines of a label are placed."""
    if name not in ("tspan", "a", "textpath"):
        return False
    attributes = node.attributes
    return "x" not in attributes and "y" not in attributes
