"""Splits the Markdown of a page into chunks for retrieval: by headings, then between blocks. Pure.

It reads what extract/markdown/ writes: blocks with an empty line between them. A block is cut only if it is
longer than a chunk may be: a list between its items, a table between its rows (its head is repeated), code
between its lines (the fence is repeated), a paragraph between its words.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from tenax.errors import UsageError
from tenax.record import record
from tenax.web.identity import identity_of

TARGET_CHARS: Final = 1_500
MAX_CHARS: Final = 3_000
LEAST_CHARS: Final = 200  # that a chunk may be limited to
MOST_CHARS: Final = 1_000_000
SEPARATOR: Final = " > "
_MAX_PATH: Final = 1_000  # characters of a heading in a path

_HEADING: Final = re.compile(r"(#{1,6}) (.*)")
_FENCE: Final = re.compile(r"[ >\-+0-9.)]*(\x60{3,})[^\x60]*")
_ITEM: Final = re.compile(r"(?:[-+]|[0-9]{1,9}[.)]) ")
_SIGNS: Final = re.compile(r"\\([!-/:-@\[-\x60{-~])|!?\[|\]\([^()\s]*\)|[*\x60~]+")


@record
class ChunkSizes:
    target: int = TARGET_CHARS  # another block begins a new chunk above this
    most: int = MAX_CHARS
    overlap: int = 0  # characters of the chunk before that are repeated, in whole words


@record
class Chunk:
    id: str  # the same as long as page, headings and text are the same
    position: int  # in the page, from 0
    headings: tuple[str, ...]  # the outermost first
    text: str  # Markdown, with the heading that it begins with

    @property
    def path(self) -> str:
        return SEPARATOR.join(self.headings)


def check_sizes(sizes: ChunkSizes) -> None:
    """Raises UsageError."""
    if not LEAST_CHARS <= sizes.most <= MOST_CHARS:
        raise UsageError(f"A chunk may have {LEAST_CHARS} to {MOST_CHARS} characters, not {sizes.most}.")
    if not 1 <= sizes.target <= sizes.most:
        raise UsageError(f"Chunks of {sizes.target} characters do not fit the maximum of {sizes.most}.")
    if not 0 <= sizes.overlap <= sizes.most // 2:
        raise UsageError(
            f"Chunks may overlap by half of their maximum of {sizes.most} characters, not by {sizes.overlap}."
        )


def split_markdown(markdown: str, url: str, sizes: ChunkSizes = ChunkSizes()) -> list[Chunk]:
    """The chunks of a page in order."""
    seen: Counter[str] = Counter()
    page = identity_of(url)
    chunks: list[Chunk] = []
    for headings, texts in _split_sections(markdown, sizes):
        before = ""
        for text in texts:
            name = _hash(page, headings, text)
            seen[name] += 1
            number = f"-{seen[name]}" if seen[name] > 1 else ""
            repeated = _take_end(before, sizes.overlap)
            chunks.append(
                Chunk(
                    id=f"{name}{number}",
                    position=len(chunks),
                    headings=headings,
                    text=f"{repeated}{text}",
                )
            )
            before = text
    return chunks


def _hash(page: str, headings: tuple[str, ...], text: str) -> str:
    digest = hashlib.blake2b(digest_size=10)
    for part in (page, *headings, text):
        digest.update(part.encode("utf-8", "replace") + b"\0")
    return digest.hexdigest()


def _take_end(text: str, chars: int) -> str:
    """The last words of the chunk before, as a paragraph."""
    if not chars or not text:
        return ""
    words = " ".join(text[-chars:].split(" ")[1:] if len(text) > chars else [text]).strip()
    return f"{words}\n\n" if words else ""


def _split_sections(markdown: str, sizes: ChunkSizes) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """The texts of each section with the headings above it. A heading without text stands in the paths of
    those below it, or alone if there are none."""
    path: list[tuple[int, str]] = []
    blocks: list[str] = []
    for block in _iter_blocks(markdown):
        heading = _HEADING.fullmatch(block)
        if heading is None:
            blocks.append(block)
            continue
        level = len(heading[1])
        if blocks and not (_is_heading_alone(blocks) and path and path[-1][0] < level):
            yield _name(path), _pack(blocks, sizes)
        while path and path[-1][0] >= level:
            path.pop()
        path.append((level, _read_heading(heading[2])))
        blocks = [block]
    if blocks:
        yield _name(path), _pack(blocks, sizes)


def _is_heading_alone(blocks: list[str]) -> bool:
    return len(blocks) == 1 and _HEADING.fullmatch(blocks[0]) is not None


def _name(path: list[tuple[int, str]]) -> tuple[str, ...]:
    return tuple(title for _, title in path)


def _read_heading(markdown: str) -> str:
    """The words of a heading, without its signs."""
    text = _SIGNS.sub(lambda found: found[1] or "", markdown)
    return text.replace("&lt;", "<").replace("&amp;", "&").strip()[:_MAX_PATH]


def _iter_blocks(markdown: str) -> Iterator[str]:
    """Paragraphs, headings, tables, quotes, whole lists and whole blocks of code."""
    lines: list[str] = []
    fence, is_list = "", False
    for line in markdown.split("\n"):
        if not fence and lines and not lines[-1] and line and not (is_list and _is_of_list(line)):
            yield "\n".join(lines).rstrip("\n")
            lines = []
        if not line and not lines:
            continue
        if not lines:
            is_list = _ITEM.match(line) is not None
        lines.append(line)
        found = _FENCE.fullmatch(line)
        if found is not None:
            fence = "" if fence == found[1] else fence or found[1]
    if any(lines):
        yield "\n".join(lines).rstrip("\n")


def _is_of_list(line: str) -> bool:
    return line.startswith(" ") or _ITEM.match(line) is not None


def _pack(blocks: list[str], sizes: ChunkSizes) -> list[str]:
    """Put blocks together up to the target, each piece within the maximum."""
    most = sizes.most - (sizes.overlap + 2 if sizes.overlap else 0)
    target = min(sizes.target, most)
    packed: list[str] = []
    held: list[str] = []
    size = 0
    for piece in (piece for block in blocks for piece in _cut(block, most)):
        # A heading stays with what follows it, if both fit.
        limit = most if len(held) == 1 and _HEADING.fullmatch(held[0]) else target
        if held and size + 2 + len(piece) > limit:
            packed.append("\n\n".join(held))
            held, size = [], 0
        size += len(piece) + (2 if held else 0)
        held.append(piece)
    packed.append("\n\n".join(held))
    return packed


def _cut(block: str, most: int) -> list[str]:
    if len(block) <= most:
        return [block]
    lines = block.split("\n")
    if (fence := _FENCE.fullmatch(lines[0])) is not None and lines[0].startswith("`"):
        if len(lines[0]) + len(fence[1]) < most // 2:
            return _cut_lines(lines[1:-1], most, begin=f"{lines[0]}\n", end=f"\n{fence[1]}")
    elif block.startswith("| ") and len(lines) > 2 and len(lines[0]) + len(lines[1]) < most // 2:
        return _cut_lines(lines[2:], most, begin=f"{lines[0]}\n{lines[1]}\n")
    return _cut_lines(lines, most)


def _cut_lines(lines: list[str], most: int, *, begin: str = "", end: str = "") -> list[str]:
    """Cut between lines, and a line that is too long between words."""
    room = most - len(begin) - len(end)
    pieces: list[str] = []
    held: list[str] = []
    size = 0
    for part in (part for line in lines for part in _cut_line(line, room)):
        if held and size + 1 + len(part) > room:
            pieces.append("\n".join(held))
            held, size = [], 0
        size += len(part) + (1 if held else 0)
        held.append(part)
    pieces.append("\n".join(held))
    return [f"{begin}{piece}{end}" for piece in pieces if piece.strip()]


def _cut_line(line: str, room: int) -> Iterator[str]:
    begin = 0
    while len(line) - begin > room:
        end = line.rfind(" ", begin + room // 2, begin + room)
        end = begin + room if end < 0 else end
        yield line[begin:end]
        begin = end + 1 if line[end] == " " else end
    yield line[begin:]
