"""Makes markup safe to parse: a linear scan of the bytes before the tree is built.

The HTML standard's tree construction is quadratic in nesting depth and in the attributes of an element, and
worse in open formatting elements. Browsers stop at fixed depths, lexbor does not. Small documents are
harmless and skip every check. Large ones are scanned like the standard's tokenizer does.
"""

import re

from tenax.errors import ContentError, DocumentTooLarge
from tenax.web.open_elements import FOREIGN, RAW, OpenElements
from tenax.web.tokens import ATTRIBUTES, ROOTS, TOKEN, compile_plain, find_raw_end, in_any_case

# The worst inputs found take 0.2 s below SMALL_BYTES, 0.7 s and a million nodes at MANY_TAGS, and
# 1 s each for nesting at DEEP_TAGS and for attributes at LARGE_BYTES.
SMALL_BYTES = 12_000
MANY_TAGS = 2_500
DEEP_TAGS = 20_000
LARGE_BYTES = 128_000
MAX_TAGS = 250_000  # parsed in the worker itself, which blocks its other visits
MAX_DEPTH = 1_000
MAX_ATTRIBUTES = 512
MAX_FORMATTING = 2_000_000  # formatting tags times all tags
LONG_TAG_BYTES = 2_048  # shorter tags cannot have enough attributes to matter

# Measured memory use of parsing: a tag with the text after it, an attribute, and copies of the text. An
# astral character makes every character of a text take four bytes. Documents up to LARGE_BYTES stay below
# SMALL_MEMORY_BYTES whatever they contain.
_TAG_BYTES = 340
_ATTRIBUTE_BYTES = 270
_COPIES, _WIDE_COPIES, _ASTRAL_COPIES = 4, 6, 10
_NUL_BYTES = 14  # in addition to its copies: the parser replaces it by three bytes and enlarges its buffers
_ATTRIBUTE_LENGTH = 2  # at least: a name of one letter, and what separates it from the next
_WORST_BYTES = _ASTRAL_COPIES + _NUL_BYTES + _ATTRIBUTE_BYTES // _ATTRIBUTE_LENGTH  # per byte, without tags
SMALL_MEMORY_BYTES = 16_000_000
MEMORY_BYTES = 700_000_000


def make_safe(html: bytes, memory_bytes: int | None = MEMORY_BYTES) -> bytes:
    """Make a document safe to parse. Raises ContentError if that is impossible, and DocumentTooLarge if it
    has too many tags for a worker or parsing would take more than `memory_bytes`; None: no such limit."""
    if len(html) <= SMALL_BYTES:
        return html
    tags = _count_tags(html)
    if len(html) > LARGE_BYTES and memory_bytes is not None:
        _check_size(html, tags, memory_bytes)
    if tags > MANY_TAGS:
        html = _replace_formatting(html, tags)
    if tags > DEEP_TAGS or len(html) > LARGE_BYTES:
        _Scan(html, is_deep=tags > DEEP_TAGS).run()
    return html


def _count_tags(html: bytes) -> int:
    # `count` reads every byte; `replace` jumps from match to match: 17 instead of 38 µs for 90 kB.
    return len(html) - len(html.replace(b"<", b""))


def _check_size(html: bytes, tags: int, memory_bytes: int) -> None:
    if tags > MAX_TAGS:
        raise DocumentTooLarge(f"The document has more than {MAX_TAGS:,} tags.")
    # Most documents fit whatever their bytes are. Looking at these takes 40 µs for 100 kB.
    if tags * _TAG_BYTES + len(html) * _WORST_BYTES <= memory_bytes:
        return
    needed = _estimate_tree(html, tags)
    # Every attribute follows one of these bytes. Counting attributes exactly takes longer.
    separators = len(html) - len(html.translate(None, _BEFORE_ATTRIBUTES))
    if needed + separators * _ATTRIBUTE_BYTES <= memory_bytes:
        return
    if needed <= memory_bytes:
        needed += _count_attributes(html) * _ATTRIBUTE_BYTES
    if needed > memory_bytes:
        raise DocumentTooLarge(
            f"Parsing the document would take {needed // 1_000_000:,} MB of memory,"
            f" but a worker has only {memory_bytes // 1_000_000:,} MB for it."
        )


def fits(html: bytes, memory_bytes: int) -> bool:
    """Whether parsing a document takes no more memory than that, whatever it contains."""
    if len(html) <= LARGE_BYTES:
        return memory_bytes >= SMALL_MEMORY_BYTES
    try:
        _check_size(html, _count_tags(html), memory_bytes)
    except DocumentTooLarge:
        return False
    return True


def estimate_memory(html: bytes) -> int:
    """Estimate the maximum memory for parsing a document; often it takes half of that."""
    return _estimate_tree(html, _count_tags(html)) + _count_attributes(html) * _ATTRIBUTE_BYTES


def _estimate_tree(html: bytes, tags: int) -> int:
    """Without attributes."""
    is_astral = b"\xf0" in html or b"&#" in html
    copies = _ASTRAL_COPIES if is_astral else _COPIES if html.isascii() else _WIDE_COPIES
    return copies * len(html) + tags * _TAG_BYTES + html.count(b"\0") * _NUL_BYTES


def _count_attributes(html: bytes) -> int:
    return sum(len(ATTRIBUTES.findall(token[4] or b"")) for token in TOKEN.finditer(html))


_BEFORE_ATTRIBUTES = b" \n\t\r\f/\"'"
_FORMATTING_NAMES = b"b big code em font i nobr s small strike strong tt u".split()
# The first letter is checked first: most tags are others.
_FORMATTING = re.compile(
    rb"<(?=/?[%b])(/?)(?:%b)(?=[\t\n\f\r />])" % (b"bcefinstuBCEFINSTU", in_any_case(_FORMATTING_NAMES))
)


def _replace_formatting(html: bytes, tags: int) -> bytes:
    """Replace formatting elements if there are so many that the tree would explode.

    A parser reopens unclosed formatting elements in every following block: n of them before m paragraphs make
    n x m nodes. A wbr has no content, so it changes neither links nor text.
    """
    count = len(_FORMATTING.findall(html))
    return _FORMATTING.sub(rb"<\1wbr", html) if count * tags > MAX_FORMATTING else html


class _Scan:
    """One pass over a large document. Raises ContentError if a limit is exceeded.

    If depth cannot matter, open elements are tracked only inside svg and math, to know where raw text is raw.
    """

    def __init__(self, html: bytes, *, is_deep: bool) -> None:
        self._html = html
        self._match_plain = compile_plain().match
        self._is_deep = is_deep
        self._open = OpenElements()
        self._root_attributes = 0

    def run(self) -> None:
        open_elements, position = self._open, 0
        while token := self._next_token(position):
            position = token.end()
            cdata, slash, name, attributes = token.groups()
            if name is None:
                if cdata:
                    position = self._cdata_end(position)
                continue
            name = name.lower()
            if slash:
                open_elements.end(name)
                continue
            if len(attributes) > LONG_TAG_BYTES or name in ROOTS:
                self._count_attributes(name, attributes)
            if self._is_deep or open_elements.depth or name in FOREIGN:
                is_raw = open_elements.start(name, attributes)
                if open_elements.depth > MAX_DEPTH:
                    raise ContentError(f"The document nests more than {MAX_DEPTH:,} elements.")
            else:
                is_raw = name in RAW
            if is_raw:
                position = find_raw_end(self._html, name, position)

    def _next_token(self, position: int) -> re.Match[bytes] | None:
        """Find the next token that may matter."""
        if not self._is_deep and not self._open.depth and (plain := self._match_plain(self._html, position)):
            position = plain.end()
        return TOKEN.search(self._html, position)

    def _count_attributes(self, name: bytes, attributes: bytes) -> None:
        count = len(ATTRIBUTES.findall(attributes))
        if name in ROOTS:
            count = self._root_attributes = self._root_attributes + count
        if count > MAX_ATTRIBUTES:
            raise ContentError(f"An element has more than {MAX_ATTRIBUTES} attributes.")

    def _cdata_end(self, start: int) -> int:
        """Find the end of CDATA: text in svg and math, elsewhere a comment up to the next bracket."""
        end = self._html.find(b"]]>" if self._open.is_foreign else b">", start)
        return end if end >= 0 else len(self._html)
