"""The log of a run: paginated, as a stream, and as a file."""

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime
from functools import partial
from typing import Annotated

from fastapi import Header, Query
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from tenax.accounts.permissions import Role
from tenax.api.errors import not_found
from tenax.api.events.hub import HEARTBEAT, PREAMBLE
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.paging import LimitQuery
from tenax.api.parameters import RunIdPath
from tenax.api.routes.events import check_room, respond, stream
from tenax.api.schemas import Schema
from tenax.api.service import PrincipalDep, Service, ServiceDep
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import tell_time
from tenax.stores.queries.run_log.lines import LogKind, format_log_line
from tenax.stores.queries.run_log.log import LogPart, find_late_start, load_run_log
from tenax.stores.queries.run_log.positions import MOST_CHARS

router = new_router("runs")

LINES_AT_ONCE = 1000
POLL_EVERY_S = 0.5
POLLS_PER_HEARTBEAT = 20
MOST_POLLS = 1800

PositionQuery = Annotated[
    str | None,
    Query(
        max_length=MOST_CHARS,
        description="`next` from the previous response; omit it to start from the beginning.",
    ),
]
PositionHeader = Annotated[
    str | None, Header(alias="Last-Event-ID", max_length=MOST_CHARS, description="Continue after this event.")
]

NewestQuery = Annotated[
    int | None, Query(ge=1, le=100_000, description="Start with about this many of the latest visits.")
]


class LogEntry(Schema):
    at: datetime
    kind: LogKind
    event: str = Field(description="An outcome, a new state, or what a worker did.")
    domain: str | None
    url: str | None = Field(description="null: a visit of robots.txt.")
    status: int | None
    duration_ms: int | None
    wire_bytes: int | None
    detail: str | None = Field(description="The reason.")
    worker: int | None


class Log(BaseModel):
    items: list[LogEntry]
    next: str = Field(description="The cursor of the next part, even if that part does not exist yet.")
    is_last: bool = Field(description="Whether there is nothing more for now.")


@router.get(
    "/runs/{id}/log",
    summary="Read the log of a run",
    response_model=Log,
    **allow(Role.USER, responses=(404,)),
)
async def get_run_log(
    service: ServiceDep, id: RunIdPath, limit: LimitQuery = 200, cursor: PositionQuery = None
) -> Log:
    """Returns every visit, every change of a domain's state, and every worker that joined or left."""
    part = await _load(service, id, cursor, limit)
    return Log(
        items=[LogEntry.model_validate(line) for line in part.lines], next=part.position, is_last=part.is_last
    )


@router.get(
    "/runs/{id}/log/download",
    summary="Download the log of a run",
    response_class=StreamingResponse,
    **allow(Role.USER, responses=(404,)),
)
async def download_run_log(service: ServiceDep, id: RunIdPath) -> StreamingResponse:
    """Returns the log as text, one line per entry."""
    first = await _load(service, id, None, LINES_AT_ONCE)
    return StreamingResponse(
        _iter_text(service, id, first),
        media_type="text/plain; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="run-{id}.log"'},
    )


@router.get(
    "/runs/{id}/log/stream",
    **stream(
        summary="Follow the log of a run",
        kinds="`line`: an entry as in /runs/{id}/log.",
        responses=(404,),
    ),
)
async def stream_run_log(
    service: ServiceDep,
    principal: PrincipalDep,
    id: RunIdPath,
    last: PositionHeader = None,
    cursor: PositionQuery = None,
    newest: NewestQuery = None,
) -> StreamingResponse:
    """Streams the log from the beginning, or after the given event, until the client disconnects."""
    check_room(service, principal.name)
    after = last or cursor
    if after is None and newest is not None:
        after = await service.access.read(partial(find_late_start, run_id=id, newest=newest))
    first = await _load(service, id, after, LINES_AT_ONCE)
    return respond(service, principal.name, _follow(service, id, first))


async def _load(service: Service, run_id: int, after: str | None, limit: int) -> LogPart:
    def load(connection: Connection) -> LogPart | None:
        now = tell_time(service.place, connection)
        return load_run_log(connection, run_id, after=after, limit=limit, now=now)

    part = await service.access.read(load)
    if part is None:
        raise not_found(f"Run {run_id}")
    return part


async def _iter_text(service: Service, run_id: int, part: LogPart) -> AsyncIterator[str]:
    while True:
        yield "".join(f"{format_log_line(line)}\n" for line in part.lines)
        if part.is_last:
            return
        part = await _load(service, run_id, part.position, LINES_AT_ONCE)


async def _follow(service: Service, run_id: int, part: LogPart) -> AsyncIterator[bytes]:
    yield PREAMBLE
    for poll in range(MOST_POLLS):
        if service.hubs.is_closed:
            return
        if part.lines:
            yield _format_part(part)
        elif poll % POLLS_PER_HEARTBEAT == 0:
            yield HEARTBEAT
        if part.is_last:
            await asyncio.sleep(POLL_EVERY_S)
        part = await _load(service, run_id, part.position, LINES_AT_ONCE)


def _format_part(part: LogPart) -> bytes:
    """The position goes with the last line: a client that missed some of the part receives all of it
    again."""
    entries = [LogEntry.model_validate(line).model_dump_json() for line in part.lines]
    events = [f"event: line\ndata: {entry}\n\n" for entry in entries]
    return "".join([*events[:-1], f"id: {part.position}\n{events[-1]}"]).encode()
