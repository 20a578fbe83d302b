"""CSS selectors given by users, limited to those that take linear time on any page, even a hostile one.

The parser's own matching backtracks at every combinator: `b div div` takes 0.6 s on 1,000 nested elements and
`b div div div` more than 15 s, as do `b ~ p` and `p:nth-last-child(7)` on 125,000 siblings. So the parser
only matches the parts between combinators, and this module follows the combinators: a step costs at most 50
ms. `:first-child`, `:last-child` and `:not(…)` look no further than the nearest sibling.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tenax.errors import ConfigError, ContentError
from tenax.record import record
from tenax.web.documents import select

# `[type*=…]` compares each character of a value with each of the selector: 0.5 s for a value of 10 MB.
LONGEST_SELECTOR: Final = 100
MAX_STEPS: Final = 3
MAX_MATCHES: Final = 50_000  # per step and document; each takes 450 bytes
SHOWN_CHARS: Final = 100

# CSS Syntax 3, "ident code point", without escapes and rarities.
_LETTER: Final = r"A-Za-z_\xc0-\xd6\xd8-\xf6\xf8-\u037d\u037f-\u1fff\u3001-\ud7ff"
_NAME: Final = rf"-?[{_LETTER}][{_LETTER}0-9-]*"
_VALUE: Final = rf"(?:\"[^\"\\]*\"|'[^'\\]*'|{_NAME})"
_SIMPLE: Final = rf"(?:[#.]{_NAME}|\[ *{_NAME} *(?:[~|^$*]?= *{_VALUE} *)?\])"
_PART: Final = rf"(?:{_SIMPLE}|:(?:first|last|only)-child|:not\( *(?:{_NAME}|{_SIMPLE}) *\))"
_COMPOUND: Final = rf"(?:{_NAME}{_PART}*|{_PART}+)"
_COMBINATOR: Final = r"(?: *[>+] *| +)"
# Compiled on first use: with so many letters it takes 100 ms, and few crawls have a selector.
_SELECTOR: Final = rf" *{_COMPOUND}(?:{_COMBINATOR}{_COMPOUND})* *"
_STEP: Final = rf"({_COMBINATOR}|^ *)({_COMPOUND})"


@record
class CompoundSelector:
    compound: str  # tag, classes, id and attributes of one element
    # What it is to an element of the previous step: ">" a child, "+" the next sibling, " " somewhere inside.
    combinator: str


@record
class Selector:
    steps: tuple[CompoundSelector, ...]  # at least one

    def find(self, tree: LexborHTMLParser) -> list[LexborNode]:
        """Find the matching elements, in document order. ContentError: too many."""
        first, *others = self.steps
        found = _select(tree, first)
        for step in others:
            above = {node.mem_id for node in found}
            nodes = _select(tree, step) if above else []
            found = list(_FINDERS[step.combinator](nodes, above))
        return found


def parse_selector(text: str, max_steps: int = MAX_STEPS) -> Selector:
    """Parse a selector. ConfigError: it is invalid."""
    if len(text) > LONGEST_SELECTOR:
        raise ConfigError(f"The selector {_quote(text)} is longer than {LONGEST_SELECTOR} characters.")
    understood = re.match(_SELECTOR, text)
    rest = text[understood.end() :] if understood else text
    if not understood or rest or not text.isprintable():
        raise ConfigError(f"The selector {_quote(text)} cannot be used{_explain(rest)}")
    steps = tuple(
        CompoundSelector(compound=step[2], combinator=step[1].strip() or " ")
        for step in re.finditer(_STEP, text)
    )
    if len(steps) > max_steps:
        raise ConfigError(f"The selector {_quote(text)} has more than {max_steps} steps.")
    return Selector(steps=steps)


def _explain(rest: str) -> str:
    if rest.startswith(","):
        return " because of its comma. Give each selector separately."
    culprit = f" from {rest!r} on" if rest else ""
    return (
        f"{culprit}. Use tags, .classes, #ids, [attributes], :first-child, :last-child and :not(…), with"
        " spaces, > or + between them."
    )


def _quote(text: str) -> str:
    return repr(text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}…")


def _select(tree: LexborHTMLParser, step: CompoundSelector) -> list[LexborNode]:
    nodes = select(tree, step.compound)
    if len(nodes) > MAX_MATCHES:
        raise ContentError(f"More than {MAX_MATCHES:,} elements of the document match {step.compound}.")
    return nodes


def _find_children(nodes: Iterable[LexborNode], above: set[int]) -> Iterator[LexborNode]:
    for node in nodes:
        if (parent := node.parent) is not None and parent.mem_id in above:
            yield node


def _find_next(nodes: Iterable[LexborNode], above: set[int]) -> Iterator[LexborNode]:
    """What stands between two elements is passed once, by the second one."""
    for node in nodes:
        before = node.prev
        while before is not None and not before.is_element_node:
            before = before.prev
        if before is not None and before.mem_id in above:
            yield node


def _find_inside(nodes: Iterable[LexborNode], above: set[int]) -> Iterator[LexborNode]:
    """Visits every element at most once."""
    inside, outside = set(above), set[int]()  # the elements of `above` count as inside
    for node in nodes:
        climbed = []
        here = node.parent
        while here is not None and (mem_id := here.mem_id) not in inside and mem_id not in outside:
            climbed.append(mem_id)
            here = here.parent
        is_inside = here is not None and here.mem_id in inside
        (inside if is_inside else outside).update(climbed)
        if is_inside:
            yield node


_FINDERS: Final = {">": _find_children, "+": _find_next, " ": _find_inside}


def limit_nesting(nodes: Iterable[LexborNode], most: int) -> list[LexborNode]:
    """Leave out elements that are inside `most` others of the same list, which is in document order. What is
    left has all text of the document at most `most` times. Visits every element at most once."""
    levels: dict[int, int] = {}  # how many of the list an element is in, or is
    kept = []
    for node in nodes:
        climbed = []
        here = node.parent
        while here is not None and (mem_id := here.mem_id) not in levels:
            climbed.append(mem_id)
            here = here.parent
        level = 0 if here is None else levels[here.mem_id]
        levels.update(dict.fromkeys(climbed, level))
        levels[node.mem_id] = level + 1
        if level < most:
            kept.append(node)
    return kept


def group_by_ancestor(nodes: Iterable[LexborNode], ancestors: set[int]) -> dict[int, list[LexborNode]]:
    """Group elements by the nearest of the ancestors, which may be themselves; both by `mem_id`. Visits every
    element at most once."""
    owners: dict[int, int | None] = {mem_id: mem_id for mem_id in ancestors}
    groups: dict[int, list[LexborNode]] = {}
    for node in nodes:
        climbed = []
        here: LexborNode | None = node
        while here is not None and (mem_id := here.mem_id) not in owners:
            climbed.append(mem_id)
            here = here.parent
        owner = None if here is None else owners[here.mem_id]
        owners.update(dict.fromkeys(climbed, owner))
        if owner is not None:
            groups.setdefault(owner, []).append(node)
    return groups
