"""Which texts a spreadsheet takes for a formula when it opens a file of CSV."""

import re
from unicodedata import normalize

# Signs in full width count as well, and white space before them, which some spreadsheets skip. A cell that
# begins with a control character is shifted into another one by others.
_SUSPECT = re.compile(r"\s*[=+\-@＝＋－＠]|[\t\r\n\0]")
_SIGNED = re.compile(r"(?![\t\r\n])\s*[+\-]")
# A call, another program, file or sheet, a text, a range: each needs one of these. Of ASCII, only
# letters, digits, white space and _ + - . , = / % ? remain.
_ACTIVE = re.compile(r"[!-$&-*:;<>@\[-^`{-~\0]")
_NUMBER = re.compile(r"\s*[+\-][\s\d.,]*%?")
_OPERAND = re.compile(r"\w[\w.]*")
_REFERENCE = re.compile(r"[a-z]{1,3}\d+|r\d+c\d+|true|false", re.IGNORECASE)


def neutralize(text: str) -> str:
    """A cell that no spreadsheet calculates: an apostrophe goes before a text that it might."""
    return f"'{text}" if _SUSPECT.match(text) and _might_run(text) else text


def _might_run(text: str) -> bool:
    """A sign begins many an ordinary text, too: `--with-lto`, `- more`, `-5`."""
    plain = normalize("NFKC", text)  # as spreadsheets read full width
    if not _SIGNED.match(plain) or _ACTIVE.search(plain):
        return True
    if _NUMBER.fullmatch(plain):
        return False
    # No operator is left that would do without an operand: one name that no sheet has, and nothing comes
    # of the whole.
    operands = _OPERAND.findall(plain)
    return bool(operands) and all(map(_has_value, operands))


def _has_value(operand: str) -> bool:
    # LibreOffice calls the sheet like the file, and a cell in it `urls.A1`.
    cell = operand.rstrip(".").rpartition(".")[2]
    return operand[0].isdigit() or _REFERENCE.fullmatch(cell) is not None
