"""A normal form for percent-escapes."""

import re

# Escapes of unreserved characters, and escapes with a lower-case digit.
_UNTIDY_ESCAPE = re.compile(
    r"%(?:2[DE]|3[0-9]|[46][1-9A-F]|5[0-9AF]|7[0-9AE]|[0-9A-F][a-f]|[a-f][0-9A-Fa-f])"
)
_ENDS_IN_CUT_ESCAPE = re.compile(r"%[0-9A-Fa-f]?\Z")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


def tidy_escapes(text: str) -> str:
    """Write percent-escapes in upper case and decode those of unreserved characters (RFC 3986 §2.3)."""
    return _UNTIDY_ESCAPE.sub(_tidy_escape, text)


def _tidy_escape(match: re.Match[str]) -> str:
    character = chr(int(match[0][1:], 16))
    start = match.start()
    # Decoding right after a stray "%" or "%4" would complete a new escape: "%%34%31" is not "%41".
    if character not in _UNRESERVED or _ENDS_IN_CUT_ESCAPE.search(match.string, max(0, start - 2), start):
        return match[0].upper()
    return character
