"""Settings of requests and of what is kept of their answers."""

import re
from typing import Annotated

from pydantic import AfterValidator, Field

from tenax import __version__
from tenax.config.masking import HeaderLine
from tenax.config.section import Section

PRODUCT_TOKEN = "tenax"
MOST_SELECTORS = 10  # of a kind
MOST_RESPONSE_HEADERS = 20  # that are kept


class FetchSettings(Section):
    user_agent: str | None = Field(None, description="Replaces the default `tenax/VERSION (+contact)`.")
    contact: str | None = Field(
        None, description="URL or mail address for site owners; part of the user agent."
    )
    timeout_s: float = Field(30.0, gt=0, description="Total deadline of a request.")
    connect_timeout_s: float = Field(10.0, gt=0, description="Deadline of connecting, TLS included.")
    max_bytes: int = Field(10_000_000, ge=1024, description="Decoded bytes of a body.")
    max_header_bytes: int = Field(65_536, ge=1024, description="Bytes of all headers of an answer.")
    allow_private: bool = Field(False, description="Allow loopback, private and other special addresses.")
    resolve: tuple[str, ...] = Field(
        (), description="HOST:IP pairs that replace look-ups; `*` as HOST means every host."
    )
    dns_timeout_s: float = Field(5.0, gt=0, description="Deadline of a look-up.")
    dns_servers: tuple[str, ...] = Field((), description="Name servers; none: the system's.")
    headers: tuple[HeaderLine, ...] = Field(
        (), description="`Name: value` lines that are sent to `header_origins`, and nowhere else."
    )
    header_origins: tuple[str, ...] = Field(
        (), description="Origins that get `headers`, as https://example.com or http://127.0.0.1:8080."
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


class ExtractSettings(Section):
    only: tuple[str, ...] = Field(
        (),
        max_length=MOST_SELECTORS,
        description="CSS selectors; when given, the text of a page is that of the elements that match one.",
    )
    without: tuple[str, ...] = Field(
        (),
        max_length=MOST_SELECTORS,
        description="CSS selectors; elements that match one are left out of the text.",
    )
    response_headers: tuple[HeaderName, ...] = Field(
        (),
        max_length=MOST_RESPONSE_HEADERS,
        description="Headers of answers that are kept with the url, such as `server` or `x-cache`.",
    )


class ReaderSettings(Section):
    """Of the process that reads what is too large for a worker, or has killed one."""

    memory_mb: int = Field(
        512,
        ge=100,
        description="Most memory that it takes, in millions of bytes, beside that of its worker. One large "
        "document is read at a time on a machine.",
    )
    cpu_s: int = Field(60, ge=1, description="Most CPU time that one document takes there.")
