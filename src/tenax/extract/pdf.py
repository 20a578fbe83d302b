"""Reads the text, the links and the properties of a PDF. The only room of pypdfium2, which is imported with
the first PDF.

PDFium is native code that ends its process when it runs out of memory, and it may crash: it is called in
reader processes only (crawl/reading/process.py), which limit its memory and its CPU time.
"""

import ctypes
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from importlib.util import find_spec
from typing import Any, Final

from tenax.errors import ConfigError, ContentError
from tenax.record import record
from tenax.web.pdfs import SIGNATURE

MISSING: Final = 'Reading PDFs needs an optional package: install it with pip install "tenax[pdf]".'
MAX_TEXT_CHARS: Final = 5_000_000  # of all pages
MAX_NOTES: Final = 20_000  # annotations that are looked at for links
_SIGNATURE_WITHIN: Final = 1024  # bytes, which other readers accept, too
_MAX_PROPERTY_BYTES: Final = 20_000
_MAX_URI_BYTES: Final = 16_384
_ENDS_OF_URI: Final = b"\0"
_WHY_CLOSED: Final = {
    4: "the PDF is encrypted with a password",
    5: "the PDF is encrypted in a way that cannot be read",
}
_DAMAGED: Final = "the PDF is damaged or cut off"


@record
class PdfText:
    title: str | None
    subject: str | None
    language: str | None
    pages: tuple[str, ...]  # their texts, with a line end after each line
    links: tuple[str, ...]  # addresses as they are written


def check_installed() -> None:
    """Raises ConfigError: the package is missing."""
    if find_spec("pypdfium2") is None:
        raise ConfigError(MISSING)


def read_pdf(body: bytes, *, most_pages: int, most_links: int) -> PdfText:
    """The first pages of a PDF. Raises ContentError when it cannot be read."""
    if SIGNATURE not in body[:_SIGNATURE_WITHIN]:
        raise ContentError("the server says that it is a PDF, and it is none")
    check_installed()
    import pypdfium2.raw

    with closing(_Pdf(pypdfium2.raw, body)) as pdf:
        return pdf.read(most_pages, most_links)


class _Pdf:
    """An open document."""

    def __init__(self, pdfium: Any, body: bytes) -> None:
        self._pdfium = pdfium
        self._body = body  # PDFium reads it where it is
        self._document = pdfium.FPDF_LoadMemDocument64(body, len(body), None)
        if not self._document:
            raise ContentError(_WHY_CLOSED.get(pdfium.FPDF_GetLastError(), _DAMAGED))

    def close(self) -> None:
        if self._document:
            self._pdfium.FPDF_CloseDocument(self._document)

    def read(self, most_pages: int, most_links: int) -> PdfText:
        texts: list[str] = []
        links: dict[str, None] = {}
        room, notes = MAX_TEXT_CHARS, MAX_NOTES
        count = self._pdfium.FPDF_GetPageCount(self._document)
        if count <= 0:
            raise ContentError(_DAMAGED)
        for index in range(min(count, most_pages)):
            with self._open_page(index) as page:
                if page is None:  # damaged: the others may be whole
                    continue
                texts.append(self._read_text(page, room))
                room -= len(texts[-1])
                if len(links) < most_links:
                    notes = self._add_links(page, links, most_links, notes)
        return PdfText(
            title=self._read_property(b"Title"),
            subject=self._read_property(b"Subject"),
            language=self._read_language(),
            pages=tuple(texts),
            links=tuple(links),
        )

    @contextmanager
    def _open_page(self, index: int) -> Iterator[Any]:
        page = self._pdfium.FPDF_LoadPage(self._document, index)
        try:
            yield page or None
        finally:
            if page:
                self._pdfium.FPDF_ClosePage(page)

    def _read_text(self, page: Any, most_chars: int) -> str:
        text = self._pdfium.FPDFText_LoadPage(page)
        if not text:
            return ""
        try:
            count = min(self._pdfium.FPDFText_CountChars(text), most_chars)
            if count <= 0:
                return ""
            buffer = (ctypes.c_ushort * (count + 1))()
            units = self._pdfium.FPDFText_GetText(text, 0, count, buffer)
            return _decode(memoryview(buffer)[: max(units - 1, 0)])
        finally:
            self._pdfium.FPDFText_ClosePage(text)

    def _add_links(self, page: Any, links: dict[str, None], most: int, notes: int) -> int:
        """Returns how many more annotations may be looked at."""
        position, link = ctypes.c_int(0), self._pdfium.FPDF_LINK()
        while notes > 0 and self._pdfium.FPDFLink_Enumerate(page, position, link):
            notes -= 1
            uri = self._read_uri(self._pdfium.FPDFLink_GetAction(link))
            if uri:
                links[uri] = None
                if len(links) >= most:
                    break
        return notes

    def _read_uri(self, action: Any) -> str:
        pdfium = self._pdfium
        if not action or pdfium.FPDFAction_GetType(action) != pdfium.PDFACTION_URI:
            return ""
        size = pdfium.FPDFAction_GetURIPath(self._document, action, None, 0)
        if not 1 < size <= _MAX_URI_BYTES:
            return ""
        buffer = ctypes.create_string_buffer(size)
        pdfium.FPDFAction_GetURIPath(self._document, action, buffer, size)
        return buffer.raw.partition(_ENDS_OF_URI)[0].decode("utf-8", "replace").strip()

    def _read_property(self, name: bytes) -> str | None:
        def read(buffer: Any, size: int) -> int:
            return int(self._pdfium.FPDF_GetMetaText(self._document, name, buffer, size))

        return _read_utf16(read)

    def _read_language(self) -> str | None:
        # Earlier versions of PDFium do not tell it.
        find = getattr(self._pdfium, "FPDFCatalog_GetLanguage", None)
        if find is None:
            return None
        return _read_utf16(lambda buffer, size: int(find(self._document, buffer, size)))


def _read_utf16(read: Callable[[Any, int], int]) -> str | None:
    size = read(None, 0)
    if not 2 < size <= _MAX_PROPERTY_BYTES:
        return None
    buffer = (ctypes.c_ushort * (size // 2))()
    read(buffer, size)
    return _decode(memoryview(buffer)[:-1]) or None


def _decode(units: memoryview) -> str:
    return units.tobytes().decode("utf-16-le", "replace")
