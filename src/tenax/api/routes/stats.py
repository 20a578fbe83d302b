"""The crawl in numbers."""

from datetime import datetime

from pydantic import Field

from tenax.accounts.permissions import Role
from tenax.api.guarding import allow, new_router
from tenax.api.schemas import Schema
from tenax.api.service import ServiceDep
from tenax.records import DomainStatus, Fate, RunState

router = new_router("stats")


class Stats(Schema):
    at: datetime
    pages: int = Field(description="Stored pages.")
    urls: int = Field(description="Known urls.")
    queued: int = Field(description="Urls that wait.")
    requests: int
    wire_bytes: int = Field(description="Body bytes as they were sent.")
    pages_per_min: float = Field(description="Of all workers, over the last minute.")
    workers: int = Field(description="Workers that live.")
    fates: dict[Fate, int] = Field(description="How many urls have which fate.")
    domains: dict[DomainStatus, int]
    queued_at_rest: int = Field(description="Urls that wait in domains which rest.")
    forecast_s: float = Field(description="The longest queue times its delay: what is known takes longer.")
    run_id: int | None = Field(description="The newest run.")
    run_state: RunState | None


@router.get("/stats", summary="Get the crawl in numbers", response_model=Stats, **allow(Role.ANONYMOUS))
async def get_stats(service: ServiceDep) -> Stats:
    """What anybody may know."""
    status = await service.status.get()
    found = status.store
    live = [worker for worker in found.workers if worker.is_alive]
    last = found.runs[0] if found.runs else None
    return Stats(
        at=status.at,
        pages=found.pages,
        urls=found.urls,
        queued=found.queued,
        requests=found.requests,
        wire_bytes=found.wire_bytes,
        pages_per_min=sum(worker.pages_per_min for worker in live),
        workers=len(live),
        fates=dict(found.fates),
        domains=dict(found.domains),
        queued_at_rest=found.queued_at_rest,
        forecast_s=found.forecast_s,
        run_id=last.id if last else None,
        run_state=last.state if last else None,
    )
