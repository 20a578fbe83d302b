"""A directory with a Markdown file for each page, with a front matter in YAML."""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from tenax.errors import UsageError
from tenax.part_files import replace_file
from tenax.wording import count_of

Row = list[Any]
Expand = Callable[[Row], Iterator[Row]]

_SLUG_CHARS: Final = 60
_HOST_CHARS: Final = 100
_unsafe: Final = re.compile(r"[^a-z0-9]+")
_unsafe_in_host: Final = re.compile(r"[^a-z0-9.-]+")


class Unkept:
    """Counts the pages whose Markdown was not kept."""

    def __init__(self) -> None:
        self.count = 0

    def count_in(self, split: Expand | None) -> Expand:
        """`split`: a row with Markdown into other rows; None: it stays as it is."""

        def expand(row: Row) -> Iterator[Row]:
            if row[-1] is None:
                self.count += 1
            elif split is None:
                yield row
            else:
                yield from split(row)

        return expand

    def describe(self) -> str:
        have = "has" if self.count == 1 else "have"
        return (
            f"{count_of(self.count, 'page')} {have} no Markdown: it is kept of pages that are fetched in "
            "full while extract.markdown is true."
        )


def write_files(directory: Path, rows: Iterable[Row]) -> int:
    """Write a file per row: url, title, language, fetched_at, Markdown. Each appears when it is complete, and
    replaces what an earlier export wrote for the same page. Raises UsageError: the directory is a file."""
    if directory.exists() and not directory.is_dir():
        raise UsageError(f"{directory} is a file: give a directory for the Markdown of pages.")
    count = 0
    for url, title, language, fetched_at, markdown in rows:
        path = directory / name_file(url)
        path.parent.mkdir(parents=True, exist_ok=True)
        matter = format_matter(url=url, title=title, fetched_at=fetched_at, language=language)
        with replace_file(path, is_durable=False) as file:
            file.write(f"{matter}\n{markdown}".encode("utf-8", "replace"))
        count += 1
    return count


def name_file(url: str) -> Path:
    """A name that depends on nothing but the url, with characters that every file system accepts: the domain,
    the end of the path, and a hash that tells urls apart."""
    parts = urlsplit(url)
    host = _unsafe_in_host.sub("-", (parts.hostname or "").lower())[:_HOST_CHARS].strip(".-") or "host"
    slug = _unsafe.sub("-", unquote(parts.path).lower()).strip("-")[-_SLUG_CHARS:].strip("-") or "index"
    digest = hashlib.blake2b(url.encode(), digest_size=8).hexdigest()
    return Path(host) / f"{slug}-{digest}.md"


def format_matter(*, url: str, title: str | None, fetched_at: float, language: str | None) -> str:
    moment = datetime.fromtimestamp(fetched_at, UTC).isoformat(timespec="seconds")
    said = {"url": url, "title": title, "fetched_at": moment, "language": language}
    lines = [f"{name}: {_quote(value)}" for name, value in said.items() if value is not None]
    return "\n".join(["---", *lines, "---", ""])


def _quote(text: str) -> str:
    """A string of JSON is one of YAML, if what cannot be printed is escaped."""
    return "".join(map(_escape, json.dumps(text, ensure_ascii=False)))


def _escape(char: str) -> str:
    if char.isprintable():
        return char
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"
