"""Seeds: where crawls start."""

from datetime import datetime
from typing import Annotated, Literal

from fastapi import Query
from pydantic import Field

from tenax.accounts.permissions import Role
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.paging import CursorQuery, LimitQuery, Part, format_part, parse_slice
from tenax.api.parameters import TextQuery, Word
from tenax.api.schemas import Schema
from tenax.api.service import ServiceDep
from tenax.stores.queries.seeds import SeedFilter, slice_seeds

router = new_router("seeds")

Cause = Literal["user", "list", "redirect"]


class Seed(Schema):
    url: str = Field(examples=["https://example.com/"])
    source: str | None = Field(description="The list that ranks it best; null: added by a user.")
    rank: int | None = Field(description="Its rank in that list.")
    cause: Cause = Field(description="How the seed was added. `redirect`: another seed redirects to it.")
    added_at: datetime


class Source(Schema):
    source: str | None = Field(
        description="The name of a list; null: added by users, or the target of a redirect from such a seed."
    )
    seeds: int
    best_rank: int | None
    last_rank: int | None
    first_added_at: datetime
    last_added_at: datetime


@router.get("/seeds", summary="List seeds", response_model=Part[Seed], **allow(Role.USER))
async def list_seeds(
    service: ServiceDep,
    source: Annotated[Word | None, Query(description="Only seeds of this list.", examples=["tranco"])] = None,
    cause: Annotated[Cause | None, Query(description="Only seeds that were added this way.")] = None,
    q: TextQuery = None,
    sort: Annotated[
        Literal["id", "-id", "rank"],
        Query(description="`id`: in the order of addition. `rank`: best first, seeds without a rank last."),
    ] = "id",
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> Part[Seed]:
    """Returns all seeds, including redirect targets. Filters scan the list: a part may have few entries
    although more follow."""
    wanted = parse_slice(sort, limit, cursor)
    only = SeedFilter(source=source, cause=cause, text=q)
    found = await service.access.read(lambda connection: slice_seeds(connection, wanted, only))
    return format_part(found, Seed, sort)


@router.get("/seeds/sources", summary="Count seeds by list", response_model=list[Source], **allow(Role.USER))
async def list_seed_sources(service: ServiceDep) -> list[Source]:
    """Returns the seed lists, largest first."""
    return [Source.model_validate(each) for each in await service.seed_sources.get()]
