"""What a worker and its reader process say to each other: JSON and bytes, each behind its length.

No pickle: a reader that a hostile document has taken over must not run code in its worker.
"""

import struct
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import orjson

from tenax.crawl.reading import Reading
from tenax.errors import ContentError
from tenax.extract.profile import ExtractionProfile
from tenax.records import PageContent
from tenax.values import record
from tenax.web.parameters import NO_NAMES
from tenax.web.selectors import Selector, Step

LENGTH = struct.Struct("<Q")
# A body is 10 MB unless somebody wants more, and what is made of it hardly ever larger.
MOST_ANSWER_BYTES = 1 << 30
READY = b"ready"


@record(frozen=True, slots=True, kw_only=True)
class Suspect:
    """A document that is to be read, and how."""

    body: bytes
    url: str
    content_type: str | None
    robots_tag: str | None
    max_links: int
    profile: ExtractionProfile
    keep: frozenset[str] = NO_NAMES  # names of parameters that count


@record(frozen=True, slots=True, kw_only=True)
class OutOfMemory:
    """The reader hit its own limit."""


class ReaderError(Exception):
    """A bug came up in a reader: its traceback."""


def frame(message: bytes) -> bytes:
    return LENGTH.pack(len(message)) + message


def format_suspect(suspect: Suspect) -> bytes:
    """In two frames: how to read it, and the body."""
    head = orjson.dumps(
        {
            "url": suspect.url,
            "content_type": suspect.content_type,
            "robots_tag": suspect.robots_tag,
            "max_links": suspect.max_links,
            "only": _format_selectors(suspect.profile.only),
            "without": _format_selectors(suspect.profile.without),
            "keep": sorted(suspect.keep),
        }
    )
    return frame(head) + frame(suspect.body)


def parse_suspect(head: bytes, body: bytes) -> Suspect:
    said = orjson.loads(head)
    profile = ExtractionProfile(
        only=_parse_selectors(said["only"]), without=_parse_selectors(said["without"])
    )
    return Suspect(
        body=body,
        url=said["url"],
        content_type=said["content_type"],
        robots_tag=said["robots_tag"],
        max_links=said["max_links"],
        profile=profile,
        keep=frozenset(said["keep"]),
    )


def format_reading(reading: Reading) -> bytes:
    said = {
        "page": asdict(reading.page),
        "links": list(reading.links.items()),
        "images": list(reading.images.items()),
    }
    return orjson.dumps({"reading": said})


def format_fault(kind: str, text: str = "") -> bytes:
    """`kind`: content, memory or bug."""
    return orjson.dumps({kind: text})


def parse_answer(answer: bytes) -> Reading | OutOfMemory:
    """Raises ContentError when the document cannot be read, ReaderError for a bug, ValueError, KeyError or
    TypeError for what no reader in its right mind says."""
    said = orjson.loads(answer)
    if "memory" in said:
        return OutOfMemory()
    if "content" in said:
        raise ContentError(str(said["content"]))
    if "bug" in said:
        raise ReaderError(str(said["bug"]))
    reading = said["reading"]
    return Reading(
        page=PageContent(**reading["page"]),
        links={int(key): (link[0], link[1], link[2], link[3]) for key, link in reading["links"]},
        images={int(key): (image[0], image[1], image[2]) for key, image in reading["images"]},
    )


def _format_selectors(selectors: Sequence[Selector]) -> list[list[tuple[str, bool]]]:
    return [[(step.compound, step.is_child) for step in selector.steps] for selector in selectors]


def _parse_selectors(said: list[list[Any]]) -> tuple[Selector, ...]:
    return tuple(
        Selector(steps=tuple(Step(compound=compound, is_child=is_child) for compound, is_child in steps))
        for steps in said
    )
