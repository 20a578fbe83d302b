"""Addresses that come in from outside: each is looked at before anything is done with it."""

from collections.abc import Sequence
from ipaddress import ip_address
from typing import Annotated

from pydantic import AfterValidator, Field

from tenax.api.errors import Fault, Problem
from tenax.config import Settings
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
        description="Addresses, http or https.",
        examples=[["https://example.com/"]],
    ),
]


def _check_name(name: str) -> str:
    try:
        return check_name(name)
    except UsageError as error:
        raise ValueError(str(error)) from error


CrawlName = Annotated[str, Field(max_length=LONGEST_NAME, examples=["docs"]), AfterValidator(_check_name)]


def take_urls(
    urls: Sequence[str], settings: Settings, where: str = "body.urls", *, keep: Names | None = None
) -> list[str]:
    """Addresses, each once. Raises a Problem that names all that cannot be taken, and takes none then.
    `keep`: parameters that count; None: as the settings have it."""
    taken: dict[str, None] = {}
    faults = []
    for at, given in enumerate(urls):
        url = parse_url(given.strip(), keep=settings.scope.kept_names if keep is None else keep)
        complaint = "Not an http or https URL." if url is None else find_complaint(url, settings)
        if url is None or complaint is not None:
            faults.append(Fault(where=f"{where}.{at}", message=complaint or ""))
        else:
            taken[url] = None
    if faults:
        raise Problem(422, "Some addresses cannot be taken, so none was: see faults.", faults=faults)
    return list(taken)


def parse_urls(urls: Sequence[str], where: str = "body.urls") -> list[str]:
    """Addresses of urls that the store may know, with all their parameters; whether they may be asked for was
    or will be seen elsewhere. Raises a Problem that names all that are none."""
    parsed = [parse_url(given.strip(), keep=ALL_NAMES) for given in urls]
    faults = [
        Fault(where=f"{where}.{at}", message="Not an http or https URL.")
        for at, url in enumerate(parsed)
        if url is None
    ]
    if faults:
        raise Problem(422, "Some of these are no addresses, so nothing was done: see faults.", faults=faults)
    return [url for url in dict.fromkeys(parsed) if url is not None]


def find_complaint(url: str, settings: Settings) -> str | None:
    """Why it cannot be taken; None: it can. What a name leads to is seen when it is asked for."""
    if len(url) > settings.limits.url_length:
        return f"Longer than {settings.limits.url_length} characters."
    # A dot at its end means the same host.
    host = host_of(url).strip("[]").lower().rstrip(".")
    if settings.fetch.allow_private:
        return None
    if host in LOCAL_NAMES or host.endswith(LOCAL_ENDINGS):
        return "Leads into this machine or its network, which the setting fetch.allow_private would allow."
    try:
        ip_address(host)
    except ValueError:
        return None
    if Guard(allow_private=False).check(host) is None:
        return None
    return "Not a public address, which the setting fetch.allow_private would allow."
