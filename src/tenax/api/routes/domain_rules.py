"""Rules of one domain, whoever crawls it."""

from pydantic import BaseModel, ConfigDict, Field

from tenax.accounts.permissions import Role, TokenScope
from tenax.api.errors import invalid, not_found
from tenax.api.middleware.auditing import AuditDep
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.parameters import find_name
from tenax.api.routes.domains import DomainDetail, NamePath, load_detail
from tenax.api.service import PrincipalDep, ServiceDep
from tenax.policy.rules import LONGEST_DELAY_S, MOST_AT_A_TIME, MOST_PAGES, RuleName
from tenax.stores.commands.domain_rules import set_rules

router = new_router("domains")


class RulesBody(BaseModel):
    """What is left out stays as it is; null drops a rule."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"delay_s": 5.0, "pages_per_run": None}]}
    )

    delay_s: float | None = Field(
        None, ge=0, le=LONGEST_DELAY_S, allow_inf_nan=False, description="Least time between two requests."
    )
    per_domain: int | None = Field(None, ge=1, le=MOST_AT_A_TIME, description="Requests at the same time.")
    pages_per_run: int | None = Field(None, ge=0, le=MOST_PAGES, description="Pages in one run; 0: no limit.")
    is_active: bool | None = Field(
        None, description="Whether anything is requested of it; its urls wait if not."
    )


@router.patch(
    "/domains/{name}",
    summary="Set rules of a domain",
    response_model=DomainDetail,
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404,)),
)
async def set_domain_rules(
    service: ServiceDep, principal: PrincipalDep, audit: AuditDep, name: NamePath, body: RulesBody
) -> DomainDetail:
    """They go before what a source or a crawl says, and robots.txt before them: a longer Crawl-delay is kept.
    A worker that holds the domain goes by them within two seconds."""
    domain = find_name(name)
    changes = {RuleName(each): getattr(body, each) for each in body.model_fields_set}
    if not changes:
        raise invalid(f"Name at least one rule: {', '.join(RuleName)}.", "body")
    times = (service.clock.now(), service.clock.wall())
    async with audit("domain.rules", target=domain, **body.model_dump(exclude_unset=True)):
        found = await service.access.write(
            lambda connection: set_rules(connection, domain, changes, principal.name, times)
        )
        if found is None:
            raise not_found(f"The domain {domain}")
    return await load_detail(service, domain)
