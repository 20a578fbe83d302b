"""Parameters that routes share: ids, times, names, URLs."""

from datetime import UTC, datetime
from functools import partial
from typing import Annotated, Any

from fastapi import Path, Query
from pydantic import BeforeValidator, StringConstraints

from tenax.api.errors import invalid, not_found
from tenax.api.service import Service
from tenax.clock import Instant
from tenax.errors import UsageError
from tenax.extract.chunks import LEAST_CHARS, MOST_CHARS, ChunkSizes, check_sizes
from tenax.records.items import MAX_KIND_CHARS
from tenax.records.urls import Fate
from tenax.stores.queries.filters import find_domain_id
from tenax.web.parameters import ALL_NAMES
from tenax.web.urls import domain_of, parse_url, registrable_domain

# The largest integers that the store's columns can hold.
LARGEST_ID = (1 << 63) - 1
LARGEST_NUMBER = (1 << 31) - 1
MAX_URL_CHARS = 4_000

UrlIdPath = Annotated[int, Path(ge=1, le=LARGEST_ID, description="The id of the URL.", examples=[42])]
RunIdPath = Annotated[int, Path(ge=1, le=LARGEST_NUMBER, description="The id of the run.", examples=[7])]
JobIdPath = Annotated[int, Path(ge=1, le=LARGEST_NUMBER, description="The id of the job.", examples=[3])]
RunIdQuery = Annotated[
    int | None, Query(ge=1, le=LARGEST_NUMBER, description="Only entries of this run.", examples=[7])
]
StatusQuery = Annotated[
    int | None, Query(ge=100, le=999, description="Only entries with this HTTP status.", examples=[404])
]
DomainQuery = Annotated[
    str | None,
    Query(min_length=1, max_length=300, description="Only entries of this domain.", examples=["example.com"]),
]
SiteQuery = Annotated[
    str | None,
    Query(
        min_length=1,
        max_length=300,
        description="Only domains of this site: a registrable domain such as example.com, with all its "
        "subdomains.",
        examples=["example.com"],
    ),
]
Word = Annotated[str, StringConstraints(min_length=1, max_length=100)]
Text = Annotated[str, StringConstraints(min_length=1, max_length=200)]
TextQuery = Annotated[
    Text | None, Query(description="Only entries whose URL contains this text.", examples=["shop"])
]
UrlQuery = Annotated[
    str | None,
    Query(
        min_length=1,
        max_length=MAX_URL_CHARS,
        description="Only the entry with this URL.",
        examples=["https://example.com/about"],
    ),
]
_MOMENT = ["2026-05-01T12:30:00Z"]


def _refuse_number(value: Any) -> Any:
    """Reject numbers: they could mean seconds or milliseconds."""
    if isinstance(value, str) and "-" not in value[1:]:
        raise ValueError("Write the time as 2026-05-01T12:30:00Z.")
    return value


Moment = Annotated[datetime, BeforeValidator(_refuse_number)]
SinceQuery = Annotated[
    Moment | None,
    Query(description="Only entries from this time on; UTC unless a zone is given.", examples=_MOMENT),
]
UntilQuery = Annotated[Moment | None, Query(description="Only entries before this time.", examples=_MOMENT)]

SourceQuery = Annotated[
    str | None,
    Query(
        min_length=1,
        max_length=200,
        description="Only entries of the source or crawl with this name.",
        examples=["docs"],
    ),
]
VisitedInQuery = Annotated[
    int | None, Query(ge=1, le=LARGEST_NUMBER, description="Only entries that this run visited last.")
]
ItemKindQuery = Annotated[
    str | None,
    Query(
        min_length=1, max_length=MAX_KIND_CHARS, description="Only items of this kind.", examples=["product"]
    ),
]
FateQuery = Annotated[Fate | None, Query(description="Only entries with this fate.")]


def find_name(name: str, where: str = "path.name") -> str:
    """The canonical form of a domain name. Raises a Problem if it is not one."""
    url = parse_url(f"http://{name}/")
    if url is None:
        raise invalid("This is not a domain name: write, for example, example.com.", where)
    return domain_of(url)


def find_domain(name: str | None) -> str | None:
    """The same for an optional filter."""
    return None if name is None else find_name(name, "query.domain")


def find_site(name: str | None) -> str | None:
    """The site of a domain name; it may be given by any of its domains."""
    return None if name is None else registrable_domain(find_name(name, "query.site"))


async def get_domain_id(service: Service, name: str) -> int:
    """Raises a Problem if the domain is not in the store."""
    number = await service.access.read(partial(find_domain_id, name=name))
    if number is None:
        raise not_found(f"The domain {name}")
    return number


def find_url(address: str | None) -> str | None:
    """Normalize a URL, keeping all query parameters: which of them matter depends on the crawl."""
    if address is None:
        return None
    url = parse_url(address, keep=ALL_NAMES)
    if url is None:
        raise invalid("This is not a URL: write, for example, https://example.com/.", "query.url")
    return url


def find_instant(moment: datetime | None) -> Instant | None:
    if moment is None:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


TargetCharsQuery = Annotated[
    int,
    Query(ge=1, le=MOST_CHARS, description="Characters above which a block begins a new chunk."),
]
MaxCharsQuery = Annotated[
    int,
    Query(
        ge=LEAST_CHARS,
        le=MOST_CHARS,
        description="Maximum characters of a chunk. Only a block that is longer is cut.",
    ),
]
OverlapCharsQuery = Annotated[
    int, Query(ge=0, le=MOST_CHARS, description="Characters of the chunk before that are repeated.")
]


def find_sizes(target: int, most: int, overlap: int) -> ChunkSizes:
    sizes = ChunkSizes(target=target, most=most, overlap=overlap)
    try:
        check_sizes(sizes)
    except UsageError as error:
        raise invalid(str(error), "query.max_chars") from error
    return sizes
