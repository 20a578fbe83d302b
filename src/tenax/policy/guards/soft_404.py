"""Sites that answer 200 where there is no page: what one invented address shows about them.

Real pages may resemble the error page of their site: they share its menus, and careless sites have one title
for all pages. So a page counts as missing only if it has the title of the error page, every line of it that
is not on all pages of the site, and next to nothing else. A site that shows the same everywhere is left
alone: so do sites that are drawn by scripts.
"""

from collections.abc import Sequence
from dataclasses import asdict
from enum import StrEnum
from typing import Final
from urllib.parse import unquote

import orjson
import xxhash

from tenax.clock import Instant
from tenax.config.crawl import ValidationSettings
from tenax.record import record, replace
from tenax.web.urls import domain_of

MAX_LINES: Final = 150  # of an error page
_OWN_SHARE: Final = 0.1  # of its length that a page may have besides
_OWN_CHARS: Final = 20
_LENGTH_SHARE: Final = 0.25  # by which lengths may differ, before lines are compared
_LENGTH_CHARS: Final = 100
_NAME: Final = "\0"  # stands for the name of the requested page
_NO_DIGITS: Final = {ord(digit): None for digit in "0123456789"}


class Stage(StrEnum):
    PROBING = "probing"  # an invented address is queued
    HONEST = "honest"  # it says when a page is missing
    SHOWS_PAGE = "shows_page"  # it answers with a page that says so
    GOES_HOME = "goes_home"  # it redirects to its home page
    UNCLEAR = "unclear"  # its answer cannot be told from its pages


@record
class ErrorPage:
    """How a site answers where there is no page."""

    stage: Stage
    at: Instant  # when this became known
    common_lines: tuple[int, ...] = ()  # hashes of the lines that all its pages have
    title: str = ""
    chars: int = 0
    lines: tuple[int, ...] = ()  # hashes of the lines of the error page
    own_lines: tuple[int, ...] = ()  # those that not all pages have


def read_error_page(text: str | None) -> ErrorPage | None:
    """None: nothing is known, or another version wrote it."""
    try:
        said = orjson.loads(text) if text else None
        if said is None:
            return None
        for name in ("common_lines", "lines", "own_lines"):
            said[name] = tuple(said[name])
        return ErrorPage(**{**said, "stage": Stage(said["stage"])})
    except (ValueError, KeyError, TypeError):
        return None


def format_error_page(known: ErrorPage) -> str:
    return orjson.dumps(asdict(known)).decode()


def should_probe(known: ErrorPage | None, pages: int, now: Instant, settings: ValidationSettings) -> bool:
    """`pages`: that the site has given so far."""
    if known is None:
        return pages >= settings.soft_404_pages
    return now >= known.at + settings.soft_404_refresh_s


def begin_probing(known: ErrorPage | None, samples: Sequence[str], at: Instant) -> ErrorPage:
    """An invented address is queued. `samples`: texts of pages of the site. What is known stays in force."""
    common = set.intersection(*(set(_hash_lines(text)) for text in samples))
    probing = known or ErrorPage(stage=Stage.PROBING, at=at)
    return replace(probing, stage=Stage.PROBING, at=at, common_lines=tuple(common))


def learn_page(known: ErrorPage, url: str, title: str | None, text: str, at: Instant) -> ErrorPage:
    """The probe was answered with a page."""
    lines = _hash_lines(text, _find_name(url))
    own = tuple(set(lines) - set(known.common_lines))
    return replace(
        known,
        stage=Stage.SHOWS_PAGE if own else Stage.UNCLEAR,
        at=at,
        title=_hide_name(title or "", _find_name(url)),
        chars=len(text),
        lines=lines,
        own_lines=own,
        common_lines=(),
    )


def is_error_page(known: ErrorPage, url: str, title: str | None, text: str) -> bool:
    """Whether the page is the one that the site shows where there is none. The length alone decides for most
    pages."""
    if not known.own_lines or abs(len(text) - known.chars) > known.chars * _LENGTH_SHARE + _LENGTH_CHARS:
        return False
    name = _find_name(url)
    if known.title not in (title or "", _hide_name(title or "", name)):
        return False
    lines, missing, own_chars = set(known.lines), set(known.own_lines), 0
    for line in text.split("\n"):
        hashes = {_hash(line), _hash(_hide_name(line, name))}
        missing -= hashes
        if lines.isdisjoint(hashes):
            own_chars += len(line)
    return not missing and own_chars <= known.chars * _OWN_SHARE + _OWN_CHARS


def is_home(url: str) -> bool:
    """Whether the address is where a site begins."""
    return not url.partition("://")[2].partition("/")[2]


def goes_on(url: str, to_url: str) -> bool:
    """Whether a redirect keeps the name of the page, within the domain: to https, to a trailing slash."""
    return _find_name(url) in to_url and domain_of(url) == domain_of(to_url)


def _hash_lines(text: str, name: str = "") -> tuple[int, ...]:
    return tuple({_hash(_hide_name(line, name)): None for line in text.split("\n")[:MAX_LINES] if line})


def _hash(line: str) -> int:
    """Numbers vary: times, visitors, the year."""
    return xxhash.xxh32_intdigest(line.translate(_NO_DIGITS).encode("utf-8", "replace"))


def _find_name(url: str) -> str:
    """The last part of the path, which error pages repeat."""
    path = url.partition("://")[2].partition("?")[0].rstrip("/")
    return unquote(path.rpartition("/")[2]) if "/" in path else ""


def _hide_name(text: str, name: str) -> str:
    return text.replace(name, _NAME) if name else text
