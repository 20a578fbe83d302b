"""Response headers that are stored because a setting selects them. Their values are untrusted."""

from collections.abc import Iterable, Mapping
from typing import Final

from tenax.visible import clean

MAX_CHARS: Final = 500  # of a value


def keep_headers(headers: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    """Select headers by name, each as one short line that is safe to show. `headers`: those of a Response;
    `names`: in lower case."""
    return {name: _clean(headers[name]) for name in names if name in headers}


def _clean(value: str) -> str:
    # Cut first: a control character becomes up to six others.
    cleaned = clean(_decode(value)[: MAX_CHARS + 1])
    return cleaned if len(cleaned) <= MAX_CHARS else cleaned[: MAX_CHARS - 1] + "…"


def _decode(value: str) -> str:
    """Decode as UTF-8 if possible: bytes arrive as Latin-1, but valid UTF-8 is hardly ever Latin-1."""
    if value.isascii():
        return value
    try:
        return value.encode("latin-1").decode()
    except UnicodeError:
        return value
