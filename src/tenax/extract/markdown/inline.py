"""Text, emphasis, code and addresses inside a block of Markdown.

While a block is collected, emphasis and line breaks are control characters, which are removed from the text
of the page: whether `**` means emphasis depends on what stands before and after it.
"""

import re
import string
import unicodedata
from typing import Final

STRONG, STRONG_END = "\x01", "\x02"
EM, EM_END = "\x03", "\x04"
STRUCK, STRUCK_END = "\x05", "\x06"
LINE: Final = "\x07"
UNSEEN: Final = "\x01\x02\x03\x04\x05\x06\x07 "  # marks and spaces
ENDS: Final = {STRONG: STRONG_END, EM: EM_END, STRUCK: STRUCK_END}
MARKS: Final = frozenset("\x01\x02\x03\x04\x05\x06")

_SIGNS: Final = {
    STRONG: "**", STRONG_END: "**", EM: "*", EM_END: "*", STRUCK: "~~", STRUCK_END: "~~"
}  # fmt: skip
_END_MARKS: Final = frozenset(ENDS.values())  # nothing may begin right after an end
_SPACES: Final = frozenset(" \x07")
_PUNCTUATION: Final = frozenset(string.punctuation)

# What may have a meaning in Markdown wherever it stands in a line. `_` has none inside words; `<` and `&`
# have one only before certain characters, which may also be in the next text.
is_special: Final = re.compile(r"[\\`*_\[\]<&~\x00-\x08\x0e-\x1b\x7f]").search
_ESCAPED: Final = re.compile(
    r"[`*\[~]|\\(?![^\W_])|(?<![^\W_])_|_(?![^\W_])|\]|<(?![\s\d=])|&(?=#?\w*(?:;|\Z))"
)
_LINE_START: Final = re.compile(
    r"(#{1,6})(?=\s|\Z)|([>|]|:(?=\s*-)|(?:[-+](?=[\s:|+-]|\Z))|=(?=[=\s]*\Z))|(\d{1,9})([.)])(?=\s|\Z)"
)
_HEADING_END: Final = re.compile(r"(#+)\Z")
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f]")
_RUNS_OF_TICKS: Final = re.compile("`+")
_MARKS: Final = re.compile("[\x01-\x06]")
_TOO_WIDE: Final = re.compile("([\x01\x03\x05]+)([ \x07]+)|([ \x07]+)([\x02\x04\x06]+)")
_EMPTY: Final = re.compile("\x01([ \x07]*)\x02|\x03([ \x07]*)\x04|\x05([ \x07]*)\x06")
_AGAIN: Final = re.compile("\x02\x01|\x04\x03|\x06\x05")
_IN_ADDRESS: Final = re.compile(r"[\\<>]|&(?=#?\w+;)")
_SUPER: Final = str.maketrans("0123456789+-()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿ")
_SUB: Final = str.maketrans("0123456789+-()", "₀₁₂₃₄₅₆₇₈₉₊₋₍₎")
_is_super: Final = re.compile(r"[+-]?\(?[0-9n]{1,20}\)?").fullmatch
_is_sub: Final = re.compile(r"[+-]?\(?[0-9]{1,20}\)?").fullmatch


def escape(text: str, *, is_link: bool = False) -> str:
    """Escape what could become Markdown or HTML anywhere in a line."""
    if is_special(text) is None:
        return text
    text = drop_controls(text)
    return _ESCAPED.sub(_escape_in_link if is_link else _escape_one, text)


def _escape_one(found: re.Match[str]) -> str:
    char = found[0]
    return "]" if char == "]" else _escape_in_link(found)


def _escape_in_link(found: re.Match[str]) -> str:
    char = found[0]
    if char == "<":
        return "&lt;"
    if char == "&":
        return "&amp;"
    return f"\\{char}"


def escape_start(line: str) -> str:
    """Escape what would make a line the beginning of another block."""
    found = _LINE_START.match(line)
    if found is None:
        return line
    digits = found[3]
    return f"{digits}\\{line[len(digits) :]}" if digits else f"\\{line}"


def escape_heading(line: str) -> str:
    """Numbers signs at the end of a heading would be dropped."""
    return _HEADING_END.sub(r"\\\1", line) if line.endswith("#") else line


def drop_controls(text: str) -> str:
    return _CONTROLS.sub("", text)


def format_code(text: str) -> str:
    """A code span whose backticks are more than any in a row inside."""
    text = " ".join(drop_controls(text).split())
    if not text:
        return ""
    if "`" not in text:
        return "`" + text + "`"
    ticks = "`" * _count_ticks(text)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def _count_ticks(text: str) -> int:
    """The fewest backticks that do not occur in a row."""
    lengths = {len(run) for run in _RUNS_OF_TICKS.findall(text)}
    count = 1
    while count in lengths:
        count += 1
    return count


def format_fence(code: str) -> str:
    longest = max((len(run) for run in _RUNS_OF_TICKS.findall(code)), default=0)
    return "`" * max(3, longest + 1)


def format_address(url: str) -> str:
    """An absolute address as the target of a link."""
    if _IN_ADDRESS.search(url) is not None:
        url = _IN_ADDRESS.sub(_escape_in_address, url)
    if "(" in url or ")" in url:
        url = url.replace("(", "\\(").replace(")", "\\)")
    return url


def _escape_in_address(found: re.Match[str]) -> str:
    char = found[0]
    return {"<": "%3C", ">": "%3E", "&": "&amp;"}.get(char, "\\\\")


def raise_text(text: str) -> str:
    """Superscript, as far as there are characters for it."""
    return text.translate(_SUPER) if _is_super(text) else text


def lower_text(text: str) -> str:
    return text.translate(_SUB) if _is_sub(text) else text


def resolve_marks(text: str) -> str:
    """Replace marks with the signs of emphasis where CommonMark reads them as such; others are dropped."""
    parts, marks = _MARKS.split(text), _MARKS.findall(text)
    if any(map(_is_untidy, parts, ["", *marks], [*marks, ""])):
        for _ in ENDS:  # they nest this deep
            text = _TOO_WIDE.sub(r"\2\1\4\3", text)
            text = _EMPTY.sub(r"\1\2\3", text)
            text = _AGAIN.sub("", text)
        parts, marks = _MARKS.split(text), _MARKS.findall(text)
    return " ".join(filter(None, "".join(_write_signs(parts, marks)).split(" ")))


def _is_untidy(part: str, before: str, after: str) -> bool:
    """Whether a part between two marks is empty, or has space where emphasis begins or ends."""
    if not part.strip(" \x07"):
        return bool(before and after)
    return (before in ENDS and part[0] in _SPACES) or (after in _END_MARKS and part[-1] in _SPACES)


def _write_signs(parts: list[str], marks: list[str]) -> list[str]:
    """A sign is judged by the characters around it as if signs further out were not there, because those may
    be dropped later; signs further in count as punctuation."""
    nexts = _find_nexts(parts)
    written = [parts[0]]
    opened: list[tuple[str, int]] = []  # the sign, and where it was written; -1: it was not
    before = parts[0][-1:]  # the last character of text
    last = ""  # the mark right before
    is_after_end = False
    for index, mark in enumerate(marks):
        sign, following = _SIGNS[mark], parts[index + 1]
        if mark in ENDS:
            next_mark = "" if following or index + 1 == len(marks) else marks[index + 1]
            inside = _find_inside(nexts[index + 1], next_mark, sign)
            is_good = not is_after_end and _may_begin(before, inside)
            if is_good and not (last and _SIGNS[last][0] == sign[0]):
                is_good = not _may_begin(inside, before) or not _is_open(opened, sign)
            opened.append((sign, len(written) if is_good else -1))
            written.append(sign if is_good else "")
        elif opened:
            sign, place = opened.pop()
            is_good = place >= 0 and _may_begin(nexts[index + 1], _find_inside(before, last, sign))
            if place >= 0 and not is_good:
                written[place] = ""
            written.append(sign if is_good else "")
        written.append(following)
        is_after_end = not following and (is_after_end or mark in _END_MARKS)
        before, last = (following[-1], "") if following else (before, mark)
    return written


def _find_inside(char: str, mark: str, sign: str) -> str:
    """The character on the inner side of a sign: of another sign, if one stands there, or of text."""
    return _SIGNS[mark][0] if mark and _SIGNS[mark][0] != sign[0] else char


def _is_open(opened: list[tuple[str, int]], sign: str) -> bool:
    return any(place >= 0 and open_sign[0] == sign[0] for open_sign, place in opened)


def _find_nexts(parts: list[str]) -> list[str]:
    """For each part, the first character of it or of what follows; empty at the end."""
    nexts = [""] * len(parts)
    char = ""
    for index in range(len(parts) - 1, -1, -1):
        char = parts[index][:1] or char
        nexts[index] = char
    return nexts


def _may_begin(outside: str, inside: str) -> bool:
    """Whether a sign between two characters begins emphasis; or ends it, seen from the other side."""
    if not inside or inside in _SPACES:
        return False
    return inside.isalnum() or not outside or outside in _SPACES or _is_punctuation(outside)


def _is_punctuation(char: str) -> bool:
    return char in _PUNCTUATION or unicodedata.category(char)[0] == "P"
