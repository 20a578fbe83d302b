"""Reads what a person gives as the start of a crawl, and says clearly what is wrong with it."""

import sys
from collections.abc import Iterable
from pathlib import Path

from tenax.errors import UsageError
from tenax.web.urls import normalize


def read_seeds(urls: Iterable[str], file: Path | None) -> list[str]:
    """Normalised, each once, in the order given."""
    seeds = [read_url(url) for url in urls]
    if file is not None:
        seeds += read_seed_file(file)
    return list(dict.fromkeys(seeds))


def read_seed_file(file: Path) -> list[str]:
    """One URL a line; empty lines and lines that start with # are skipped. `-` is standard input."""
    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text()
    except OSError as error:
        raise UsageError(f"Cannot read the seeds file {file}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"The seeds file {file} is not UTF-8 text.") from error
    seeds = []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if line and not line.startswith("#"):
            seeds.append(read_url(line, f" ({file}, line {number})"))
    return seeds


def read_url(text: str, place: str = "") -> str:
    """A URL as people write it: without a scheme it is https."""
    scheme, separator, _ = text.partition("://")
    if separator and scheme.lower() not in ("http", "https"):
        raise UsageError(f"{text!r}{place} does not start with http:// or https://.")
    url = normalize(text if separator else f"https://{text}")
    if url is None or not is_host_like(url, has_scheme=bool(separator)):
        raise UsageError(f"{text!r}{place} is not a web address; write it like https://example.com/.")
    return url


def is_host_like(url: str, *, has_scheme: bool) -> bool:
    """A bare word is more likely a slip than a host."""
    host = url.split("/")[2]
    return has_scheme or "." in host or ":" in host or host == "localhost"
