"""Settings of requests, and of what is extracted from responses."""

import re
from enum import StrEnum
from typing import Annotated, Final

from pydantic import AfterValidator, Field

from tenax import __version__
from tenax.config.masking import HeaderLine
from tenax.config.section import Section

PRODUCT_TOKEN = "tenax"
MAX_SELECTORS = 10  # of each kind
MAX_CONTENT_TYPES = 20
MAX_RESPONSE_HEADERS = 20  # kept with a url


class FetchSettings(Section):
    user_agent: str | None = Field(None, description="Replaces the default `tenax/VERSION (+contact)`.")
    contact: str | None = Field(
        None,
        description="URL or email address under which site owners can reach you. Part of the default user "
        "agent.",
    )
    timeout_s: float = Field(30.0, gt=0, description="Total timeout of a request, in seconds.")
    connect_timeout_s: float = Field(
        10.0, gt=0, description="Timeout of connecting, including the TLS handshake, in seconds."
    )
    max_bytes: int = Field(
        10_000_000, ge=1024, description="Maximum size of a response body after decoding, in bytes."
    )
    max_header_bytes: int = Field(
        65_536, ge=1024, description="Maximum size of all headers of a response, in bytes."
    )
    allow_private: bool = Field(
        False, description="Whether to allow loopback, private and other special addresses."
    )
    resolve: tuple[str, ...] = Field(
        (), description="`HOST:IP` pairs that replace DNS lookups. `*` as HOST matches every host."
    )
    dns_timeout_s: float = Field(5.0, gt=0, description="Timeout of a DNS lookup, in seconds.")
    dns_servers: tuple[str, ...] = Field((), description="DNS servers. Unset: those of the system.")
    headers: tuple[HeaderLine, ...] = Field(
        (), description="`Name: value` lines that are sent to `header_origins`, and nowhere else."
    )
    header_origins: tuple[str, ...] = Field(
        (),
        description="Origins that receive `headers`, such as https://example.com or http://127.0.0.1:8080.",
    )

    def format_user_agent(self) -> str:
        if self.user_agent:
            return self.user_agent
        contact = f" (+{self.contact})" if self.contact else ""
        return f"{PRODUCT_TOKEN}/{__version__}{contact}"


_match_header_name = re.compile(r"[!#$%&'*+.^_`|~0-9a-z-]{1,100}").fullmatch


def _read_header_name(name: str) -> str:
    lower = name.lower()
    if _match_header_name(lower) is None:
        raise ValueError("this is not the name of a header, such as server")
    return lower


HeaderName = Annotated[str, AfterValidator(_read_header_name)]


class ArticleUse(StrEnum):
    """On which pages the built-in parser of articles runs."""

    NEVER = "never"
    FALLBACK = "fallback"  # where no other parser of the run made an item
    ALWAYS = "always"


class ContentType(StrEnum):
    """What can be read besides HTML."""

    PDF = "application/pdf"


PDF: Final[str] = ContentType.PDF.value


class ExtractSettings(Section):
    content_types: tuple[ContentType, ...] = Field(
        (),
        max_length=MAX_CONTENT_TYPES,
        description="Content types to read besides HTML: `application/pdf`. Documents of other types are "
        "recorded, not downloaded.",
    )
    pdf_pages: int = Field(
        500, ge=1, le=100_000, description="How many pages of a PDF to read. The rest is ignored."
    )
    only: tuple[str, ...] = Field(
        (),
        max_length=MAX_SELECTORS,
        description="CSS selectors. If set, only the text of matching elements is extracted.",
    )
    without: tuple[str, ...] = Field(
        (),
        max_length=MAX_SELECTORS,
        description="CSS selectors. The text of matching elements is left out.",
    )
    response_headers: tuple[HeaderName, ...] = Field(
        (),
        max_length=MAX_RESPONSE_HEADERS,
        description="Response headers to store with each URL, such as `server` or `x-cache`.",
    )
    article: ArticleUse = Field(
        ArticleUse.NEVER,
        description="Whether the built-in parser makes an item of each page that is an article: `never`, "
        "`always`, or as a `fallback` of pages from which no other parser made an item.",
    )
    detect_language: bool = Field(
        False, description="Detect the language of pages that do not say it, from their text."
    )
    markdown: bool = Field(
        False,
        description="Keep the Markdown of each page, for `tenax export markdown` and `chunks`. Stored pages "
        "get theirs when they are next fetched in full.",
    )

    @property
    def reads_pdf(self) -> bool:
        return PDF in self.content_types


class ReaderSettings(Section):
    """The separate process for documents that are too large for a worker or have crashed one."""

    memory_mb: int = Field(
        512,
        ge=100,
        description="Maximum memory of the separate process that parses large documents and PDFs, in "
        "megabytes, in addition to that of its worker. A machine parses one large document at a time.",
    )
    cpu_s: int = Field(60, ge=1, description="Maximum CPU time for one document there, in seconds.")
