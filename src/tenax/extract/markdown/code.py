"""The language of a block of code, as highlighters and their users name it."""

import re
from typing import Final

from selectolax.lexbor import LexborNode

_ABOVE: Final = 2  # elements around a block that may name its language
_LONGEST_CLASS: Final = 300
_NAMED: Final = re.compile(
    r"(?:^|\s)(?:language|lang|highlight-source|highlight|sourceCode|brush:)[-\s]?([A-Za-z][\w+#.-]{0,29})(?=[\s;]|$)"
)
_NO_LANGUAGES: Final = frozenset(
    {"none", "default", "text", "plaintext", "plain", "txt", "notranslate", "source"}
)


def find_language(pre: LexborNode) -> str:
    """Find what the classes of the block, of the code in it or of what is around say; empty: nothing."""
    for node in _list_namers(pre):
        attributes = node.attributes
        said = attributes.get("data-lang") or attributes.get("data-language")
        classes = f"lang-{said}" if said else attributes.get("class") or ""
        if found := _NAMED.search(classes[:_LONGEST_CLASS]):
            return _tidy(found[1])
    return ""


def _list_namers(pre: LexborNode) -> list[LexborNode]:
    nodes = [pre]
    child = pre.first_child
    if child is not None and child.tag == "code":
        nodes.insert(0, child)
    above = pre.parent
    for _ in range(_ABOVE):
        if above is None or above.tag not in ("div", "figure"):
            break
        nodes.append(above)
        above = above.parent
    return nodes


def _tidy(language: str) -> str:
    language = language.lower()
    return "" if language in _NO_LANGUAGES else language
