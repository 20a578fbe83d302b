"""The audit log, for administrators."""

from datetime import datetime
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import Field

from tenax.accounts.permissions import Role, TokenScope
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.paging import CursorQuery, LimitQuery, Part, format_cursor, parse_slice
from tenax.api.parameters import SinceQuery, UntilQuery, find_instant
from tenax.api.schemas import Schema
from tenax.api.service import ServiceDep
from tenax.stores.accounts.audit import AuditEntry, AuditFilter, AuditOutcome, slice_audit

router = new_router("audit")

Sort = Literal["-at", "at"]


class Entry(Schema):
    id: int
    at: datetime
    actor: str = Field(description="Who performed the action.")
    kind: str = Field(description="How the actor was authenticated.", examples=["session"])
    address: str | None = Field(description="The IP address of the request.")
    action: str = Field(description="The action.", examples=["user.add"])
    target: str | None = Field(description="What the action was applied to.")
    detail: dict[str, Any]
    outcome: AuditOutcome


@router.get(
    "/audit",
    summary="Read the audit log",
    response_model=Part[Entry],
    **allow(Role.ADMIN, scope=TokenScope.ADMIN),
)
async def list_audit(
    service: ServiceDep,
    actor: Annotated[str | None, Query(max_length=200, description="Only actions of this actor.")] = None,
    action: Annotated[
        str | None,
        Query(max_length=100, description="Only this action, or all of a group: `user` includes user.add."),
    ] = None,
    target: Annotated[str | None, Query(max_length=200, description="Only actions on this target.")] = None,
    outcome: Annotated[AuditOutcome | None, Query(description="Only actions with this outcome.")] = None,
    since: SinceQuery = None,
    until: UntilQuery = None,
    sort: Annotated[Sort, Query(description="A leading minus sorts newest first.")] = "-at",
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> Part[Entry]:
    """Returns every change and every login of the last 400 days."""
    only = AuditFilter(
        actor=actor,
        action=action,
        target=target,
        outcome=outcome,
        since=find_instant(since),
        until=find_instant(until),
    )
    wanted = parse_slice(sort, limit, cursor)
    found = await service.access.read(partial(slice_audit, wanted=wanted, only=only))
    return Part(items=[_describe(each) for each in found.items], next=format_cursor(found.next, sort))


def _describe(entry: AuditEntry) -> Entry:
    return Entry(
        id=entry.id,
        at=entry.at,
        actor=entry.actor.name,
        kind=entry.actor.kind,
        address=entry.actor.address,
        action=entry.action,
        target=entry.target,
        detail=dict(entry.detail),
        outcome=entry.outcome,
    )
