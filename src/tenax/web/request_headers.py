"""Which headers a user may add to requests."""

import re

LONGEST_VALUE = 4000

_match_name = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}").fullmatch
# Visible characters and spaces between them: nothing that a server or proxy could take for the end of a line.
_match_value = re.compile(r"[!-~\xa1-\xff](?:[ -~\xa0-\xff]*[!-~\xa1-\xff])?").fullmatch

# Headers of the connection rather than the request (RFC 9110 §7.6.1), and headers that the fetcher sets: with
# other values it would fetch something else or could not read the response.
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
    """Explain why a header must not be sent; None: it may be. The message does not contain the value, which
    may be a secret."""
    lower = name.lower()
    if lower in RESERVED or lower.startswith(RESERVED_PREFIXES):
        return f"The header {name} cannot be set: it is set by the crawler or the connection."
    if _match_name(name) is None:
        return f"{name[:100]!r} is not the name of a header."
    if len(value) > LONGEST_VALUE or _match_value(value) is None:
        return (
            f"The value of the header {name} must be one line of 1 to {LONGEST_VALUE:,} printable "
            "Latin characters, without a space at its start or end."
        )
    return None
