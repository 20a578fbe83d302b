"""Pages: the list, one in full, its text, its links, and the history of its visits."""

import asyncio
from datetime import datetime
from typing import Annotated, Literal

from fastapi import Query
from pydantic import Field
from starlette.responses import PlainTextResponse

from tenax.accounts.permissions import Role
from tenax.api.errors import Problem, invalid, not_found
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.paging import CursorQuery, LimitQuery, Part, format_cursor, format_part, parse_slice
from tenax.api.parameters import (
    DomainQuery,
    FateQuery,
    MaxCharsQuery,
    OverlapCharsQuery,
    SinceQuery,
    SourceQuery,
    StatusQuery,
    TargetCharsQuery,
    Text,
    UntilQuery,
    UrlIdPath,
    UrlQuery,
    VisitedInQuery,
    Word,
    find_domain,
    find_instant,
    find_sizes,
    find_url,
)
from tenax.api.routes.visits import Visit
from tenax.api.schemas import PriorityField, Schema
from tenax.api.service import ServiceDep
from tenax.extract.chunks import MAX_CHARS, TARGET_CHARS, split_markdown
from tenax.extract.profile import NOT_KEPT
from tenax.records.urls import Fate
from tenax.stores.paging import ListPosition
from tenax.stores.queries.bodies import VisitBody
from tenax.stores.queries.duplicates import MOST_MEMBERS
from tenax.stores.queries.export.fields import format_hash
from tenax.stores.queries.pages import (
    PageFilter,
    PageReport,
    find_page,
    load_links,
    load_markdown,
    load_text,
    slice_pages,
)
from tenax.stores.queries.visits import slice_url_visits

router = new_router("pages")

Sort = Literal["id", "-id", "-first_fetched_at", "-fetched_at", "-changed_at"]
NEEDS_DOMAIN = ("-fetched_at", "-changed_at")
LINK_SORT, VISIT_SORT = "place", "-at"


class Page(Schema):
    id: int = Field(description="The id of the page's URL.")
    url: str = Field(examples=["https://example.com/about"])
    domain: str = Field(examples=["example.com"])
    fate: Fate = Field(description="`duplicate`: its text is the same as that of another page.")
    status: int
    content_type: str | None = Field(examples=["text/html"])
    language: str | None = Field(description="The language that the page declares.", examples=["en"])
    title: str | None
    description: str | None
    body_bytes: int = Field(description="The size of the decoded body.")
    links_count: int
    images_count: int
    fetched_at: datetime = Field(
        description="When the page was last fetched in full; later visits may have found it unchanged."
    )
    changed_at: datetime = Field(description="When its text last changed.")
    first_fetched_at: datetime | None = Field(description="null: fetched before this was recorded.")


class NearPage(Schema):
    id: int = Field(description="The id of the page's URL.")
    url: str = Field(examples=["https://example.com/about?print=1"])
    bits: int | None = Field(
        description="In how many of 64 bits the fingerprints differ; null: one of the texts has none.",
        examples=[2],
    )


class StoredBody(Schema):
    """What `GET /api/v1/pages/{id}/body` returns."""

    bytes: int = Field(description="Its size, decoded.", examples=[7512])
    stored_bytes: int = Field(description="Its size on disk, compressed.", examples=[1873])
    visited_at: datetime = Field(description="The visit that stored it, or found the same bytes again.")
    sha256: str = Field(examples=["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"])


class PageDetail(Page):
    charset: str
    canonical: str | None = Field(description="The canonical URL that the page declares.")
    duplicate_of: str | None
    near_duplicate_of: NearPage | None = Field(description="The page that it nearly repeats.")
    near_duplicates: list[NearPage] = Field(
        description=f"The first {MOST_MEMBERS} pages that nearly repeat it."
    )
    content_hash: str = Field(description="Hash of its text.", examples=["0f3a5c7e9b1d2f46"])
    simhash: str | None = Field(
        description="Fingerprint of its text: similar texts differ in few bits. null: its text is too short, "
        "or it was not compared.",
        examples=["81c2e04f9a6b3d57"],
    )
    depth: int = Field(description="Number of links from a seed.")
    priority: PriorityField
    is_seed: bool
    discovered_at: datetime
    found_on: str | None = Field(
        description="The page on which it was first found; null: it was added directly."
    )
    revisit_at: datetime | None = Field(description="When a refresh visits it again.")
    unchanged_count: int = Field(description="Consecutive visits that found no change.")
    run_id: int | None = Field(description="The run that last visited it.")
    stored_body: StoredBody | None = Field(description="The newest that is stored; null: none is.")
    response_headers: dict[str, str] | None = Field(
        description="The headers of the last response that `extract.response_headers` lists; null: it had "
        "none of them.",
        examples=[{"server": "nginx"}],
    )


class PageChunk(Schema):
    id: str = Field(
        description="The same as long as the page, the headings above it and its text are the same.",
        examples=["8297883bef000858fc1f"],
    )
    position: int = Field(description="Its place in the page, from 0.")
    headings: list[str] = Field(
        description="The headings above it, the outermost first.", examples=[["Guide", "Install"]]
    )
    text: str = Field(description="Markdown.")


class MarkdownResponse(PlainTextResponse):
    media_type = "text/markdown"


class Link(Schema):
    url: str
    rel: str = Field(examples=["nofollow"])
    anchor: str = Field(description="The text of the link.")
    tag: str = Field(description="The HTML element of the link.", examples=["a"])


@router.get("/pages", summary="List pages", response_model=Part[Page], **allow(Role.USER))
async def list_pages(
    service: ServiceDep,
    url: UrlQuery = None,
    domain: DomainQuery = None,
    status: StatusQuery = None,
    content_type: Annotated[
        Word | None,
        Query(description="Only pages whose content type starts with this.", examples=["text/html"]),
    ] = None,
    language: Annotated[
        Word | None, Query(description="Only pages in this language; `en` includes en-GB.", examples=["en"])
    ] = None,
    q: Annotated[
        Text | None, Query(description="Only pages whose title or URL contains this text.", examples=["boat"])
    ] = None,
    run: VisitedInQuery = None,
    source: SourceQuery = None,
    fate: FateQuery = None,
    since: SinceQuery = None,
    until: UntilQuery = None,
    changed_since: SinceQuery = None,
    fetched_since: SinceQuery = None,
    sort: Annotated[
        Sort,
        Query(
            description="A leading minus sorts newest first. `-fetched_at` and `-changed_at` require a "
            "domain."
        ),
    ] = "id",
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> Part[Page]:
    """Returns stored pages whose URLs still exist; `since` and `until` apply to the last fetch. Without a
    domain, filters scan the list: a part may have few entries although more follow."""
    if sort in NEEDS_DOMAIN and domain is None:
        raise invalid(
            f"Sorting by {sort} requires a domain: all pages would have to be sorted.", "query.sort"
        )
    wanted = parse_slice(sort, limit, cursor)
    only = PageFilter(
        url=find_url(url),
        domain=find_domain(domain),
        status=status,
        content_type=content_type,
        language=language,
        text=q,
        run_id=run,
        source=source,
        fate=fate,
        since=find_instant(since),
        until=find_instant(until),
        changed_since=find_instant(changed_since),
        fetched_since=find_instant(fetched_since),
    )
    found = await service.access.read(lambda connection: slice_pages(connection, wanted, only))
    return format_part(found, Page, sort)


@router.get(
    "/pages/{id}", summary="Get a page", response_model=PageDetail, **allow(Role.USER, responses=(404,))
)
async def get_page(service: ServiceDep, id: UrlIdPath) -> PageDetail:
    """Returns the stored page, even if its URL now responds differently; its fate says so."""
    found = await service.access.read(lambda connection: find_page(connection, id))
    if found is None:
        raise _unknown(id)
    return _format_page(found)


@router.get(
    "/pages/{id}/text",
    summary="Get the text of a page",
    response_class=PlainTextResponse,
    **allow(Role.USER, responses=(404,)),
)
async def get_page_text(service: ServiceDep, id: UrlIdPath) -> PlainTextResponse:
    """Returns the text of the page, without markup."""
    text = await service.access.read(lambda connection: load_text(connection, id))
    if text is None:
        raise _unknown(id)
    return PlainTextResponse(text, headers={"Content-Disposition": f'inline; filename="page-{id}.txt"'})


@router.get(
    "/pages/{id}/markdown",
    summary="Get the Markdown of a page",
    response_class=MarkdownResponse,
    **allow(Role.USER, responses=(404,)),
)
async def get_page_markdown(service: ServiceDep, id: UrlIdPath) -> MarkdownResponse:
    """Returns the Markdown of the page as plain text, if `extract.markdown` kept it; otherwise 404."""
    found = await _load_markdown(service, id)
    headers = {
        "Content-Disposition": f'inline; filename="page-{id}.md"',
        "X-Content-Type-Options": "nosniff",
    }
    return MarkdownResponse(found[1], headers=headers)


@router.get(
    "/pages/{id}/chunks",
    summary="List the chunks of a page",
    response_model=list[PageChunk],
    **allow(Role.USER, responses=(404,)),
)
async def list_page_chunks(
    service: ServiceDep,
    id: UrlIdPath,
    target_chars: TargetCharsQuery = TARGET_CHARS,
    max_chars: MaxCharsQuery = MAX_CHARS,
    overlap_chars: OverlapCharsQuery = 0,
) -> list[PageChunk]:
    """Returns the Markdown of the page in chunks for retrieval, split at its headings."""
    sizes = find_sizes(target_chars, max_chars, overlap_chars)
    url, markdown = await _load_markdown(service, id)
    chunks = await asyncio.to_thread(split_markdown, markdown, url, sizes)
    return [
        PageChunk(id=chunk.id, position=chunk.position, headings=list(chunk.headings), text=chunk.text)
        for chunk in chunks
    ]


async def _load_markdown(service: ServiceDep, id: int) -> tuple[str, str]:
    found = await service.access.read(lambda connection: load_markdown(connection, id))
    if found is None:
        raise _unknown(id)
    if found.markdown is None:
        raise Problem(404, NOT_KEPT)
    return found.url, found.markdown


@router.get(
    "/pages/{id}/links",
    summary="List the links of a page",
    response_model=Part[Link],
    **allow(Role.USER, responses=(404,)),
)
async def list_page_links(
    service: ServiceDep, id: UrlIdPath, limit: LimitQuery = 50, cursor: CursorQuery = None
) -> Part[Link]:
    """Returns the links in the order of the page."""
    wanted = parse_slice(LINK_SORT, limit, cursor)
    links = await service.access.read(lambda connection: load_links(connection, id))
    if links is None:
        raise _unknown(id)
    begin = max(wanted.after.number, 0) if wanted.after else 0
    end = begin + limit
    shown = [Link(url=url, rel=rel, anchor=anchor, tag=tag) for url, rel, anchor, tag in links[begin:end]]
    return Part(
        items=shown, next=format_cursor(ListPosition(end, end) if end < len(links) else None, LINK_SORT)
    )


@router.get(
    "/pages/{id}/visits",
    summary="List the visits of a page",
    response_model=Part[Visit],
    **allow(Role.USER, responses=(404,)),
)
async def list_page_visits(
    service: ServiceDep, id: UrlIdPath, limit: LimitQuery = 50, cursor: CursorQuery = None
) -> Part[Visit]:
    """Returns every visit of the page's URL, newest first. They are found by scanning the visits of its
    domain: a part may have few entries although more follow."""
    wanted = parse_slice(VISIT_SORT, limit, cursor)
    found = await service.access.read(lambda connection: slice_url_visits(connection, wanted, id))
    if found is None:
        raise _unknown(id)
    return format_part(found, Visit, VISIT_SORT)


def _format_page(found: PageReport) -> PageDetail:
    url = found.url
    return PageDetail(
        **Page.model_validate(found.summary).model_dump(),
        charset=found.charset,
        canonical=found.canonical,
        duplicate_of=url.to_url if url.fate is Fate.DUPLICATE else None,
        near_duplicate_of=None if found.original is None else NearPage.model_validate(found.original),
        near_duplicates=[NearPage.model_validate(each) for each in found.copies],
        content_hash=format_hash(found.content_hash),
        simhash=None if found.simhash is None else format_hash(found.simhash),
        depth=url.depth,
        priority=url.priority,
        is_seed=url.is_seed,
        discovered_at=url.discovered_at,
        found_on=url.found_on,
        revisit_at=url.revisit_at,
        unchanged_count=found.unchanged_count,
        run_id=url.run_id,
        stored_body=None if found.body is None else _format_body(found.body),
        response_headers=url.response_headers,
    )


def _format_body(found: VisitBody) -> StoredBody:
    body = found.body
    return StoredBody(
        bytes=body.size, stored_bytes=body.length, visited_at=found.at, sha256=body.digest.hex()
    )


def _unknown(id: int) -> Problem:
    return not_found(f"Page {id}")
