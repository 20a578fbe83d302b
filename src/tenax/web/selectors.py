"""CSS selectors of people, kept to those that are linear in a page, however hostile it is.

The parser's own matching goes back at every combinator: `b div div` takes 0.6 s on 1,000 nested elements and
`b div div div` minutes, as `b ~ p` and `p:nth-child(7)` do on 125,000 siblings. So it is only asked for what
stands between combinators, and these are followed here.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tenax.errors import ConfigError
from tenax.values import record
from tenax.web.documents import select

# `[type*=…]` compares each character of a value with so many of the selector: 0.5 s for one of 10 MB.
LONGEST_SELECTOR: Final = 100
MOST_STEPS: Final = 4
SHOWN_CHARS: Final = 100

_NAME: Final = r"-?[^\W\d][\w-]*"
_ATTRIBUTE: Final = rf"\[ *{_NAME} *(?:[~|^$*]?= *(?:\"[^\"\\]*\"|'[^'\\]*'|{_NAME}) *)?\]"
_STEP: Final = re.compile(rf"( *> *| +|)((?:\*|{_NAME})?(?:[#.]{_NAME}|{_ATTRIBUTE})*)")


@record(frozen=True, slots=True, kw_only=True)
class Step:
    compound: str  # tag, classes, id and attributes of one element
    is_child: bool  # of an element of the step before; otherwise anywhere inside it


@record(frozen=True, slots=True, kw_only=True)
class Selector:
    steps: tuple[Step, ...]  # one at least

    def find(self, tree: LexborHTMLParser) -> list[LexborNode]:
        """The elements that match, in document order."""
        first, *others = self.steps
        found = select(tree, first.compound)
        for step in others:
            above = {node.mem_id for node in found}
            nodes = select(tree, step.compound) if above else []
            found = list(_find_children(nodes, above) if step.is_child else _find_inside(nodes, above))
        return found


def parse_selector(text: str) -> Selector:
    """ConfigError: one sentence that says what is wrong with it."""
    if len(text) > LONGEST_SELECTOR:
        raise ConfigError(f"The selector {_quote(text)} is longer than {LONGEST_SELECTOR} characters.")
    steps = tuple(_read_steps(text))
    if len(steps) > MOST_STEPS:
        raise ConfigError(f"The selector {_quote(text)} has more than {MOST_STEPS} steps.")
    return Selector(steps=steps)


def _read_steps(text: str) -> Iterator[Step]:
    rest = text.strip(" ")
    place = 0
    while place < len(rest) or not place:
        step = _STEP.match(rest, place)
        if step is None or not step[2] or bool(step[1]) != bool(place) or not text.isprintable():
            raise ConfigError(_explain(text, rest[place:]))
        yield Step(compound=step[2], is_child=">" in step[1])
        place = step.end()


def _explain(text: str, rest: str) -> str:
    if "," in rest:
        return f"The selector {_quote(text)} has a comma: give each selector by itself."
    return (
        f"The selector {_quote(text)} cannot be used: there may be tags, .classes, #ids and [attributes],"
        " parted by spaces or >."
    )


def _quote(text: str) -> str:
    return repr(text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}…")


def _find_children(nodes: Iterable[LexborNode], above: set[int]) -> Iterator[LexborNode]:
    for node in nodes:
        if (parent := node.parent) is not None and parent.mem_id in above:
            yield node


def _find_inside(nodes: Iterable[LexborNode], above: set[int]) -> Iterator[LexborNode]:
    """Climbs over every element once at most."""
    known = dict.fromkeys(above, True)  # whether an element is one of them or inside one
    for node in nodes:
        climbed = []
        is_inside = False
        here = node.parent
        while here is not None:
            answer = known.get(here.mem_id)
            if answer is not None:
                is_inside = answer
                break
            climbed.append(here.mem_id)
            here = here.parent
        known.update(dict.fromkeys(climbed, is_inside))
        if is_inside:
            yield node
