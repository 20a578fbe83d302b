"""Makes markup safe to parse: a linear look at the bytes before the tree builder sees them.

The HTML standard's tree construction is quadratic in nesting depth and in the attributes of an
element, and worse in open formatting elements; browsers stop at fixed depths, lexbor does not.
Small documents cannot hurt and skip every check. For large ones the scan below follows the
standard's tokenizer and keeps a stack of open elements that is never much shorter than the
parser's: where the two may differ, it keeps an element open.
"""

import re
from collections.abc import Set

from tenax.errors import ContentError

# The worst inputs found take 0.2 s below SMALL_BYTES, 0.7 s and a million nodes at MANY_TAGS, and
# 1 s each for nesting at DEEP_TAGS and for attributes at LARGE_BYTES. MAX_TAGS bounds the memory
# of the tree, to about 150 MB.
SMALL_BYTES = 12_000
MANY_TAGS = 2_500
DEEP_TAGS = 20_000
LARGE_BYTES = 128_000
MAX_TAGS = 250_000
MAX_DEPTH = 1_000
MAX_ATTRIBUTES = 512
MAX_FORMATTING = 2_000_000  # formatting tags times all tags
LONG_TAG_BYTES = 2_048  # shorter tags cannot have enough attributes to matter
LOOK_DOWN = 32  # entries of the stack that an end tag may search


def tame(html: bytes) -> bytes:
    """The document, safe to parse. Raises ContentError when it cannot be made safe."""
    if len(html) <= SMALL_BYTES:
        return html
    tags = html.count(b"<")
    if tags > MAX_TAGS:
        raise ContentError(f"The document has more than {MAX_TAGS:,} tags.")
    if tags > MANY_TAGS:
        html = _tame_formatting(html, tags)
    if tags > DEEP_TAGS or len(html) > LARGE_BYTES:
        _Scan(html, is_deep=tags > DEEP_TAGS).run()
    return html


# --- formatting elements ---------------------------------------------------------------------

_FORMATTING = re.compile(
    rb"<(/?)(?:[bisu]|big|code|em|font|small|strike|strong|tt)(?=[\t\n\f\r />])", re.IGNORECASE
)


def _tame_formatting(html: bytes, tags: int) -> bytes:
    """Turns formatting elements into spans where there are enough to explode.

    A parser reopens unclosed formatting elements in every following block: n of them before m
    paragraphs make n x m nodes. To links and text a span is the same.
    """
    count = len(_FORMATTING.findall(html))
    return _FORMATTING.sub(rb"<\1span", html) if count * tags > MAX_FORMATTING else html


# --- tokens ----------------------------------------------------------------------------------

_ATTRIBUTE = (
    rb"(?:=[^\t\n\f\r />=]*+|[^\t\n\f\r />=]++)"
    rb"(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+(?:\"[^\"]*+\"|'[^']*+'|[^\t\n\f\r >\"'][^\t\n\f\r >]*+)?+)?+"
)
_TOKEN = re.compile(
    rb"<(?:!--(?:-?>|.*?(?:--!?>|\Z))"
    rb"|(!\[CDATA\[)"
    rb"|[!?][^>]*+|/[^a-zA-Z>][^>]*+"  # bogus comments
    rb"|(/?)([a-zA-Z][^\t\n\f\r />]*+)((?:[\t\n\f\r /]++|" + _ATTRIBUTE + rb")*+)(?:>|\Z))",
    re.DOTALL,
)
_ATTRIBUTES = re.compile(_ATTRIBUTE)
_RAW = frozenset((b"iframe", b"noembed", b"noframes", b"script", b"style", b"textarea", b"title", b"xmp"))
_RAW_ENDS = {name: re.compile(rb"</" + name + rb"(?=[\t\n\f\r />])", re.IGNORECASE) for name in _RAW}
_SCRIPT_TURN = re.compile(rb"<!--|-->|<(/?)script(?=[\t\n\f\r />])", re.IGNORECASE)


def _raw_end(html: bytes, name: bytes, start: int) -> int:
    """Where the raw text of an element ends: at its end tag or with the document."""
    if name == b"script":
        return _script_end(html, start)
    end = _RAW_ENDS[name].search(html, start)
    return end.start() if end else len(html)


def _script_end(html: bytes, start: int) -> int:
    """Scripts may hide their end tag in a comment that opens another script."""
    is_escaped = is_double = False
    turn = _SCRIPT_TURN.search(html, start)
    while turn:
        match turn[0][:3].lower():
            case b"<!-":
                is_escaped, start = True, turn.end() - 2
            case b"-->":
                is_escaped, is_double, start = False, False, turn.end()
            case b"</s" if is_double:
                is_double, start = False, turn.end()
            case b"</s":
                return turn.start()
            case _:
                is_double, start = is_escaped, turn.end()
        turn = _SCRIPT_TURN.search(html, start)
    return len(html)


# --- the stack of open elements --------------------------------------------------------------


def _names(text: bytes) -> frozenset[bytes]:
    return frozenset(text.split())


_ROOTS = _names(b"html body")  # their attributes pile up on one element
_UNTRACKED = _ROOTS | _names(
    b"area base basefont bgsound br col embed frame head hr img input keygen link meta param source track wbr"
)
_FORMATTING_NAMES = _names(b"a b big code em font i nobr s small strike strong tt u")
_SCOPE = _names(
    b"applet caption html table td th marquee object select template "
    b"mi mo mn ms mtext annotation-xml foreignobject desc title"
)
_SPECIAL = _SCOPE | _names(
    b"address article aside blockquote body button center colgroup dd details dir div dl dt "
    b"fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup iframe "
    b"li listing main menu nav noembed noframes noscript ol p plaintext pre script search section "
    b"style summary tbody textarea tfoot thead tr ul xmp"
)
_BUTTON_SCOPE = _SCOPE | {b"button"}
_ITEM_SCOPE = _SPECIAL - _names(b"address div p")
_TABLE_SCOPE = _names(b"html table template")
_CELLS = _names(b"td th")
_SECTIONS = _names(b"tbody thead tfoot")
_TABLE_PARTS = _CELLS | _SECTIONS | _names(b"caption colgroup tr")
_TABLE_ELEMENTS = _TABLE_PARTS | {b"table"}
_DEFINITIONS = _names(b"dd dt")

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
_END_BARRIERS = {
    **dict.fromkeys(_SPECIAL, _SCOPE),
    **dict.fromkeys(_TABLE_ELEMENTS, _TABLE_SCOPE),
    b"li": _SCOPE | _names(b"ol ul"),
    b"p": _BUTTON_SCOPE,
    b"template": _names(b"html"),
}
_FOREIGN = _names(b"svg math")
_HTML_AGAIN = _names(b"foreignobject desc title mi mo mn ms mtext annotation-xml")
# HTML elements that end svg or math where they stand.
_BREAKS_OUT = _names(
    b"b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img "
    b"li listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var"
)


class _Scan:
    """One pass over a large document. Raises ContentError when a limit is passed.

    Where depth cannot matter, the stack is kept from svg or math to its end only, to know where
    raw text is raw.
    """

    def __init__(self, html: bytes, *, is_deep: bool) -> None:
        self._html = html
        self._is_deep = is_deep
        self._open: list[bytes] = []
        self._modes: list[tuple[int, bool]] = []  # (depth where it began, is foreign)
        self._root_attributes = 0

    def run(self) -> None:
        html, position = self._html, 0
        while token := _TOKEN.search(html, position):
            position = token.end()
            cdata, slash, name, attributes = token.groups()
            if name is None:
                if cdata:
                    position = self._cdata_end(position)
                continue
            name = name.lower()
            if slash:
                if self._open:
                    self._end(name)
                continue
            if len(attributes) > LONG_TAG_BYTES or name in _ROOTS:
                self._count_attributes(name, attributes)
            if self._is_deep or self._open or name in _FOREIGN:
                is_raw = self._start(name, attributes.endswith(b"/"))
            else:
                is_raw = name in _RAW
            if is_raw:
                position = _raw_end(html, name, position)

    def _cdata_end(self, start: int) -> int:
        """In svg and math CDATA is text; elsewhere it is a comment up to the next bracket."""
        end = self._html.find(b"]]>" if self._is_foreign() else b">", start)
        return end if end >= 0 else len(self._html)

    def _count_attributes(self, name: bytes, attributes: bytes) -> None:
        count = len(_ATTRIBUTES.findall(attributes))
        if name in _ROOTS:
            count = self._root_attributes = self._root_attributes + count
        if count > MAX_ATTRIBUTES:
            raise ContentError(f"An element has more than {MAX_ATTRIBUTES} attributes.")

    def _is_foreign(self) -> bool:
        while self._modes and len(self._open) < self._modes[-1][0]:
            self._modes.pop()
        return bool(self._modes) and self._modes[-1][1]

    def _start(self, name: bytes, is_self_closing: bool) -> bool:
        """Opens an element. True when raw text follows."""
        if self._modes and self._is_foreign():
            if name not in _BREAKS_OUT:
                self._start_foreign(name, is_self_closing)
                return False
            del self._open[self._modes.pop()[0] - 1 :]
        if name in _RAW:
            return True
        self._start_html(name)
        return False

    def _start_html(self, name: bytes) -> None:
        if name in _TABLE_PARTS and self._find(_TABLE_ELEMENTS, frozenset()) < 0:
            return  # outside of tables their parts are ignored
        if name in _CLOSES:
            self._close(*_CLOSES[name])
        elif name == b"a":
            self._end_formatting(name)
        elif name == b"option" and self._open and self._open[-1] == name:
            self._open.pop()
        if name in _UNTRACKED:
            return
        self._push(name)
        if name in _FOREIGN:
            self._modes.append((len(self._open), True))

    def _start_foreign(self, name: bytes, is_self_closing: bool) -> None:
        if is_self_closing:
            return
        self._push(name)
        if name in _HTML_AGAIN:
            self._modes.append((len(self._open), False))

    def _push(self, name: bytes) -> None:
        self._open.append(name)
        if len(self._open) > MAX_DEPTH:
            raise ContentError(f"The document nests more than {MAX_DEPTH:,} elements.")

    def _end(self, name: bytes) -> None:
        if self._open[-1] == name:
            self._open.pop()
        elif name in _FORMATTING_NAMES:
            self._end_formatting(name)
        elif name != b"form":  # its end tag takes the form alone off the stack
            self._close({name}, _END_BARRIERS.get(name, _SPECIAL))

    def _end_formatting(self, name: bytes) -> None:
        """Takes a formatting element off the stack; blocks inside it stay open."""
        index = self._find({name}, _SCOPE)
        if index < 0:
            return
        if _SPECIAL.isdisjoint(self._open[index + 1 :]):
            del self._open[index:]
        else:
            del self._open[index]

    def _close(self, names: Set[bytes], barriers: Set[bytes]) -> None:
        index = self._find(names, barriers)
        if index >= 0:
            del self._open[index:]

    def _find(self, names: Set[bytes], barriers: Set[bytes]) -> int:
        """The nearest open element of these names; -1 when a barrier stands above it."""
        stack = self._open
        for index in range(len(stack) - 1, max(-1, len(stack) - 1 - LOOK_DOWN), -1):
            if stack[index] in names:
                return index
            if stack[index] in barriers:
                return -1
        return -1
