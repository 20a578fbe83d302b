"""Explains the fate of a URL."""

from typing import Annotated

from fastapi import Query
from pydantic import Field

from tenax.accounts.permissions import Role
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.parameters import MAX_URL_CHARS
from tenax.api.schemas import Schema
from tenax.api.service import ServiceDep
from tenax.crawl.insight.explain import explain

router = new_router("urls")


class Explanation(Schema):
    url: str = Field(description="Normalized where possible.")
    fate: str = Field(
        description="A fate, `never seen` or `not crawlable`; `refused` also for a URL that would be "
        "refused.",
        examples=["queued"],
    )
    reason: str | None = Field(description="The reason, as a code.", examples=["robots"])
    because: str = Field(description="The explanation in one sentence.")
    facts: list[str] = Field(description="The facts that led to it.")


@router.get("/explain", summary="Explain a URL", response_model=Explanation, **allow(Role.USER))
async def explain_url(
    service: ServiceDep,
    url: Annotated[
        str,
        Query(
            min_length=1,
            max_length=MAX_URL_CHARS,
            description="Without a scheme, https and http are tried.",
            examples=["https://example.com/about"],
        ),
    ],
) -> Explanation:
    """Returns the fate of a URL and what led to it, even for a URL that was never seen."""
    stores = service.stores
    found = await explain(url, stores.lookup, stores.seeds_of, service.settings, service.clock.wall())
    return Explanation.model_validate(found)
