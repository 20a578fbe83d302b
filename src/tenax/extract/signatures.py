"""The signatures of answers that are no pages, read from signatures.json.

All conditions of a signature must hold, and of each list one entry is enough. Texts and titles are compared
in lower case; `html` are bytes of the document, in lower case as well.
"""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, Final

import orjson
import re2

from tenax.errors import ConfigError
from tenax.record import record
from tenax.records.urls import RejectionReason

# A longer text is examined only if its title or a header gives it away.
SHORT_CHARS: Final = 1200
# Walls are small: what comes later in a document is not looked at.
SEARCHED_BYTES: Final = 16_384
_FILE: Final = Path(__file__).with_name("signatures.json")


@record
class Signature:
    name: str
    reason: RejectionReason
    about: str  # what the answer is, in words
    most_chars: int  # of the text
    most_links: int = 1000
    vendor: str | None = None
    titles: tuple[str, ...] = ()
    headers: tuple[tuple[str, str], ...] = ()  # (name, a part of the value)
    html: tuple[bytes, ...] = ()
    html_too: tuple[bytes, ...] = ()
    text: tuple[str, ...] = ()
    text_too: tuple[str, ...] = ()
    text_is: tuple[str, ...] = ()
    text_starts: tuple[str, ...] = ()
    is_formless: bool = False  # a form to fill in is a page, even with a captcha


@record
class Signatures:
    """All signatures, and what tells at once that most pages match none of them."""

    items: tuple[Signature, ...]
    titles: frozenset[str]
    header_names: frozenset[str]

    @property
    def names(self) -> frozenset[str]:
        return frozenset(signature.name for signature in self.items)


@cache
def load_signatures() -> Signatures:
    items = tuple(_read(fields) for fields in orjson.loads(_FILE.read_bytes()))
    return Signatures(
        items=items,
        titles=frozenset(title for each in items for title in each.titles),
        header_names=frozenset(name for each in items for name, _ in each.headers),
    )


@cache
def compile_html() -> Any:
    """Find any bytes of any signature. On first use: most crawls meet nothing that looks suspicious."""
    return _compile(marker for each in load_signatures().items for marker in (*each.html, *each.html_too))


@cache
def compile_text() -> Any:
    """Find any text of any signature, as UTF-8."""
    return _compile(
        part.encode()
        for each in load_signatures().items
        for part in (*each.text, *each.text_is, *each.text_starts)
    )


def check_signature(name: str) -> None:
    """Raises ConfigError if there is no signature of this name."""
    if name not in load_signatures().names:
        raise ConfigError(
            f"There is no signature {name[:100]!r}; 'tenax explain' names the one that matched."
        )


def fold_title(title: str | None) -> str:
    """A title as it is compared."""
    return title.casefold().rstrip(" .…!") if title else ""


def _read(fields: dict[str, Any]) -> Signature:
    fields["reason"] = RejectionReason(fields["reason"])
    fields["titles"] = tuple(map(fold_title, fields.get("titles", ())))
    fields["headers"] = tuple(_split_header(line) for line in fields.get("headers", ()))
    for name in ("html", "html_too"):
        fields[name] = tuple(marker.encode("ascii") for marker in fields.get(name, ()))
    for name in ("text", "text_too", "text_is", "text_starts"):
        fields[name] = tuple(fields.get(name, ()))
    return Signature(**fields)


def _split_header(line: str) -> tuple[str, str]:
    name, _, value = line.partition(":")
    return name, value.strip()


def _compile(literals: Iterable[bytes]) -> Any:
    """Find any of these literals in one pass, in linear time."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.never_capture = True
    return re2.compile(b"|".join(sorted(map(re2.escape, set(literals)))), options=options).search
