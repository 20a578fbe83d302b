"""Checks of items: what is wrong with them, and what shifted."""

from datetime import datetime
from typing import Annotated

from fastapi import Query
from pydantic import Field

from tenax.accounts.permissions import Role
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.parameters import DomainQuery, ItemKindQuery, SourceQuery, find_domain
from tenax.api.schemas import Schema
from tenax.api.service import ServiceDep
from tenax.jobs.sources.item_rules import ItemRules
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import tell_time
from tenax.stores.queries.filters import Filter
from tenax.stores.queries.item_audit import MOST_ITEMS, FindingCode, ItemsAudit, audit_items

router = new_router("items")


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
    whose values shifted, items that vanished or whose URL or visit is missing, and parsers that do worse."""
    only = Filter(source=source, domain=find_domain(domain), item_kind=kind)

    def load(connection: Connection) -> ItemsAudit:
        rules = ItemRules(connection)
        now = tell_time(service.place, connection)
        return audit_items(connection, now=now, days=days, only=only, rules=rules.find)

    return AuditView.model_validate(await service.access.read(load))
