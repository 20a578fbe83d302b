"""Collects what is in a block: text, emphasis, links, code spans and images."""

from typing import Final

from selectolax.lexbor import LexborNode

from tenax.extract.markdown import inline
from tenax.extract.markdown.inline import is_special
from tenax.web.hrefs import PageHrefs
from tenax.web.white_space import collapse

# Characters of addresses and alternative texts in the Markdown of a page: resolving short references could
# make it a hundred times as large as the page. Those that follow are left out; their text stays.
_REFERENCE_BUDGET: Final = 2_000_000
_MAX_ALT: Final = 300
_SCRIPT_PIECES: Final = 3  # of a superscript that becomes characters
_DOTS: Final = ("0", "1")  # the width or height of what only counts visitors


class Phrasing:
    """The block that is being read. Emphasis and links that are open when it ends go on in the next one."""

    def __init__(self, hrefs: PageHrefs) -> None:
        self.code_depth = 0
        self._hrefs = hrefs
        self.pieces: list[str] = []
        self._opened: list[str] = []  # marks of emphasis that are open, or the address of a link
        self._has_marks = False
        self._link = ""  # the address of the link that is open
        self._link_start = 0
        self.code: list[str] = []  # the text of a code span
        self._budget = _REFERENCE_BUDGET

    def add_text(self, text: str) -> None:
        if self.code_depth:
            self.code.append(text)
            return
        if self.code:
            self.end_code()
        elif not self.pieces and text.isspace():
            return
        if is_special(text) is not None:
            text = inline.escape(text, is_link=bool(self._link))
        self.pieces.append(text)

    def add_line(self) -> bool:
        """Begin another line. False: the line is empty, so a paragraph ends here."""
        if self.code:
            self.end_code()
        if not self.pieces:
            return True
        if self.pieces[-1] == inline.LINE:
            return False
        self.pieces.append(inline.LINE)
        return True

    def end_code(self) -> None:
        """Write the code span that was collected, if there is one."""
        if not self.code:
            return
        code, self.code = "".join(self.code), []
        # A line that begins with `[…]:` names an address, even if that is in a code span.
        is_named = self._link and "]:" in code
        span = inline.escape(code, is_link=True) if is_named else inline.format_code(code)
        if not span:
            self.pieces.append(" ")
            return
        if code[0].isspace() or self._ends_in_tick():
            self.pieces.append(" ")
        self.pieces.append(span)
        if code[-1].isspace():
            self.pieces.append(" ")

    def _ends_in_tick(self) -> bool:
        last = next((piece for piece in reversed(self.pieces) if piece and piece not in inline.MARKS), "")
        return last.endswith("`")

    def take(self) -> str:
        """The block, with `inline.LINE` between its lines; empty if there is nothing in it."""
        if self.code:
            self.end_code()
        if not self.pieces:
            return ""
        opened = self.close_all()
        text = " ".join("".join(self.pieces).split())
        if text and self._has_marks:
            text = inline.resolve_marks(text)
        self.pieces, self._has_marks = [], False
        self.reopen(opened)
        return text

    def close_all(self) -> list[str]:
        opened = list(self._opened)
        for mark in reversed(opened):
            self._end(mark)
        return opened

    def reopen(self, opened: list[str]) -> None:
        for mark in opened:
            self._begin(mark)

    def open_mark(self, mark: str) -> bool:
        """Begin emphasis, unless there is the same already."""
        if self.code_depth or mark in self._opened:
            return False
        self.end_code()
        self._begin(mark)
        return True

    def close_mark(self) -> None:
        self.end_code()
        if self._opened:
            self._end(self._opened[-1])

    def open_link(self, href: str | None) -> bool:
        """Begin a link, unless it leads nowhere, stays on the page or is in another one."""
        if self._link or not href or href.startswith("#") or not (url := self._resolve(href)):
            return False
        self.end_code()
        self._begin(url)
        return True

    def add_image(self, node: LexborNode) -> None:
        attributes = node.attributes
        if self.code_depth or attributes.get("width") in _DOTS or attributes.get("height") in _DOTS:
            return
        url = next(filter(None, map(self._resolve, filter(None, _list_sources(attributes)))), "")
        alt = collapse(attributes.get("alt") or "", _MAX_ALT)
        if not url or len(url) + len(alt) > self._budget:
            return
        self.end_code()
        self._budget -= len(url) + len(alt)
        self._escape_exclamation(len(self.pieces) - 1)
        self.pieces.append(f"![{inline.escape(alt, is_link=True)}]({inline.format_address(url)})")

    def begin_script(self) -> tuple[list[str], int] | None:
        """A superscript or a subscript begins; None: in code, which has none."""
        return None if self.code_depth or self.code else (self.pieces, len(self.pieces))

    def end_script(self, began: tuple[list[str], int], *, is_raised: bool) -> None:
        pieces, start = began
        if pieces is self.pieces and start < len(pieces) <= start + _SCRIPT_PIECES:
            text = "".join(pieces[start:])
            pieces[start:] = [inline.raise_text(text) if is_raised else inline.lower_text(text)]

    def _begin(self, mark: str) -> None:
        self._opened.append(mark)
        if mark in inline.ENDS:
            self.pieces.append(mark)
            self._has_marks = True
        else:
            self._link, self._link_start = mark, len(self.pieces)

    def _end(self, mark: str) -> None:
        """Close what was opened last."""
        self._opened.pop()
        if mark in inline.ENDS:
            self.pieces.append(inline.ENDS[mark])
        else:
            self._end_link(mark)

    def _end_link(self, url: str) -> None:
        start, self._link = self._link_start, ""
        text = "".join(self.pieces[start:])
        label = text.strip()
        if not label.strip(inline.UNSEEN) or len(url) > self._budget:
            return
        self._budget -= len(url)
        before, after = " " * text[:1].isspace(), " " * text[-1:].isspace()
        self.pieces[start:] = [before, f"[{label}]({inline.format_address(url)})", after]
        if not before:
            self._escape_exclamation(start - 1)

    def _escape_exclamation(self, place: int) -> None:
        """An exclamation mark before a link would make it an image."""
        while place >= 0 and (not self.pieces[place] or self.pieces[place] in inline.MARKS):
            place -= 1
        if place >= 0 and self.pieces[place].endswith("!"):
            self.pieces[place] = f"{self.pieces[place][:-1]}\\!"

    def _resolve(self, href: str) -> str:
        hrefs = self._hrefs
        return (hrefs.rooted.get(href) or hrefs.relative.get(href) or hrefs.find(href))[0]


def _list_sources(attributes: dict[str, str | None]) -> list[str]:
    """List what may be the address of an image. If there is a lazy source, `src` is a placeholder."""
    srcset = attributes.get("data-srcset") or attributes.get("srcset") or ""
    first = srcset.split(maxsplit=1)[0].rstrip(",") if srcset.strip() else ""
    return [attributes.get("data-src") or "", attributes.get("src") or "", first]
