"""Checks of items: what is wrong with them, what shifted, and what was found before."""

from datetime import datetime
from functools import partial
from typing import Annotated, Final

from fastapi import Path, Query
from pydantic import Field

from tenax.accounts.permissions import Role
from tenax.api.errors import not_found
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.paging import CursorQuery, LimitQuery, Part, format_part, parse_slice
from tenax.api.parameters import LARGEST_ID, DomainQuery, ItemKindQuery, SourceQuery, find_domain
from tenax.api.schemas import Schema
from tenax.api.service import ServiceDep
from tenax.jobs.sources.item_rules import ItemRules
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import tell_time
from tenax.stores.queries.filters import Filter
from tenax.stores.queries.item_audit import MOST_ITEMS, FindingCode, ItemsAudit, audit_items
from tenax.stores.queries.kept_audits import find_audit, slice_audits

router = new_router("items")

SORT: Final = "-id"


class AuditGroupView(Schema):
    source: str | None = Field(description="null: it was removed.")
    domain: str
    kind: str
    items: int
    new: int = Field(description="Items that were found since then.")
    changed: int
    gone: int
    invalid: int = Field(description="Items that break the schema of their parser.")


class FindingView(Schema):
    code: FindingCode
    source: str | None
    domain: str | None = Field(description="null: all domains of a parser.")
    kind: str | None
    field: str | None
    count: int = Field(description="How many items; for a parser, pages.")
    sentence: str = Field(examples=["3 items: The field price is missing."])
    examples: list[str] = Field(description="URLs of some of them.")


class AuditView(Schema):
    since: datetime
    until: datetime
    items: int = Field(description="How many items were read.")
    is_complete: bool = Field(
        description=f"false: only the newest {MOST_ITEMS:,} items were read; choose a source, domain or kind."
    )
    groups: list[AuditGroupView]
    findings: list[FindingView]


class FindingCountView(Schema):
    findings: int
    items: int = Field(description="In all of them together; for parsers, pages.")


class KeptAuditRow(Schema):
    id: int
    source_id: int | None = Field(description="null: all sources.")
    source: str | None = Field(description="null: all sources, or a removed one.")
    at: datetime
    since: datetime = Field(description="It compared with how items were then.")
    items: int = Field(description="How many items were read.")
    is_complete: bool = Field(description="false: only the newest items were read.")
    counts: dict[FindingCode, FindingCountView] = Field(description="By kind of finding.")


class KeptAuditView(KeptAuditRow):
    findings: list[FindingView] = Field(description="The first ones.")


@router.get("/items/audit", summary="Check items", response_model=AuditView, **allow(Role.USER))
async def check_items(
    service: ServiceDep,
    kind: ItemKindQuery = None,
    source: SourceQuery = None,
    domain: DomainQuery = None,
    days: Annotated[
        float, Query(ge=0.01, le=400, description="Compare with how items were this many days ago.")
    ] = 7.0,
) -> AuditView:
    """Returns what is wrong with items: rules of the source that they break, fields that they lack, fields
    whose values shifted, items that vanished or whose URL, visit or images are missing, and parsers that do
    worse."""
    only = Filter(source=source, domain=find_domain(domain), item_kind=kind)

    def load(connection: Connection) -> ItemsAudit:
        rules = ItemRules(connection)
        now = tell_time(service.place, connection)
        return audit_items(connection, now=now, days=days, only=only, rules=rules.find)

    return AuditView.model_validate(await service.access.read(load))


@router.get("/items/audits", summary="List audits", response_model=Part[KeptAuditRow], **allow(Role.USER))
async def list_audits(
    service: ServiceDep,
    source: SourceQuery = None,
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> Part[KeptAuditRow]:
    """Returns the audits that were kept: those of sources with `audit_every_h`, and of `tenax items audit`;
    newest first."""
    wanted = parse_slice(SORT, limit, cursor)
    found = await service.access.read(partial(slice_audits, wanted=wanted, source=source))
    return format_part(found, KeptAuditRow, SORT)


@router.get(
    "/items/audits/{id}",
    summary="Get an audit",
    response_model=KeptAuditView,
    **allow(Role.USER, responses=(404,)),
)
async def get_audit(
    service: ServiceDep,
    id: Annotated[int, Path(ge=1, le=LARGEST_ID, description="The id of the audit.", examples=[42])],
) -> KeptAuditView:
    """Returns an audit that was kept, with the first of its findings."""
    found = await service.access.read(partial(find_audit, audit_id=id))
    if found is None:
        raise not_found(f"Audit {id}")
    return KeptAuditView.model_validate(found)
