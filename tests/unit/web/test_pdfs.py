"""Which answers are PDFs."""

import pytest

from tenax.web.pdfs import begins_like_pdf, is_known_type, is_pdf, may_be_pdf

PDF = b"%PDF-1.7\n"


def headers(content_type: str | None, disposition: str | None = None) -> dict[str, str]:
    said = {"content-type": content_type, "content-disposition": disposition}
    return {name: value for name, value in said.items() if value is not None}


@pytest.mark.parametrize(
    ("content_type", "path", "disposition"),
    [
        ("application/pdf", "/report", None),
        ("Application/PDF; qs=0.001", "/report", None),
        ("application/x-pdf", "/report", None),
        ("application/octet-stream", "/report.PDF", None),
        ("binary/octet-stream", "/report.pdf?v=2", None),
        ("application/octet-stream", "/get?id=3", 'attachment; filename="Report 3.pdf"'),
        ("application/x-download", "/get", "attachment; filename*=UTF-8''r%C3%A9sum%C3%A9.pdf"),
    ],
)
def test_headers_say_that_it_may_be_a_pdf(content_type: str, path: str, disposition: str | None) -> None:
    assert may_be_pdf(headers(content_type, disposition), f"https://a.test{path}")


@pytest.mark.parametrize(
    ("content_type", "path", "disposition"),
    [
        ("application/octet-stream", "/setup.exe", None),
        ("application/octet-stream", "/get?file=a.pdf.exe", None),
        ("application/octet-stream", "/x", 'attachment; filename="pdf.zip"'),
        ("image/png", "/report.pdf", None),
        ("text/plain", "/report.pdf", None),
        (None, "/report.pdf", None),
    ],
)
def test_headers_say_that_it_is_none(content_type: str | None, path: str, disposition: str | None) -> None:
    assert not may_be_pdf(headers(content_type, disposition), f"https://a.test{path}")


@pytest.mark.parametrize(
    ("content_type", "body", "expected"),
    [
        ("application/pdf", PDF, True),
        ("application/pdf", b"<p>Not found", True),  # reading it says that it is none
        ("application/octet-stream", PDF, True),
        ("text/html", PDF, True),
        (None, PDF, True),
        ("text/html", b"<p>%PDF-", False),
        ("application/octet-stream", b"PK\x03\x04", False),
    ],
)
def test_the_type_or_the_signature_decides(content_type: str | None, body: bytes, expected: bool) -> None:
    assert is_pdf(headers(content_type), body) is expected


def test_a_single_byte_may_be_the_beginning_of_one() -> None:
    assert begins_like_pdf(b"%")
    assert begins_like_pdf(PDF)
    assert not begins_like_pdf(b"<!doctype html>")


def test_some_types_say_nothing() -> None:
    assert not is_known_type("Application/Octet-Stream; charset=binary")
    assert is_known_type("text/html")
