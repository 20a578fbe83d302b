"""Candidates beside current parsers: how their items differ, and which one a source uses."""

from functools import partial
from typing import Annotated

from fastapi import Path
from pydantic import BaseModel, ConfigDict, Field

from tenax.accounts.permissions import Role, TokenScope
from tenax.api.errors import conflict
from tenax.api.middleware.auditing import AuditDep
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.parameters import LARGEST_NUMBER, SourceQuery
from tenax.api.schemas import Schema
from tenax.api.service import ServiceDep
from tenax.errors import UsageError
from tenax.stores.queries.parser_trials import list_comparisons

router = new_router("parsers")

NamePath = Annotated[str, Path(max_length=100, description="The name of the parser.", examples=["shop"])]


class FieldComparisonView(Schema):
    field: str = Field(examples=["price"])
    same: int
    different: int
    only_current: int = Field(description="Items in which only the current parser found it.")
    only_candidate: int
    example_url: str | None = Field(description="The newest difference; null: there is none.")
    example_current: str | None = Field(description="As JSON; null: no value.", examples=["12.5"])
    example_candidate: str | None = Field(description="As JSON; null: no value.")


class ComparisonView(Schema):
    """A candidate beside a current version of a parser."""

    source_id: int
    source: str | None
    parser: str
    version: str
    candidate: str = Field(description="The version that is on trial.")
    pages_same: int
    pages_different: int
    pages_failed: int = Field(description="Pages on which the candidate failed.")
    last_failure: str | None
    fields: list[FieldComparisonView] = Field(description="Those that differ most first.")


class Comparisons(Schema):
    comparisons: list[ComparisonView]


class PromoteBody(BaseModel):
    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"source_id": 3}]})

    source_id: int = Field(ge=1, le=LARGEST_NUMBER, description="The source whose candidate it is.")


class Promoted(Schema):
    source_id: int
    source: str
    version: int = Field(description="Of the source, after the change.")


@router.get(
    "/parsers/{name}/trials",
    summary="Compare a parser with its candidates",
    response_model=Comparisons,
    **allow(Role.USER),
)
async def compare_parser(service: ServiceDep, name: NamePath, source: SourceQuery = None) -> Comparisons:
    """Returns how the items of candidates differ from those of the current parser, field by field."""
    found = await service.access.read(partial(list_comparisons, parser=name, source=source))
    return Comparisons(comparisons=[ComparisonView.model_validate(each) for each in found])


@router.post(
    "/parsers/{name}/promote",
    summary="Promote the candidate of a parser",
    response_model=Promoted,
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404, 409)),
)
async def promote_candidate(
    service: ServiceDep, audit: AuditDep, name: NamePath, body: PromoteBody
) -> Promoted:
    """Makes the candidate the parser of the source, from its next run on, which requests each page once,
    changed or not."""
    async with audit("parser.promote", target=name, source_id=body.source_id):
        try:
            source = await service.sources.promote_parser(body.source_id, name)
        except UsageError as error:
            raise conflict(str(error)) from error
    return Promoted(source_id=source.id, source=source.name, version=source.version)
