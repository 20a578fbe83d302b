"""For administrators only: the effective settings, and deleting stored pages."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel, Field

from tenax.accounts.permissions import Role, TokenScope
from tenax.api.errors import conflict
from tenax.api.middleware.auditing import AuditDep
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.parameters import DomainQuery, UntilQuery, find_domain, find_instant, get_domain_id
from tenax.api.service import ServiceDep
from tenax.runtime.bodies import tidy_bodies
from tenax.stores.commands.purge import PurgeSelection, purge_pages

router = new_router("admin")


class SettingsView(BaseModel):
    store: str = Field(description="The location of the store, without the password.")
    settings: dict[str, Any] = Field(description="The settings by section, without passwords and keys.")


class Purged(BaseModel):
    pages: int = Field(description="The number of deleted pages.")


@router.get(
    "/admin/settings", summary="Get the effective settings", response_model=SettingsView, **allow(Role.ADMIN)
)
async def get_settings(service: ServiceDep) -> SettingsView:
    """Returns the settings of this server. A run keeps the settings that it was started with; see GET
    /api/v1/runs/{id}."""
    return SettingsView(store=str(service.place), settings=service.settings.model_dump(mode="json"))


@router.delete(
    "/admin/pages",
    summary="Delete stored pages",
    response_model=Purged,
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404, 409)),
)
async def delete_pages(
    service: ServiceDep,
    audit: AuditDep,
    domain: DomainQuery = None,
    before: UntilQuery = None,
    confirm: Annotated[bool, Query(description="Must be true if no domain is given.")] = False,
) -> Purged:
    """Deletes the pages of a domain, or of all domains; with `before`, only those last seen before that time.
    Their URLs stay known. Stored bodies of visits go with them."""
    name = find_domain(domain)
    if name is None and not confirm:
        raise conflict("This deletes pages of all domains: confirm with confirm=true, or give a domain.")
    choice = PurgeSelection(
        domain_id=None if name is None else await get_domain_id(service, name), before=find_instant(before)
    )
    async with audit("pages.purge", target=name, before=_format(before)) as entry:
        entry.detail["pages"] = deleted = await purge_pages(service.access, service.clock, choice)
        await tidy_bodies(service.place, service.stores)
    return Purged(pages=deleted)


def _format(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
