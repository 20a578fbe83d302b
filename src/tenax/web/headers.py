"""Parses values of HTTP headers and of the equivalent meta elements. Invalid values count as absent."""

import math
import re
from collections.abc import Mapping
from datetime import UTC

from tenax.clock import Instant
from tenax.config.fetch import PRODUCT_TOKEN

HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})

# Those documented by Google and Bing; the dates and numbers of some are not kept.
_ROBOTS_DIRECTIVES = frozenset(
    [
        "all",
        "follow",
        "index",
        "indexifembedded",
        "max-image-preview",
        "max-snippet",
        "max-video-preview",
        "noarchive",
        "nocache",
        "nofollow",
        "noimageindex",
        "noindex",
        "none",
        "nosnippet",
        "notranslate",
        "unavailable_after",
    ]
)

# Most pages have one of these, and each is parsed several times.
_USUAL_TYPES: dict[str, tuple[str, str | None]] = {
    "text/html": ("text/html", None),
    "text/html; charset=utf-8": ("text/html", "utf-8"),
    "text/html; charset=UTF-8": ("text/html", "UTF-8"),
    "text/html;charset=utf-8": ("text/html", "utf-8"),
    "text/html;charset=UTF-8": ("text/html", "UTF-8"),
}

_MIME = re.compile(r"[a-z0-9!#$&^_.+-]+/[a-z0-9!#$&^_.+-]+")
_CHARSET = re.compile(r";\s*charset\s*=\s*[\"']?([^\s\"';,]+)", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?", re.ASCII)
_WORD = re.compile(r"[a-z_-]+")
_AGENT_PREFIX = re.compile(r"\s*([a-z0-9_*-]+)\s*:", re.IGNORECASE)


def parse_content_type(value: str | None) -> tuple[str, str | None]:
    """Parse the MIME type, in lower case ("" if there is none), and the charset as given."""
    if not value:
        return "", None
    if value in _USUAL_TYPES:
        return _USUAL_TYPES[value]
    mime = _MIME.match(value.strip().lower())
    charset = _CHARSET.search(value)
    return mime[0] if mime else "", charset[1] if charset else None


def is_html(mime: str) -> bool:
    return mime in HTML_TYPES


def parse_retry_after(value: str | None, now: Instant) -> float | None:
    """Parse Retry-After, a number or a date in any of HTTP's three formats, as seconds from now."""
    if value is None:
        return None
    value = value.strip()
    if _NUMBER.fullmatch(value):
        return _finite(float(value))
    at = _parse_date(value)
    return None if at is None else max(0.0, at - now)


def count_retry_after(headers: Mapping[str, str], wall: Instant) -> Mapping[str, str]:
    """Convert a date in Retry-After to seconds. Call it as soon as the response arrives, while the wall clock
    gives the right number."""
    value = headers.get("retry-after")
    if value is None or _NUMBER.fullmatch(value.strip()):
        return headers
    wait_s = parse_retry_after(value, wall)
    return headers if wait_s is None else {**headers, "retry-after": f"{math.ceil(wait_s)}"}


def _parse_date(value: str) -> Instant | None:
    # Imported late: few responses have a date, and the package is slow to import.
    from email.utils import parsedate_to_datetime

    try:
        moment = parsedate_to_datetime(value)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None  # all of these are raised for text that only looks like a date


def parse_robots_tag(values: str | None, agent: str = PRODUCT_TOKEN) -> frozenset[str]:
    """Parse the directives of X-Robots-Tag that are for the agent or for all agents.

    "otherbot: noindex, nofollow" is for otherbot up to the next name. Repeated headers arrive joined, so a
    general one after one for an agent cannot be told from its continuation.
    """
    if not values:
        return frozenset()
    found: set[str] = set()
    is_addressed = True
    for part in values.lower().split(","):
        prefix = _AGENT_PREFIX.match(part)
        if prefix and prefix[1] not in _ROBOTS_DIRECTIVES:
            is_addressed = prefix[1] in (agent.lower(), "*")
            part = part[prefix.end() :]
        if is_addressed:
            found.update(_WORD.findall(part))
    return _keep_directives(found)


def parse_meta_robots(content: str) -> frozenset[str]:
    """Parse the directives in the content of a meta element."""
    return _keep_directives(set(_WORD.findall(content.lower())))


def _keep_directives(words: set[str]) -> frozenset[str]:
    directives = words & _ROBOTS_DIRECTIVES
    if "none" in directives:
        directives = directives - {"none"} | {"noindex", "nofollow"}
    return frozenset(directives)


def parse_max_age(cache_control: str | None) -> float | None:
    """Parse the max-age of Cache-Control, in seconds; None: it has none."""
    if not cache_control:
        return None
    max_age = None
    for directive in cache_control.lower().split(","):
        name, _, argument = directive.partition("=")
        name, argument = name.strip(), argument.strip().strip('"')
        if name == "no-store" or (name == "no-cache" and not argument):
            return 0.0
        if name == "max-age" and max_age is None and _NUMBER.fullmatch(argument):
            max_age = _finite(float(argument))
    return max_age


def _finite(seconds: float) -> float | None:
    return seconds if math.isfinite(seconds) else None
