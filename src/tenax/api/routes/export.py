"""Exports what was crawled."""

import asyncio
from typing import Annotated

from fastapi import Path, Query, Request

from tenax.accounts.permissions import Role
from tenax.api.errors import RETRY_S, Problem, invalid
from tenax.api.exporting import PARQUET, AnotherExport, DownloadResponse, ExportRequest, TooManyExports
from tenax.api.middleware.guarding import allow, identify_client, new_router
from tenax.api.parameters import (
    DomainQuery,
    FateQuery,
    ItemKindQuery,
    MaxCharsQuery,
    OverlapCharsQuery,
    SinceQuery,
    SiteQuery,
    SourceQuery,
    TargetCharsQuery,
    UntilQuery,
    VisitedInQuery,
    find_domain,
    find_instant,
    find_site,
    find_sizes,
)
from tenax.api.service import PrincipalDep, ServiceDep
from tenax.extract.chunks import MAX_CHARS, TARGET_CHARS
from tenax.stores.queries.export.formats import Format, ParquetMissing, require_parquet
from tenax.stores.queries.export.rows import Noun, check_fit
from tenax.stores.queries.filters import Filter

router = new_router("export")

MEDIA_TYPES = {
    Format.JSONL: "application/x-ndjson",
    Format.CSV: "text/csv; charset=utf-8",
    Format.PARQUET: PARQUET,
}

_options = allow(Role.USER, responses=(501,))
_options["responses"][200] = {
    "description": "The rows, streamed as they are read.",
    "content": {kind.partition(";")[0]: {"schema": {"type": "string"}} for kind in MEDIA_TYPES.values()},
}


@router.get(
    "/export/{noun}",
    name="export_rows",
    summary="Export data",
    status_code=200,
    response_class=DownloadResponse,
    **_options,
)
async def export(
    service: ServiceDep,
    principal: PrincipalDep,
    request: Request,
    noun: Annotated[Noun, Path(description="What to export.")],
    format: Annotated[
        Format,
        Query(
            description="One JSON object per line; CSV with a header row, and an apostrophe before cells "
            "that a spreadsheet would run as formulas; or Parquet, which requires pyarrow on the "
            "server (otherwise 501)."
        ),
    ] = Format.JSONL,
    raw: Annotated[
        bool, Query(description="CSV cells without the protecting apostrophe, for programs.")
    ] = False,
    kind: ItemKindQuery = None,
    site: SiteQuery = None,
    run: VisitedInQuery = None,
    source: SourceQuery = None,
    domain: DomainQuery = None,
    fate: FateQuery = None,
    since: SinceQuery = None,
    until: UntilQuery = None,
    target_chars: TargetCharsQuery = TARGET_CHARS,
    max_chars: MaxCharsQuery = MAX_CHARS,
    overlap_chars: OverlapCharsQuery = 0,
) -> DownloadResponse:
    """Exports everything, or what matches the filters, in constant memory and while the crawl continues.
    Visits and images have no fate; docs/filters.md explains what counts as the run and the date of each
    entry. Each client can run one export at a time, and only a few run concurrently; otherwise the response
    is 429. `markdown` and `chunks` have the pages whose Markdown `extract.markdown` kept. A download slower
    than 32 kB/s for half a minute is aborted; an aborted download is incomplete."""
    if raw and format is not Format.CSV:
        raise invalid(f"raw only applies to CSV, not to {format}.", "query.raw")
    only = Filter(
        run_id=run,
        source=source,
        domain=find_domain(domain),
        site=find_site(site),
        fate=fate,
        item_kind=kind,
        since=find_instant(since),
        until=find_instant(until),
    )
    check_fit(noun, only)
    sizes = find_sizes(target_chars, max_chars, overlap_chars)
    wanted = ExportRequest(noun=noun, format=format, is_raw=raw, only=only, sizes=sizes)
    try:
        if format is Format.PARQUET:
            await asyncio.to_thread(require_parquet)  # slow the first time
        client = identify_client(request, principal)
        download = await service.exporter.start(wanted, client, is_admin=principal.role is Role.ADMIN)
    except ParquetMissing as error:
        raise Problem(501, str(error)) from error
    except (AnotherExport, TooManyExports) as error:
        raise Problem(429, str(error), headers={"Retry-After": str(RETRY_S)}) from error
    return DownloadResponse(download, f"tenax-{noun}.{format}", MEDIA_TYPES[format])
