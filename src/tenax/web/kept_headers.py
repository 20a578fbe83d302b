"""Headers of answers that are kept because a setting names them. What they say is a stranger's."""

from collections.abc import Iterable, Mapping
from typing import Final

from tenax.visible import clean

MOST_CHARS: Final = 500  # of a value


def keep_headers(headers: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    """Those of the names that were sent, each as one short line that plays no tricks. `headers`: as a
    Response has them; `names`: in lower case."""
    return {name: _tame(headers[name]) for name in names if name in headers}


def _tame(value: str) -> str:
    # A control character becomes up to six others: nobody need clean what is cut off anyway.
    tamed = clean(_decode(value)[: MOST_CHARS + 1])
    return tamed if len(tamed) <= MOST_CHARS else tamed[: MOST_CHARS - 1] + "…"


def _decode(value: str) -> str:
    """Bytes come as Latin-1, which they hardly ever are when they can be read as UTF-8."""
    if value.isascii():
        return value
    try:
        return value.encode("latin-1").decode()
    except UnicodeError:
        return value
