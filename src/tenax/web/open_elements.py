"""The stack of open elements as an HTML parser would keep it, without the tree.

It follows the standard's rules for what start and end tags close. Where it cannot know, it keeps
an element open, so that it is rarely shallower than the parser's stack.
"""

from collections.abc import Set

LOOK_DOWN = 32  # how many elements an end tag may close at once


def _names(text: bytes) -> frozenset[bytes]:
    return frozenset(text.split())


RAW = _names(b"iframe noembed noframes script style textarea title xmp")
FOREIGN = _names(b"svg math")

_UNTRACKED = _names(
    b"area base basefont bgsound body br col colgroup embed frame frameset head hr html img input keygen "
    b"link meta param source track wbr"
)
_FORMATTING = _names(b"a b big code em font i nobr s small strike strong tt u")
# Inside svg and math names carry a prefix; these are where HTML goes on in them.
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

# A start tag closes the nearest of these names, if no barrier stands above it.
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
# What keeps an end tag from closing an element further up; all special elements, if not here.
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
# HTML elements that end svg or math where they stand.
_BREAKS_OUT = _names(
    b"b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img "
    b"li listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var"
)


class OpenElements:
    def __init__(self) -> None:
        self._stack: list[bytes] = []
        self._modes: list[tuple[int, bytes]] = []  # (depth where it began; svg, math or nothing)
        self._has_form = False

    @property
    def depth(self) -> int:
        return len(self._stack)

    @property
    def is_foreign(self) -> bool:
        """Whether svg or math is read here, not HTML."""
        return bool(self._mode())

    def start(self, name: bytes, attributes: bytes) -> bool:
        """Opens an element; the name in lower case. True when raw text follows."""
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
        """Closes what an end tag closes."""
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
        """svg or math, or nothing for HTML."""
        while self._modes and len(self._stack) < self._modes[-1][0]:
            self._modes.pop()
        return self._modes[-1][1] if self._modes else b""

    def _is_ignored(self, name: bytes) -> bool:
        """Tags that open nothing: parts of tables outside of tables, forms inside of forms."""
        if name == b"form":
            is_inside, self._has_form = self._has_form, True
            return is_inside
        if name == b"select":  # inside another it means its end
            return self._close({name}, _SCOPE)
        return name in _TABLE_PARTS and self._find(_TABLE, frozenset()) < 0

    def _close_before(self, name: bytes) -> None:
        """Closes what a start tag closes."""
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
        """Whether an element of the svg or math that is open was meant, and closed."""
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
        """Takes the form alone off the stack: what is open inside stays open."""
        if self._has_form and self._stack[-1] == b"form":
            self._stack.pop()
        self._has_form = False

    def _end_formatting(self, name: bytes) -> None:
        """Takes a formatting element off the stack; blocks inside it stay open."""
        index = self._find({name}, _SCOPE)
        if index < 0:
            return
        inside = self._stack[index + 1 :]
        if _SPECIAL.isdisjoint(inside):
            # Formatting elements are opened again by what follows.
            inside = [other for other in inside if other in _FORMATTING]
        self._stack[index:] = inside

    def _close(self, names: Set[bytes], barriers: Set[bytes]) -> bool:
        index = self._find(names, barriers)
        if index >= 0:
            del self._stack[index:]
        return index >= 0

    def _find(self, names: Set[bytes], barriers: Set[bytes]) -> int:
        """The nearest open element of these names; -1 when a barrier stands above it."""
        stack = self._stack
        for index in range(len(stack) - 1, max(-1, len(stack) - 1 - LOOK_DOWN), -1):
            if stack[index] in names:
                return index
            if stack[index] in barriers:
                return -1
        return -1
