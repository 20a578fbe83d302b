"""Text that is safe to show. Everything crawled is hostile: terminals obey escape sequences, and direction
marks make text look different from what it is. Both are shown as escapes instead.
"""

import re
from typing import Final

# DEL and C1 controls, characters that reorder or hide text, separators that end a line.
_DECEPTIVE: Final = "\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
# The same in UTF-8.
_DECEPTIVE_BYTES: Final = re.compile(
    rb"\x7f|\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8b-\x8f\xa8-\xae]|\xe2\x81[\xa0-\xaf]"
    rb"|\xef\xbb\xbf|\xef\xbf[\xb9-\xbb]"
)
_UNSAFE: Final = re.compile(f"[\x00-\x1f{_DECEPTIVE}\ud800-\udfff]")
# Newlines and tabs are fine; a lone carriage return would overwrite the line.
_UNSAFE_IN_LINES: Final = re.compile(f"[\x00-\x08\x0b\x0c\x0e-\x1f{_DECEPTIVE}\ud800-\udfff]|\r(?!\n)")
_DECEPTIVE_CHARACTER: Final = re.compile(f"[{_DECEPTIVE}]")


def clean(text: str) -> str:
    """Escape every dangerous character in a single line, including newlines."""
    return _UNSAFE.sub(_escape, text)


def clean_lines(text: str) -> str:
    """Escape every dangerous character in text of several lines."""
    return _UNSAFE_IN_LINES.sub(_escape, text)


def escape_json(encoded: bytes) -> bytes:
    """Make JSON safe for a terminal without changing its meaning. `encoded`: UTF-8, by an encoder that
    escapes the C0 controls, as all must."""
    return _DECEPTIVE_BYTES.sub(_escape_bytes, encoded)


def is_deceptive(text: str) -> bool:
    return _DECEPTIVE_CHARACTER.search(text) is not None


def escape_deceptive(text: str) -> str:
    """Escape as \\uXXXX, which quoted YAML reads back."""
    return _DECEPTIVE_CHARACTER.sub(_escape_json, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def _escape_json(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def _escape_bytes(match: re.Match[bytes]) -> bytes:
    return b"\\u%04x" % ord(match[0].decode())
