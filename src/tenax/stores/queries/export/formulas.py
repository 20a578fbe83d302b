"""Detects and neutralizes text that a spreadsheet would treat as a formula when it opens a CSV file."""

import re
from unicodedata import normalize

# Full-width signs count as well, and so does white space before a sign, which some spreadsheets skip. Others
# shift a cell that starts with a control character into the next one.
_SUSPECT = re.compile(r"\s*[=+\-@＝＋－＠]|[\t\r\n\0]")
_SIGNED = re.compile(r"(?![\t\r\n])\s*[+\-]")
# A function call, another program, file or sheet, a string, a range: each needs one of these characters. Of
# ASCII, only letters, digits, white space and _ + - . , = / % ? remain.
_ACTIVE = re.compile(r"[!-$&-*:;<>@\[-^`{-~\0]")
_NUMBER = re.compile(r"\s*[+\-][\s\d.,]*%?")
_OPERAND = re.compile(r"\w[\w.]*")
_REFERENCE = re.compile(r"[a-z]{1,3}\d+|r\d+c\d+|true|false", re.IGNORECASE)


def neutralize(text: str) -> str:
    """A cell that no spreadsheet evaluates: text that might be a formula gets a leading apostrophe."""
    return f"'{text}" if _SUSPECT.match(text) and _might_run(text) else text


def _might_run(text: str) -> bool:
    """Ordinary text may start with a sign, too: `--with-lto`, `- more`, `-5`."""
    plain = normalize("NFKC", text)  # as spreadsheets read full-width characters
    if not _SIGNED.match(plain) or _ACTIVE.search(plain):
        return True
    if _NUMBER.fullmatch(plain):
        return False
    # Only operators that need operands are left: a single unknown name makes the whole formula invalid.
    operands = _OPERAND.findall(plain)
    return bool(operands) and all(map(_has_value, operands))


def _has_value(operand: str) -> bool:
    # LibreOffice names the sheet after the file, and refers to a cell in it as `urls.A1`.
    cell = operand.rstrip(".").rpartition(".")[2]
    return operand[0].isdigit() or _REFERENCE.fullmatch(cell) is not None
