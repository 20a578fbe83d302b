"""Rules for one domain, which apply to every crawl and source."""

from pydantic import BaseModel, ConfigDict, Field

from tenax.accounts.permissions import Role, TokenScope
from tenax.api.errors import invalid, not_found
from tenax.api.middleware.auditing import AuditDep
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.parameters import find_name
from tenax.api.routes.domains import DomainDetail, NamePath, load_detail
from tenax.api.service import PrincipalDep, ServiceDep
from tenax.policy.rules import LONGEST_DELAY_S, MAX_CONCURRENCY, MAX_PAGES, RuleName
from tenax.stores.commands.domain_rules import set_rules

router = new_router("domains")


class RulesBody(BaseModel):
    """Omitted rules stay unchanged; null removes a rule."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"delay_s": 5.0, "pages_per_run": None}]}
    )

    delay_s: float | None = Field(
        None,
        ge=0,
        le=LONGEST_DELAY_S,
        allow_inf_nan=False,
        description="Minimum seconds between two requests.",
    )
    per_domain: int | None = Field(None, ge=1, le=MAX_CONCURRENCY, description="Maximum concurrent requests.")
    pages_per_run: int | None = Field(
        None, ge=0, le=MAX_PAGES, description="Maximum pages per run; 0: no limit."
    )
    is_active: bool | None = Field(
        None, description="Whether anything is requested from the domain; if not, its URLs wait."
    )


@router.patch(
    "/domains/{name}",
    summary="Set the rules of a domain",
    response_model=DomainDetail,
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404,)),
)
async def set_domain_rules(
    service: ServiceDep, principal: PrincipalDep, audit: AuditDep, name: NamePath, body: RulesBody
) -> DomainDetail:
    """The rules override the settings of sources and crawls, but not robots.txt: a longer Crawl-delay is
    honored. A worker that holds the domain applies them within two seconds."""
    domain = find_name(name)
    changes = {RuleName(each): getattr(body, each) for each in body.model_fields_set}
    if not changes:
        raise invalid(f"Give at least one rule: {', '.join(RuleName)}.", "body")
    times = (service.clock.now(), service.clock.wall())
    async with audit("domain.rules", target=domain, **body.model_dump(exclude_unset=True)):
        found = await service.access.write(
            lambda connection: set_rules(connection, domain, changes, principal.name, times)
        )
        if found is None:
            raise not_found(f"The domain {domain}")
    return await load_detail(service, domain)
