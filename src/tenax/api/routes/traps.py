"""Clusters of URLs that bring nothing new, and learned merge rules: list them, open or close one."""

from datetime import datetime
from functools import partial
from typing import Annotated, Literal

from fastapi import Path, Query
from pydantic import Field

from tenax.accounts.permissions import Role, TokenScope
from tenax.api.errors import conflict, not_found
from tenax.api.middleware.auditing import AuditDep
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.paging import CursorQuery, LimitQuery, Part, format_part, parse_slice
from tenax.api.parameters import LARGEST_ID, find_name
from tenax.api.schemas import Schema
from tenax.api.service import PrincipalDep, Service, ServiceDep
from tenax.crawl.insight.trap_sentences import describe_evidence
from tenax.records.traps import TrapRule, TrapState
from tenax.stores.commands.traps import close_trap, open_trap
from tenax.stores.paging import ListSlice
from tenax.stores.queries.traps import TrapFilter, TrapSummary, find_trap, slice_traps

router = new_router("domains")

Sort = Literal["-changed_at", "-visits"]
IdPath = Annotated[int, Path(ge=1, le=LARGEST_ID, description="The id of the cluster.", examples=[3])]


class TrapView(Schema):
    """A cluster of similar URLs of a domain, or a part of addresses that was found to change nothing."""

    id: int
    domain: str
    shape: str = Field(
        description="What the URLs have in common; for a learned rule, what it ignores.",
        examples=["/calendar/{n}/{n}"],
    )
    state: TrapState
    rule: TrapRule | None = Field(description="Why; null: a user decided, or nothing was found.")
    visits: int = Field(description="Pages that were judged; for a learned rule, comparisons.")
    novel: int = Field(description="How many of them brought something new.")
    evidence: str = Field(description="The latest evidence in words.")
    decided_by: str | None = Field(description="The user who opened or closed it; null: the guard.")
    first_seen_at: datetime
    last_seen_at: datetime
    changed_at: datetime = Field(description="When its state last changed.")


@router.get(
    "/traps",
    summary="List clusters that bring nothing new",
    response_model=Part[TrapView],
    **allow(Role.USER),
)
async def list_traps(
    service: ServiceDep,
    domain: Annotated[str | None, Query(max_length=300, description="Only those of this domain.")] = None,
    state: Annotated[TrapState | None, Query(description="Only those in this state.")] = None,
    sort: Annotated[Sort, Query(description="A leading minus sorts in descending order.")] = "-changed_at",
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> Part[TrapView]:
    """Without a state, open clusters are left out unless a user has opened them."""
    only = TrapFilter(domain=None if domain is None else find_name(domain), state=state)
    wanted = parse_slice(sort, limit, cursor)
    found = await service.access.read(partial(slice_traps, wanted=wanted, only=only))
    views = ListSlice(items=[_view(each) for each in found.items], next=found.next)
    return format_part(views, TrapView, sort)


@router.get(
    "/traps/{id}",
    summary="Get a cluster",
    response_model=TrapView,
    **allow(Role.USER, responses=(404,)),
)
async def get_trap(service: ServiceDep, id: IdPath) -> TrapView:
    """Returns one cluster or learned rule."""
    return _view(await _load(service, id))


@router.post(
    "/traps/{id}/open",
    summary="Open a cluster",
    response_model=TrapView,
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404,)),
)
async def open_cluster(service: ServiceDep, principal: PrincipalDep, audit: AuditDep, id: IdPath) -> TrapView:
    """Opens it for good, or undoes a learned merge rule. What was held back is queued again. A worker that
    holds the domain applies it within two seconds."""
    found = await _load(service, id)
    async with audit("trap.open", target=found.domain, shape=found.trap.shape) as entry:
        decided = await open_trap(
            service.access, service.clock, found.domain, found.trap.shape, principal.name
        )
        entry.detail["queued"] = 0 if decided is None else decided.queued
    return _view(await _load(service, id))


@router.post(
    "/traps/{id}/close",
    summary="Close a cluster",
    response_model=TrapView,
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404, 409)),
)
async def close_cluster(
    service: ServiceDep, principal: PrincipalDep, audit: AuditDep, id: IdPath
) -> TrapView:
    """Its URLs are not requested until it is opened again; they become `trapped` when it is their turn."""
    found = await _load(service, id)
    async with audit("trap.close", target=found.domain, shape=found.trap.shape):
        decided = await close_trap(
            service.access, service.clock, found.domain, found.trap.shape, principal.name
        )
        if decided is None:
            raise conflict("A learned merge rule cannot be closed, only opened.")
    return _view(await _load(service, id))


async def _load(service: Service, id: int) -> TrapSummary:
    found = await service.access.read(partial(find_trap, id=id))
    if found is None:
        raise not_found(f"Cluster {id}")
    return found


def _view(each: TrapSummary) -> TrapView:
    trap = each.trap
    return TrapView(
        id=each.id,
        domain=each.domain,
        shape=trap.shape,
        state=trap.state,
        rule=trap.rule,
        visits=trap.visits,
        novel=trap.novel,
        evidence=describe_evidence(trap),
        decided_by=trap.decided_by,
        first_seen_at=each.first_seen_at,
        last_seen_at=each.last_seen_at,
        changed_at=each.changed_at,
    )
