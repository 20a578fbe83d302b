"""Streams of server-sent events."""

from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import Header, Query
from fastapi.responses import StreamingResponse

from tenax.accounts.permissions import Role
from tenax.api.errors import Problem
from tenax.api.events.hub import MOST_LISTENERS, Hub
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.service import PrincipalDep, Service, ServiceDep

router = new_router("events", prefix="")

MEDIA_TYPE = "text/event-stream"
MOST_OF_ONE = 20

LastHeader = Annotated[
    str | None, Header(alias="Last-Event-ID", max_length=40, description="Continue after this event.")
]
LastQuery = Annotated[
    str | None,
    Query(max_length=40, description="The same as the header, for clients that cannot send headers."),
]


def describe(kinds: str) -> dict[int | str, Any]:
    return {200: {"description": kinds, "content": {MEDIA_TYPE: {"schema": {"type": "string"}}}}}


def stream(**options: Any) -> dict[str, Any]:
    """Arguments of a streaming route; `kinds` describes its events."""
    kinds = options.pop("kinds")
    rule = allow(Role.USER, responses=options.pop("responses", ()))
    rule["responses"] = {**rule["responses"], **describe(kinds)}
    return {"response_class": StreamingResponse, **rule, **options}


@router.get(
    "/sse/crawler/events",
    **stream(
        summary="Stream crawl events",
        kinds="`progress` twice a second, `run`, `domain` and `network` when a state changes.",
    ),
)
async def stream_crawler(
    service: ServiceDep, principal: PrincipalDep, last: LastHeader = None, last_event_id: LastQuery = None
) -> StreamingResponse:
    """Every event has an id; a client that reconnects with it receives what it missed."""
    return listen(service, service.hubs.crawler, principal.name, last or last_event_id)


@router.get(
    "/sse/health/events",
    **stream(summary="Stream health events", kinds="`health` every five seconds and on changes."),
)
async def stream_health(
    service: ServiceDep, principal: PrincipalDep, last: LastHeader = None, last_event_id: LastQuery = None
) -> StreamingResponse:
    """Streams what /health returns."""
    return listen(service, service.hubs.health, principal.name, last or last_event_id)


@router.get(
    "/sse/metrics/events",
    **stream(summary="Stream metrics", kinds="`metrics` every two seconds."),
)
async def stream_metrics(
    service: ServiceDep, principal: PrincipalDep, last: LastHeader = None, last_event_id: LastQuery = None
) -> StreamingResponse:
    """Streams rates and shares of the last two minutes."""
    return listen(service, service.hubs.metrics, principal.name, last or last_event_id)


@router.get(
    "/sse/items/events",
    **stream(
        summary="Stream changes of items",
        kinds="`item.changed` for every item that is new, has changed, is gone or has returned.",
    ),
)
async def stream_items(
    service: ServiceDep, principal: PrincipalDep, last: LastHeader = None, last_event_id: LastQuery = None
) -> StreamingResponse:
    """Streams changes as they are committed. A client that was away for long continues with the `cursor` of
    its last event at /api/v1/items/changes."""
    return listen(service, service.hubs.items, principal.name, last or last_event_id)


def listen(service: Service, hub: Hub, name: str, after: str | None) -> StreamingResponse:
    check_room(service, name)
    return respond(service, name, hub.listen(after))


def check_room(service: Service, name: str) -> None:
    if service.hubs.count_of(name) >= MOST_OF_ONE:
        raise Problem(429, f"The limit is {MOST_OF_ONE} streams per user: close one first.")
    if service.hubs.count() >= MOST_LISTENERS:
        raise Problem(503, "Too many open streams: try again later.", headers={"Retry-After": "30"})


def respond(service: Service, name: str, events: AsyncIterator[bytes]) -> StreamingResponse:
    return StreamingResponse(
        service.hubs.count_in(name, events),
        media_type=MEDIA_TYPE,
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )
