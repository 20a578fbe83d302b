"""Text that plays no tricks on whoever looks at it. Everything crawled is hostile: terminals obey escape
sequences, and marks of direction make people read what is not there. Both are shown as escapes instead.
"""

import re
from typing import Final

# DEL and C1 controls, what reorders or hides text, separators that end a line.
_TRICKS: Final = "\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
# The same in UTF-8.
_TRICK_BYTES: Final = re.compile(
    rb"\x7f|\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8b-\x8f\xa8-\xae]|\xe2\x81[\xa0-\xaf]"
    rb"|\xef\xbb\xbf|\xef\xbf[\xb9-\xbb]"
)
_UNSAFE: Final = re.compile(f"[\x00-\x1f{_TRICKS}\ud800-\udfff]")
# Lines may end and cells may be indented; a carriage return by itself writes over what stands there.
_UNSAFE_IN_LINES: Final = re.compile(f"[\x00-\x08\x0b\x0c\x0e-\x1f{_TRICKS}\ud800-\udfff]|\r(?!\n)")
_TRICK: Final = re.compile(f"[{_TRICKS}]")


def clean(text: str) -> str:
    """One line in which every dangerous character is visible."""
    return _UNSAFE.sub(_escape, text)


def clean_lines(text: str) -> str:
    """The same for text of several lines."""
    return _UNSAFE_IN_LINES.sub(_escape, text)


def escape_json(encoded: bytes) -> bytes:
    """JSON that says the same to every program, and is safe to send to a terminal. `encoded`: in UTF-8, by an
    encoder that escapes the C0 controls itself, as all must."""
    return _TRICK_BYTES.sub(_escape_bytes, encoded)


def has_tricks(text: str) -> bool:
    return _TRICK.search(text) is not None


def escape_tricks(text: str) -> str:
    """As \\uXXXX, which quoted YAML reads back."""
    return _TRICK.sub(_escape_json, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def _escape_json(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def _escape_bytes(match: re.Match[bytes]) -> bytes:
    return b"\\u%04x" % ord(match[0].decode())
