"""The stack of open elements of an HTML parser, without the tree.

It follows the standard's rules for what start and end tags close. In case of doubt it keeps an element open,
so that it is rarely shallower than the parser's stack.
"""

from collections.abc import Set

LOOK_DOWN = 32  # maximum number of elements that an end tag may close


def _names(text: bytes) -> frozenset[bytes]:
    return frozenset(text.split())


RAW = _names(b"iframe noembed noframes script style textarea title xmp")
FOREIGN = _names(b"svg math")

_UNTRACKED = _names(
    b"area base basefont bgsound body br col colgroup embed frame frameset head hr html img input keygen "
    b"link meta param source track wbr"
)
_FORMATTING = _names(b"a b big code em font i nobr s small strike strong tt u")
# Inside svg and math names have a prefix; inside these elements HTML continues.
_HTML_AGAIN = frozenset(b"svg " + name for name in _names(b"desc foreignobject title")) | frozenset(
    b"math " + name for name in _names(b"annotation-xml mi mn mo ms mtext")
)
_SCOPE = _HTML_AGAIN | _names(b"applet caption html marquee object select table td template th")
_SPECIAL = _SCOPE | _names(
    b"address article aside blockquote button center dd details dir div dl dt fieldset "
    b"figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup li listing main menu nav "
    b"noscript ol p plaintext pre search section summary tbody tfoot thead tr ul"
)
_BUTTON_SCOPE = _SCOPE | _names(b"button")
_ITEM_SCOPE = _SPECIAL - _names(b"address div p")
_TABLE_SCOPE = _names(b"table template")
_CELLS = _names(b"td th")
_SECTIONS = _names(b"tbody tfoot thead")
_TABLE_PARTS = _CELLS | _SECTIONS | _names(b"caption tr")
_TABLE = _TABLE_PARTS | _names(b"table")
_DEFINITIONS = _names(b"dd dt")
_HEADINGS = _names(b"h1 h2 h3 h4 h5 h6")
_OPTIONS = _names(b"optgroup option")

# A start tag closes the nearest element of these names, unless there is a barrier above it.
_CLOSES = {
    b"li": (_names(b"li"), _ITEM_SCOPE - _names(b"li")),
    **dict.fromkeys(_DEFINITIONS, (_DEFINITIONS, _ITEM_SCOPE - _DEFINITIONS)),
    **dict.fromkeys(_CELLS, (_CELLS, _TABLE_SCOPE)),
    **dict.fromkeys(_SECTIONS, (_SECTIONS, _TABLE_SCOPE)),
    b"tr": (_names(b"tr"), _TABLE_SCOPE),
    **dict.fromkeys(
        _names(
            b"address article aside blockquote center details dialog dir div dl fieldset "
            b"figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr main menu nav ol p "
            b"pre search section summary ul"
        ),
        (_names(b"p"), _BUTTON_SCOPE),
    ),
}
# What prevents an end tag from closing an element further up; by default all special elements.
_END_BARRIERS = {
    **dict.fromkeys(
        _names(
            b"address applet article aside blockquote button center dd details dialog dir div dl "
            b"dt fieldset figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup listing main "
            b"marquee menu nav object ol pre search section select summary template ul"
        ),
        _SCOPE,
    ),
    **dict.fromkeys(_TABLE, _TABLE_SCOPE),
    b"li": _SCOPE | _names(b"ol ul"),
    b"p": _BUTTON_SCOPE,
}
# HTML elements that end svg or math where they occur.
_BREAKS_OUT = _names(
    b"b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img "
    b"li listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var"
)


class OpenElements:
    def __init__(self) -> None:
        self._stack: list[bytes] = []
        self._modes: list[tuple[int, bytes]] = []  # (depth where it started; svg, math or nothing)
        self._has_form = False

    @property
    def depth(self) -> int:
        return len(self._stack)

    @property
    def is_foreign(self) -> bool:
        """Whether this is inside svg or math, not HTML."""
        return bool(self._mode())

    def start(self, name: bytes, attributes: bytes) -> bool:
        """Open an element; its name is in lower case. True if raw text follows."""
        mode = self._mode() if self._modes else b""
        if mode and name not in _BREAKS_OUT:
            if not attributes.endswith(b"/"):
                self._push_foreign(mode + b" " + name, attributes)
            return False
        if mode:
            del self._stack[self._modes.pop()[0] - 1 :]
        if name in RAW:
            return True
        if self._is_ignored(name):
            return False
        self._close_before(name)
        if name in FOREIGN:
            self._stack.append(name + b" " + name)
            self._modes.append((len(self._stack), name))
        elif name not in _UNTRACKED:
            self._stack.append(name)
        return False

    def end(self, name: bytes) -> None:
        """Close what an end tag closes."""
        if not self._stack:
            return
        if b" " in self._stack[-1] and self._end_foreign(name):
            return
        if name == b"form":
            self._end_form()
        elif self._stack[-1] == name:
            self._stack.pop()
        elif name in _FORMATTING:
            self._end_formatting(name)
        else:
            self._close({name}, _END_BARRIERS.get(name, _SPECIAL))

    def _mode(self) -> bytes:
        """svg, math, or empty for HTML."""
        while self._modes and len(self._stack) < self._modes[-1][0]:
            self._modes.pop()
        return self._modes[-1][1] if self._modes else b""

    def _is_ignored(self, name: bytes) -> bool:
        """Whether a tag opens nothing: parts of tables outside tables, forms inside forms."""
        if name == b"form":
            is_inside, self._has_form = self._has_form, True
            return is_inside
        if name == b"select":  # inside another select it ends that one
            return self._close({name}, _SCOPE)
        return name in _TABLE_PARTS and self._find(_TABLE, frozenset()) < 0

    def _close_before(self, name: bytes) -> None:
        """Close what a start tag closes."""
        if name in _CLOSES:
            self._close(*_CLOSES[name])
        elif name == b"a":
            self._end_formatting(name)
        top = self._stack[-1] if self._stack else b""
        if (name in _HEADINGS and top in _HEADINGS) or (name in _OPTIONS and top == b"option"):
            self._stack.pop()

    def _push_foreign(self, name: bytes, attributes: bytes) -> None:
        is_svg_again = name == b"math svg" and self._stack[-1] == b"math annotation-xml"
        self._stack.append(b"svg svg" if is_svg_again else name)
        if is_svg_again:
            self._modes.append((len(self._stack), b"svg"))
        elif name in _HTML_AGAIN and (attributes or name != b"math annotation-xml"):
            self._modes.append((len(self._stack), b""))

    def _end_foreign(self, name: bytes) -> bool:
        """Close an element of the open svg or math; returns whether the end tag was for one."""
        depth, mode = self._modes[-1 if self._mode() else -2]
        if name in (b"br", b"p"):  # they end svg and math
            del self._stack[depth - 1 :]
            return True
        name = mode + b" " + name
        if name not in self._stack[depth - 1 :]:
            return False
        while self._stack.pop() != name:
            pass
        return True

    def _end_form(self) -> None:
        """Remove only the form from the stack: elements inside it stay open."""
        if self._has_form and self._stack[-1] == b"form":
            self._stack.pop()
        self._has_form = False

    def _end_formatting(self, name: bytes) -> None:
        """Remove a formatting element from the stack; blocks inside it stay open."""
        index = self._find({name}, _SCOPE)
        if index < 0:
            return
        inside = self._stack[index + 1 :]
        if _SPECIAL.isdisjoint(inside):
            # What follows opens formatting elements again.
            inside = [other for other in inside if other in _FORMATTING]
        self._stack[index:] = inside

    def _close(self, names: Set[bytes], barriers: Set[bytes]) -> bool:
        index = self._find(names, barriers)
        if index >= 0:
            del self._stack[index:]
        return index >= 0

    def _find(self, names: Set[bytes], barriers: Set[bytes]) -> int:
        """Find the nearest open element of these names; -1 if there is a barrier above it."""
        stack = self._stack
        for index in range(len(stack) - 1, max(-1, len(stack) - 1 - LOOK_DOWN), -1):
            if stack[index] in names:
                return index
            if stack[index] in barriers:
                return -1
        return -1
