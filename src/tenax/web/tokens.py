"""Patterns for the tokens of HTML: they end where the standard's tokenizer ends them.

No pattern can go back over what it has matched, so that all of them take linear time on any bytes.
"""

import re
from collections.abc import Iterable
from functools import cache
from typing import Final

from tenax.web.open_elements import FOREIGN, RAW


def in_any_case(names: Iterable[bytes]) -> bytes:
    """A pattern for lower-case names in any case. With the flag for it, a search takes twice as long."""
    return b"|".join(
        re.sub(rb"[a-z]", lambda letter: b"[%b%b]" % (letter[0], letter[0].upper()), name) for name in names
    )


_ATTRIBUTE = (
    rb"(?:=[^\t\n\f\r />=]*+|[^\t\n\f\r />=]++)"
    rb"(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+(?:\"[^\"]*+\"|'[^']*+'|[^\t\n\f\r >\"'][^\t\n\f\r >]*+)?+)?+"
)
ATTRIBUTES: Final = re.compile(_ATTRIBUTE)
_COMMENT = rb"!--(?:-?>|(?:[^-]++|-(?!-!?>))*+(?:--!?>|\Z))"
# Groups: CDATA; the slash, the name and the attributes of a tag.
TOKEN: Final = re.compile(
    rb"<(?:" + _COMMENT + rb"|(!\[CDATA\[)"
    rb"|[!?][^>]*+|/[^a-zA-Z>][^>]*+"  # bogus comments
    rb"|(/?)([a-zA-Z][^\t\n\f\r />]*+)((?:[\t\n\f\r /]++|" + _ATTRIBUTE + rb")*+)(?:>|\Z))"
)

ROOTS: Final = frozenset((b"html", b"body"))  # their attributes pile up on one element

# Markup that needs no look: tags with few attributes, except those of html, body and elements with raw text;
# scripts without comments; simple drawings; comments. One match passes all of it up to the next token that
# may matter, in a quarter of the time of a loop over tokens. Each of its tokens ends where TOKEN would end
# it, and neither svg nor math is open afterwards.
_FEW = 64
_NAME_END = rb"[\t\n\f\r />]"
_TIDY = rb"[\t\n\f\r ]++[^\t\n\f\r />=\"'<]++(?:=\"[^\"]*+\"|='[^']*+')?+"  # the usual attribute
_FEW_ATTRIBUTES = rb"(?:(?:%b){0,%d}+[\t\n\f\r ]*+/?+>|(?:[\t\n\f\r /]++|%b){0,%d}+>)" % (
    *(_TIDY, _FEW),
    *(_ATTRIBUTE, _FEW),
)
_WATCHED = sorted(RAW | FOREIGN | ROOTS)
_OTHER_LETTERS = re.sub(b"[%b]" % b"".join(name[:1] for name in _WATCHED), b"", b"abcdefghijklmnopqrstuvwxyz")
_SCRIPT = in_any_case([b"script"])
_SVG = in_any_case([b"svg"])
_SHAPES = in_any_case(
    b"circle clippath defs ellipse g line mask path polygon polyline rect stop symbol use".split()
)
_SHALLOW = 500  # shapes may nest, but not deeper than their number
_PLAIN_TOKENS = (
    rb"/[a-zA-Z][^\t\n\f\r />]*+>",
    # The first letter of most names says that they are not watched.
    rb"(?:[%b%b]|(?!(?:%b)%b)[a-zA-Z]|/[a-zA-Z])[^\t\n\f\r />]*+%b"
    % (_OTHER_LETTERS, _OTHER_LETTERS.upper(), in_any_case(_WATCHED), _NAME_END, _FEW_ATTRIBUTES),
    rb"%b(?=%b)%b[^<]*+(?:<(?!!--|/%b%b)[^<]*+)*+(?=</)"
    % (_SCRIPT, _NAME_END, _FEW_ATTRIBUTES, _SCRIPT, _NAME_END),
    rb"%b(?=%b)%b[^<]*+(?:</?(?:%b)(?=%b)%b[^<]*+){0,%d}+</%b>"
    % (_SVG, _NAME_END, _FEW_ATTRIBUTES, _SHAPES, _NAME_END, _FEW_ATTRIBUTES, _SHALLOW, _SVG),
    _COMMENT,
    rb"(?:!(?!\[CDATA\[|--)|\?|/[^a-zA-Z>])[^>]*+",
    rb"(?=[^!/?a-zA-Z])",
)


@cache
def compile_plain() -> re.Pattern[bytes]:
    """On first use: it takes 5 ms, and a crawl of small documents needs none of it."""
    return re.compile(rb"[^<]*+(?:<(?:%b)[^<]*+)*+" % b"|".join(_PLAIN_TOKENS))


_RAW_ENDS = {name: re.compile(rb"</%b(?=%b)" % (in_any_case([name]), _NAME_END)) for name in RAW}
_SCRIPT_TURN = re.compile(rb"<!--|-->|</?%b(?=%b)" % (_SCRIPT, _NAME_END))


def find_raw_end(html: bytes, name: bytes, start: int) -> int:
    """Find where the raw text of an element ends: at its end tag or at the end of the document."""
    if name == b"script":
        return _find_script_end(html, start)
    end = _RAW_ENDS[name].search(html, start)
    return end.start() if end else len(html)


def _find_script_end(html: bytes, start: int) -> int:
    """Find the end of a script. Its end tag may be hidden in a comment that opens another script."""
    is_escaped = is_double = False
    turn = _SCRIPT_TURN.search(html, start)
    while turn:
        start = turn.end()
        match turn[0][:3].lower():
            case b"<!-":
                is_escaped, start = True, start - 2
            case b"-->":
                is_escaped = is_double = False
            case b"</s" if is_double:
                is_double = False
            case b"</s":
                return turn.start()
            case _:
                is_double = is_escaped
        turn = _SCRIPT_TURN.search(html, start)
    return len(html)
