"""What was crawled, as a file."""

from typing import Annotated, Literal

from fastapi import Path, Query

from tenax.accounts.permissions import Role
from tenax.api.errors import RETRY_S, Problem
from tenax.api.exporting import DownloadResponse, TooManyExports
from tenax.api.guarding import allow, new_router
from tenax.api.service import ServiceDep
from tenax.stores.exports import Noun
from tenax.stores.formats import Format

router = new_router("export")

MEDIA_TYPES = {Format.JSONL: "application/x-ndjson", Format.CSV: "text/csv; charset=utf-8"}

_options = allow(Role.USER)
_options["responses"][200] = {
    "description": "The rows, as they are read.",
    "content": {kind.partition(";")[0]: {"schema": {"type": "string"}} for kind in MEDIA_TYPES.values()},
}


@router.get(
    "/export/{noun}",
    name="export_rows",
    summary="Export",
    status_code=200,
    response_class=DownloadResponse,
    **_options,
)
async def export(
    service: ServiceDep,
    noun: Annotated[Noun, Path(description="What to write.")],
    format: Annotated[
        Literal["jsonl", "csv"],
        Query(description="A JSON object per line; or CSV with a header, formulas neutralised."),
    ] = "jsonl",
) -> DownloadResponse:
    """All of it, in constant memory, while the crawl goes on. A download that breaks off is not complete:
    few can be made at the same time, and one that nobody takes for a minute is given up."""
    chosen = Format(format)
    try:
        download = await service.exporter.start(noun, chosen)
    except TooManyExports as error:
        raise Problem(429, str(error), headers={"Retry-After": str(RETRY_S)}) from error
    return DownloadResponse(download, f"tenax-{noun}.{chosen}", MEDIA_TYPES[chosen])
