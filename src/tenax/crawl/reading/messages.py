"""The messages between a worker and its reader process: JSON and bytes, each prefixed with its length.

    worker   how to read a document
    reader   WAIT … WAIT, GO               WAIT every few seconds until it is its turn
    worker   the body, compressed
    reader   the page, packed as stores keep it; see format_reading

No pickle: a reader that a hostile document has taken over must not run code in its worker.
"""

import struct
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from operator import attrgetter
from typing import Any, NamedTuple

import orjson

from tenax.config.crawl import ValidationSettings
from tenax.crawl.reading.page import ReadPage
from tenax.errors import ContentError
from tenax.extract.profile import ExtractionProfile
from tenax.extract.validation import Rejection
from tenax.record import record
from tenax.records.pages import PackedPage, PageContent, PageImage, PageLink
from tenax.records.urls import RejectionReason
from tenax.stores.hot.packing import pack_with_parts, unpack_markdown, unpack_text
from tenax.web.markup import LARGE_BYTES
from tenax.web.parameters import NO_NAMES
from tenax.web.selectors import CompoundSelector, Selector

LENGTH = struct.Struct("<Q")
READY = b"ready"  # for the first document
WAIT = b"wait"  # for the turn to read a large document
GO = b"go"  # the body may be sent
KEY = "q"  # of a url, as an array has it
# Of a page, in the order in which they are sent. A worker counts what it holds.
_SENT = (
    *("title", "description", "canonical", "language", "charset"),
    *("text_chars", "content_hash", "links_count", "images_count", "simhash"),
)
_PAGE_FIELDS = (*_SENT, "unpacked_bytes")
_list_fields = attrgetter(*_SENT)


@record
class ReadRequest:
    """A document to read, and how. Its body is compressed, because it may wait for long."""

    body: bytes
    body_bytes: int  # before compression
    url: str
    headers: Mapping[str, str]  # of the response
    max_links: int
    profile: ExtractionProfile
    least_similar_chars: int | None = None  # see extract_page
    validation: ValidationSettings = ValidationSettings()
    keep: frozenset[str] = NO_NAMES  # names of url parameters that count
    is_suspect: bool = False  # a worker died while reading it
    pdf_pages: int | None = None  # it is a PDF, of which so many pages are read; None: it is HTML
    is_heavy: bool = False  # a PDF that may need as much memory as a reader has

    @property
    def is_large(self) -> bool:
        """Only one large document is read at a time on a machine. What a PDF takes does not follow from its
        size: it is large if it did not do with LIGHT_BYTES."""
        return self.body_bytes > LARGE_BYTES if self.pdf_pages is None else self.is_heavy

    @property
    def is_light_pdf(self) -> bool:
        return self.pdf_pages is not None and not self.is_heavy


class ReadResult(NamedTuple):
    """A page that was read. Its text is packed already, so that holding it takes little memory."""

    page: PackedPage
    links: dict[int, PageLink]  # by the keys of their urls
    images: dict[int, PageImage]  # by the keys of their urls
    is_noindex: bool
    is_nofollow: bool
    verdict: Rejection | None = None  # it is no page
    text: str | None = None  # None: only the packed page has it
    is_pdf: bool = False

    def unpack(self) -> ReadPage:
        page = self.page
        content = PageContent(
            title=page.title,
            description=page.description,
            canonical=page.canonical,
            language=page.language,
            charset=page.charset,
            text=unpack_text(page.content) if self.text is None else self.text,
            content_hash=page.content_hash,
            simhash=page.simhash,
            is_noindex=self.is_noindex,
            is_nofollow=self.is_nofollow,
            markdown=unpack_markdown(page.content),
        )
        return ReadPage(content, self.links, self.images, self.verdict, self.is_pdf)


@record
class OutOfMemory:
    """The reader hit its own limit."""

    needed_bytes: int  # that would be enough; 0: unknown


class ReaderError(Exception):
    """A bug in a reader, with its traceback."""


def frame(message: bytes) -> bytes:
    return LENGTH.pack(len(message)) + message


def format_request(request: ReadRequest) -> bytes:
    """All but the body, which follows when the reader is ready for it."""
    return orjson.dumps(
        {
            "url": request.url,
            "body_bytes": request.body_bytes,
            "headers": dict(request.headers),
            "max_links": request.max_links,
            "least_similar_chars": request.least_similar_chars,
            "validation": request.validation.model_dump(mode="json"),
            "only": _format_selectors(request.profile.only),
            "without": _format_selectors(request.profile.without),
            "markdown": request.profile.markdown,
            "detects_language": request.profile.detects_language,
            "pdf_pages": request.pdf_pages,
            "is_heavy": request.is_heavy,
            "keep": sorted(request.keep),
        }
    )


def parse_request(head: bytes) -> ReadRequest:
    """Without the body."""
    said = orjson.loads(head)
    profile = ExtractionProfile(
        only=_parse_selectors(said["only"]),
        without=_parse_selectors(said["without"]),
        markdown=bool(said["markdown"]),
        detects_language=bool(said["detects_language"]),
    )
    return ReadRequest(
        body=b"",
        body_bytes=said["body_bytes"],
        url=said["url"],
        headers=said["headers"],
        max_links=said["max_links"],
        least_similar_chars=said["least_similar_chars"],
        validation=ValidationSettings.model_validate(said["validation"]),
        profile=profile,
        keep=frozenset(said["keep"]),
        pdf_pages=said["pdf_pages"],
        is_heavy=said["is_heavy"],
    )


def format_reading(reading: ReadPage, *, has_text: bool = False) -> bytes:
    """A head, then the parts of the page one after the other. Links and images are the JSON that was packed:
    nothing is written twice. `has_text`: the receiver needs the text, too; otherwise it holds only what is
    packed."""
    page, parts = pack_with_parts(reading.page, reading.links.values(), reading.images.values())
    keys = array(KEY, [*reading.links, *reading.images]).tobytes()
    text = parts.text if has_text else b""
    tail = (keys, parts.links, parts.images, text, page.content)
    said = {
        "page": (*_list_fields(page), len(page.content)),
        "sizes": [len(part) for part in tail],
        "has_text": has_text,
        "is_noindex": reading.page.is_noindex,
        "is_nofollow": reading.page.is_nofollow,
        "is_pdf": reading.is_pdf,
        "verdict": None if reading.verdict is None else asdict(reading.verdict),
    }
    return b"".join((frame(orjson.dumps({"reading": said})), *tail))


def format_fault(kind: str, said: str | int = "") -> bytes:
    """`kind`: content, memory or bug."""
    return frame(orjson.dumps({kind: said}))


def parse_answer(answer: bytes) -> ReadResult | OutOfMemory:
    """Raises ContentError when the document cannot be read, ReaderError for a bug; ValueError, KeyError,
    TypeError or struct.error for an invalid answer."""
    (length,) = LENGTH.unpack_from(answer)
    start = LENGTH.size + length
    said = orjson.loads(answer[LENGTH.size : start])
    if "memory" in said:
        return OutOfMemory(needed_bytes=int(said["memory"]))
    if "content" in said:
        raise ContentError(str(said["content"]))
    if "bug" in said:
        raise ReaderError(str(said["bug"]))
    return _parse_reading(said["reading"], memoryview(answer)[start:])


def _parse_reading(said: dict[str, Any], tail: memoryview) -> ReadResult:
    packed_keys, packed_links, packed_images, text, content = _split(tail, said["sizes"])
    fields = dict(zip(_PAGE_FIELDS, said["page"], strict=True))
    keys = array(KEY)
    keys.frombytes(packed_keys)
    links: list[PageLink] = list(map(tuple, orjson.loads(packed_links)))
    images: list[PageImage] = list(map(tuple, orjson.loads(packed_images)))
    return ReadResult(
        page=PackedPage(content=bytes(content), **fields),
        links=dict(zip(keys[: len(links)], links, strict=True)),
        images=dict(zip(keys[len(links) :], images, strict=True)),
        is_noindex=said["is_noindex"],
        is_nofollow=said["is_nofollow"],
        verdict=None if said["verdict"] is None else _parse_verdict(said["verdict"]),
        text=str(text, "utf-8") if said["has_text"] else None,
        is_pdf=said["is_pdf"],
    )


def _split(tail: memoryview, sizes: Sequence[int]) -> Iterator[memoryview]:
    start = 0
    for size in sizes:
        yield tail[start : start + size]
        start += size


def _parse_verdict(said: dict[str, Any]) -> Rejection:
    return Rejection(
        reason=RejectionReason(said["reason"]),
        signature=said["signature"],
        detail=said["detail"],
        vendor=said["vendor"],
    )


def _format_selectors(selectors: Sequence[Selector]) -> list[list[tuple[str, str]]]:
    return [[(step.compound, step.combinator) for step in selector.steps] for selector in selectors]


def _parse_selectors(said: list[list[Any]]) -> tuple[Selector, ...]:
    return tuple(
        Selector(
            steps=tuple(
                CompoundSelector(compound=compound, combinator=combinator) for compound, combinator in steps
            )
        )
        for steps in said
    )
