"""What is read of a PDF. Those that are built to hurt are for readers: see test_pdf_reader.py."""

import pytest

from tenax.config.fetch import ExtractSettings
from tenax.errors import ConfigError, ContentError
from tenax.extract import pdf
from tenax.extract.pdf import MISSING, PdfText, read_pdf
from tenax.extract.profile import ExtractionProfile
from tests.support.pdfs import PdfPage, build_pdf, encrypted_pdf, scanned_pdf, text_pdf


def read(body: bytes, most_pages: int = 500, most_links: int = 1000) -> PdfText:
    return read_pdf(body, most_pages=most_pages, most_links=most_links)


def test_text_comes_in_pages_and_lines() -> None:
    body = build_pdf([PdfPage(lines=("One — é", "two")), PdfPage(lines=("three",))])
    assert read(body).pages == ("One — é\r\ntwo", "three")


def test_properties_are_those_of_the_document() -> None:
    found = read(build_pdf([PdfPage()], title="Über uns", subject="All of it", language="de-AT"))
    assert (found.title, found.subject, found.language) == ("Über uns", "All of it", "de-AT")


def test_properties_may_be_missing() -> None:
    found = read(text_pdf("x"))
    assert (found.title, found.subject, found.language) == (None, None, None)


def test_links_are_those_of_annotations_once() -> None:
    links = ("https://a.test/", "b.html", "https://a.test/")
    body = build_pdf([PdfPage(links=links), PdfPage(links=("mailto:x@a.test",))])
    assert read(body).links == ("https://a.test/", "b.html", "mailto:x@a.test")
    assert read(body, most_links=1).links == ("https://a.test/",)


def test_no_more_annotations_are_looked_at_than_that(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "MAX_NOTES", 3)
    body = build_pdf([PdfPage(links=("/a", "/a")), PdfPage(links=("/b", "/c"))])
    assert read(body).links == ("/a", "/b")


def test_no_more_pages_are_read_than_that() -> None:
    body = build_pdf([PdfPage(lines=(f"Page {number}",)) for number in range(9)])
    assert read(body, most_pages=2).pages == ("Page 0", "Page 1")


def test_no_more_text_is_read_than_that(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "MAX_TEXT_CHARS", 7)
    body = build_pdf([PdfPage(lines=("12345",)), PdfPage(lines=("12345",)), PdfPage(lines=("12345",))])
    assert read(body).pages == ("12345", "12", "")


def test_a_damaged_pdf_is_read_as_far_as_it_can_be() -> None:
    body = build_pdf([PdfPage(lines=("whole",)), PdfPage(lines=("damaged",))])
    lost = body.rindex(b"stream\n", 0, body.rindex(b"endstream"))
    damaged = body[:lost] + b"stream\n" + bytes(20) + body[lost + 27 :]
    assert read(damaged.replace(b"startxref\n", b"startxref\n9")).pages == ("whole", "")


def test_a_scan_has_no_text() -> None:
    assert read(scanned_pdf()).pages == ("",)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (encrypted_pdf("secret"), "the PDF is encrypted with a password"),
        (text_pdf("x")[:60], "the PDF is damaged or cut off"),
        (b"%PDF-1.7\n" + b"\0" * 1000, "the PDF is damaged or cut off"),
        (build_pdf([]), "the PDF is damaged or cut off"),
        (b"<p>Please log in", "the server says that it is a PDF, and it is none"),
        (b"", "the server says that it is a PDF, and it is none"),
    ],
)
def test_what_cannot_be_read_says_why(body: bytes, said: str) -> None:
    with pytest.raises(ContentError, match=said):
        read(body)


def test_without_the_package_settings_that_need_it_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"pip install \"tenax\[pdf\]\"") as caught:
        ExtractionProfile.build(ExtractSettings(content_types=("application/pdf",)))
    assert str(caught.value) == MISSING
    assert ExtractionProfile.build(ExtractSettings()).pdf_pages is None
