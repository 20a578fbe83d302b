"""Writes blocks of Markdown, each line after the marks of the quotes and list items that it is in."""

from dataclasses import dataclass
from typing import Final

MAX_NESTED: Final = 8  # parsers ignore what is nested deeper than twenty levels; a list is two
_MAX_NUMBER: Final = 999_999_999  # of CommonMark
_BULLETS: Final = "-+"
_DELIMITERS: Final = ".)"
_FIRSTS: Final = ("- ", "+ ", "1. ", "1) ")  # may follow a paragraph without an empty line


@dataclass(slots=True, eq=False)
class Listing:
    """A list. `number`: of its next item; None: it has bullets."""

    number: int | None
    sign: str = ""
    has_items: bool = False  # that were written
    is_loose: bool = False

    def number_item(self) -> str:
        if self.number is None:
            return f"{self.sign} "
        number, self.number = self.number, min(self.number + 1, _MAX_NUMBER)
        return f"{number}{self.sign} "


@dataclass(slots=True)
class _Nest:
    """A quote, or an item of a list."""

    first: str  # before its first line
    rest: str  # before all others
    listing: Listing | None = None
    ends_in_text: bool = False  # its last block is a paragraph


class Blocks:
    def __init__(self) -> None:
        self._lines: list[str] = []
        self._nests: list[_Nest] = []
        self._prefix = ""
        self._used = 0  # how many of the outermost have something in them
        self._around: Listing | None = None  # the list with the item that ended right before
        self._ended: tuple[int, Listing] | None = None  # the list right before, and how deep it was

    @property
    def is_full(self) -> bool:
        """Whether nothing more may be nested."""
        return len(self._nests) >= MAX_NESTED

    def open_quote(self) -> None:
        self._open(_Nest(first="> ", rest="> "))

    def begin_list(self, start: int | None) -> Listing:
        """Two lists in a row with the same signs would be one."""
        listing = Listing(number=None if start is None else max(0, min(start, _MAX_NUMBER)))
        signs = _BULLETS if start is None else _DELIMITERS
        before = self.find_list_before()
        listing.sign = signs[1] if before is not None and before.sign == signs[0] else signs[0]
        return listing

    def find_list_before(self) -> Listing | None:
        if self._ended is None or self._ended[0] != len(self._nests):
            return None
        return self._ended[1]

    def end_list(self, listing: Listing) -> None:
        if listing.has_items:
            self._ended = (len(self._nests), listing)

    def open_item(self, listing: Listing, task: str = "") -> None:
        sign = listing.number_item()
        self._open(_Nest(first=sign + task, rest=" " * len(sign), listing=listing))

    def mark_task(self, mark: str) -> None:
        """Make the item that has just begun a task."""
        if self._nests and (nest := self._nests[-1]).listing is not None and self._used < len(self._nests):
            nest.first += mark

    def close(self) -> None:
        """Close the innermost quote or item."""
        nest = self._nests.pop()
        if self._used > len(self._nests):
            self._used = len(self._nests)
            self._around = nest.listing
        self._prefix = "".join(nest.rest for nest in self._nests)

    def write(self, lines: list[str], *, is_text: bool = False) -> None:
        if self._lines and not self._is_tight():
            self._lines.append("".join([nest.rest for nest in self._nests[: self._used]]).rstrip())
        if len(self._nests) > self._used:
            self._begin_nests(lines)
        else:
            self._lines.append(self._prefix + lines[0])
        if len(lines) > 1:
            self._lines += [self._prefix + line if line else self._prefix.rstrip() for line in lines[1:]]
        if self._nests:
            self._nests[-1].ends_in_text = is_text
        self._ended = self._around = None

    def _begin_nests(self, lines: list[str]) -> None:
        used, self._used = self._used, len(self._nests)
        prefixes = [nest.rest for nest in self._nests[:used]] + [nest.first for nest in self._nests[used:]]
        self._lines.append("".join(prefixes) + lines[0])
        for nest in self._nests[:used]:
            nest.ends_in_text = False
        for nest in self._nests[used:]:
            if nest.listing is not None:
                nest.listing.has_items = True

    def format(self) -> str:
        return "\n".join(self._lines) + "\n" if self._lines else ""

    def _open(self, nest: _Nest) -> None:
        self._nests.append(nest)
        self._prefix += nest.rest

    def _is_tight(self) -> bool:
        """Whether there is no empty line before the next block."""
        used = self._used
        if used == len(self._nests):
            if used and (listing := self._nests[-1].listing) is not None:
                listing.is_loose = True
            return False
        if (listing := self._nests[used].listing) is None:
            return False
        if listing.has_items:
            return not listing.is_loose and self._around is listing
        return used > 0 and self._nests[used - 1].ends_in_text and self._nests[used].first.startswith(_FIRSTS)
