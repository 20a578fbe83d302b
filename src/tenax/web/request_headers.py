"""Which headers a person may add to requests, and the sentence that says why not."""

import re

LONGEST_VALUE = 4000

_match_name = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}").fullmatch
# Visible characters, and spaces between them: what no server and no proxy can take for the end of a line.
_match_value = re.compile(r"[!-~\xa1-\xff](?:[ -~\xa0-\xff]*[!-~\xa1-\xff])?").fullmatch

# What belongs to the connection and not to the request (RFC 9110 §7.6.1), and what the fetcher decides: it
# would fetch something else than it asked for, or could not read the answer.
RESERVED = frozenset(
    (
        "accept-encoding",
        "connection",
        "content-encoding",
        "content-length",
        "content-type",
        "cookie2",
        "expect",
        "host",
        "http2-settings",
        "if-match",
        "if-modified-since",
        "if-none-match",
        "if-range",
        "if-unmodified-since",
        "keep-alive",
        "max-forwards",
        "range",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "user-agent",
        "via",
    )
)
RESERVED_PREFIXES = ("proxy-", ":")


def find_header_fault(name: str, value: str) -> str | None:
    """None: it may be sent. The value stays out of the sentence: it may be a secret."""
    lower = name.lower()
    if lower in RESERVED or lower.startswith(RESERVED_PREFIXES):
        return f"The header {name} is not for you to set: the crawler or the connection decides it."
    if _match_name(name) is None:
        return f"{name[:100]!r} is not the name of a header."
    if len(value) > LONGEST_VALUE or _match_value(value) is None:
        return (
            f"The value of the header {name} is not one line of 1 to {LONGEST_VALUE:,} printable "
            "Latin characters without space at its ends."
        )
    return None
