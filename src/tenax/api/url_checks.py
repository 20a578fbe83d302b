"""Checks of URLs in requests, before anything is done with them."""

from collections.abc import Sequence
from ipaddress import ip_address
from typing import Annotated

from pydantic import AfterValidator, Field

from tenax.api.errors import Fault, Problem
from tenax.config.settings import Settings
from tenax.errors import UsageError
from tenax.fetch.guard import Guard
from tenax.stores.contracts.crawls import LONGEST_NAME, check_name
from tenax.web.parameters import ALL_NAMES, Names
from tenax.web.urls import host_of, parse_url

MOST_URLS = 1000
LONGEST_URL = 8000
LOCAL_NAMES = ("localhost", "ip6-localhost", "ip6-loopback")
LOCAL_ENDINGS = (".localhost", ".local", ".localdomain", ".internal", ".home.arpa")

Urls = Annotated[
    list[Annotated[str, Field(max_length=LONGEST_URL)]],
    Field(
        min_length=1,
        max_length=MOST_URLS,
        description="http or https URLs.",
        examples=[["https://example.com/"]],
    ),
]


def _check_name(name: str) -> str:
    try:
        return check_name(name)
    except UsageError as error:
        raise ValueError(str(error)) from error


CrawlName = Annotated[str, Field(max_length=LONGEST_NAME, examples=["docs"]), AfterValidator(_check_name)]


def check_urls(
    urls: Sequence[str], settings: Settings, where: str = "body.urls", *, keep: Names | None = None
) -> list[str]:
    """Normalize and deduplicate URLs. Raises a Problem that lists all invalid ones; then none is accepted.
    `keep`: query parameters to keep; None: those of the settings."""
    taken: dict[str, None] = {}
    faults = []
    for at, given in enumerate(urls):
        url = parse_url(given.strip(), keep=settings.scope.kept_names if keep is None else keep)
        fault = "Not an http or https URL." if url is None else find_url_fault(url, settings)
        if url is None or fault is not None:
            faults.append(Fault(where=f"{where}.{at}", message=fault or ""))
        else:
            taken[url] = None
    if faults:
        raise Problem(422, "Some URLs are not valid, so none was added: see faults.", faults=faults)
    return list(taken)


def parse_urls(urls: Sequence[str], where: str = "body.urls") -> list[str]:
    """Parse URLs that may be in the store, with all query parameters; whether they may be requested is
    checked elsewhere. Raises a Problem that lists all invalid ones."""
    parsed = [parse_url(given.strip(), keep=ALL_NAMES) for given in urls]
    faults = [
        Fault(where=f"{where}.{at}", message="Not an http or https URL.")
        for at, url in enumerate(parsed)
        if url is None
    ]
    if faults:
        raise Problem(422, "Some URLs are not valid, so nothing was done: see faults.", faults=faults)
    return [url for url in dict.fromkeys(parsed) if url is not None]


def find_url_fault(url: str, settings: Settings) -> str | None:
    """Why a URL is not accepted; None: it is. What a host name resolves to is checked when it is
    requested."""
    if len(url) > settings.limits.url_length:
        return f"Longer than {settings.limits.url_length} characters."
    # A trailing dot means the same host.
    host = host_of(url).strip("[]").lower().rstrip(".")
    if settings.fetch.allow_private:
        return None
    if host in LOCAL_NAMES or host.endswith(LOCAL_ENDINGS):
        return "Points to this machine or its network; the setting fetch.allow_private would allow it."
    try:
        ip_address(host)
    except ValueError:
        return None
    if Guard(allow_private=False).check(host) is None:
        return None
    return "Not a public address; the setting fetch.allow_private would allow it."
