"""Where a url stands and why."""

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
    url: str = Field(description="Normalised where that is possible.")
    fate: str = Field(
        description="A fate, or `never seen`, or `not crawlable`; `refused` also of a url that would be.",
        examples=["queued"],
    )
    reason: str | None = Field(description="As a word.", examples=["robots"])
    because: str = Field(description="The answer in one sentence.")
    facts: list[str] = Field(description="How it came to that.")


@router.get("/explain", summary="Explain a url", response_model=Explanation, **allow(Role.USER))
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
    """Its fate and all that led to it; also of a url that was never seen."""
    stores = service.stores
    found = await explain(url, stores.lookup, stores.seeds_of, service.settings, service.clock.wall())
    return Explanation.model_validate(found)
