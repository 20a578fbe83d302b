"""Stored bodies of pages."""

import asyncio
from datetime import datetime
from typing import Annotated

from fastapi import Query
from pydantic import Field
from starlette.responses import Response

from tenax.accounts.permissions import Role
from tenax.api.errors import Problem, not_found
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.parameters import UrlIdPath
from tenax.api.schemas import Schema
from tenax.api.service import Service, ServiceDep
from tenax.blobs.frames import unpack_heads
from tenax.errors import StoreError
from tenax.runtime.bodies import read_body
from tenax.stores.queries.bodies import VisitBody, find_body

router = new_router("pages")

# A browser saves it and never shows it: it is whatever a site has sent.
INERT = {
    "Content-Security-Policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
}

VisitQuery = Annotated[
    int | None,
    Query(ge=1, le=2**63 - 1, description="The id of a visit; by default the newest that stored a body."),
]


class BodyFile(Response):
    media_type = "application/octet-stream"


class BodyHeaders(Schema):
    visited_at: datetime
    sent: list[str] = Field(
        description="The request before its body. Values that a user has set are hidden.",
        examples=[["GET /about HTTP/1.1", "Host: example.com"]],
    )
    received: list[str] = Field(
        description="The response before its body.", examples=[["HTTP/1.1 200 OK", "Content-Type: text/html"]]
    )


@router.get(
    "/pages/{id}/body",
    summary="Get the stored body of a page",
    response_class=BodyFile,
    **allow(Role.USER, responses=(404,)),
)
async def get_page_body(service: ServiceDep, id: UrlIdPath, visit: VisitQuery = None) -> BodyFile:
    """Returns the bytes that the server has sent, decoded, as a file to save."""
    found = await _find(service, id, visit)
    try:
        content = await asyncio.to_thread(read_body, service.place, found)
    except StoreError as error:
        raise Problem(404, "The file with this body is lost, damaged or on another machine.") from error
    headers = {**INERT, "Content-Disposition": f'attachment; filename="page-{id}.body"'}
    return BodyFile(content, headers=headers)


@router.get(
    "/pages/{id}/body/headers",
    summary="Get the headers of a stored body",
    response_model=BodyHeaders,
    **allow(Role.USER, responses=(404,)),
)
async def get_body_headers(service: ServiceDep, id: UrlIdPath, visit: VisitQuery = None) -> BodyHeaders:
    """Returns what was sent and received before the body, line by line."""
    found = await _find(service, id, visit)
    sent, received = unpack_heads(found.heads)
    return BodyHeaders(visited_at=found.at, sent=_list_lines(sent), received=_list_lines(received))


async def _find(service: Service, url_id: int, visit_id: int | None) -> VisitBody:
    found = await service.access.read(lambda connection: find_body(connection, url_id, visit_id))
    if found is None:
        raise not_found(f"A stored body of page {url_id}")
    return found


def _list_lines(head: bytes) -> list[str]:
    return head.decode("utf-8", "replace").split("\r\n")
