"""Which answers are PDFs."""

import re
from collections.abc import Mapping
from typing import Final

from tenax.config.fetch import PDF
from tenax.web.headers import parse_content_type

SIGNATURE: Final = b"%PDF-"
# Servers that do not know the type of a file say one of these.
UNKNOWN_TYPES: Final = frozenset(
    {
        "application/octet-stream",
        "application/download",
        "application/force-download",
        "application/x-download",
        "binary/octet-stream",
    }
)
PDF_TYPES: Final = frozenset({PDF, "application/x-pdf"})

_is_named_pdf = re.compile(r"[^?#]*\.pdf(?:[?#]|\Z)", re.IGNORECASE).match
_names_pdf = re.compile(r"filename\*?\s*=[^;]*\.pdf\b", re.IGNORECASE).search


def may_be_pdf(headers: Mapping[str, str], url: str) -> bool:
    """Whether the body of an answer is worth receiving, as far as its headers tell."""
    mime, _ = parse_content_type(headers.get("content-type"))
    if mime in PDF_TYPES:
        return True
    if mime not in UNKNOWN_TYPES:
        return False
    return bool(_is_named_pdf(url) or _names_pdf(headers.get("content-disposition", "")))


def is_known_type(content_type: str) -> bool:
    """Whether a Content-Type header says more than that it is some file."""
    return content_type.partition(";")[0].strip().lower() not in UNKNOWN_TYPES


def begins_like_pdf(start: bytes) -> bool:
    """`start`: of a body; perhaps only its first byte has arrived."""
    return SIGNATURE.startswith(start[: len(SIGNATURE)])


def is_pdf(headers: Mapping[str, str], body: bytes) -> bool:
    """Whether an answer is to be read as a PDF: it says so, or it is one whatever it says."""
    return parse_content_type(headers.get("content-type"))[0] in PDF_TYPES or body.startswith(SIGNATURE)
