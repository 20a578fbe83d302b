"""The log of a job: the log of its newest run."""

from functools import partial

from fastapi.responses import StreamingResponse

from tenax.accounts.permissions import Role
from tenax.api.errors import Problem
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.paging import LimitQuery
from tenax.api.parameters import JobIdPath
from tenax.api.routes.events import stream
from tenax.api.routes.jobs import load_job
from tenax.api.routes.run_logs import (
    Log,
    NewestQuery,
    PositionHeader,
    PositionQuery,
    download_run_log,
    get_run_log,
    stream_run_log,
)
from tenax.api.service import PrincipalDep, Service, ServiceDep
from tenax.stores.jobs.executions import find_last_execution

router = new_router("jobs")


@router.get(
    "/jobs/{job_id}/logs",
    summary="Read the log of a job",
    response_model=Log,
    **allow(Role.USER, responses=(404,)),
)
async def get_job_log(
    service: ServiceDep, job_id: JobIdPath, limit: LimitQuery = 200, cursor: PositionQuery = None
) -> Log:
    """Returns the log of the job's newest run; /runs/{id}/log returns those of other runs."""
    return await get_run_log(service, await _find_run(service, job_id), limit, cursor)


@router.get(
    "/jobs/{job_id}/logs/download",
    summary="Download the log of a job",
    response_class=StreamingResponse,
    **allow(Role.USER, responses=(404,)),
)
async def download_job_log(service: ServiceDep, job_id: JobIdPath) -> StreamingResponse:
    """Returns the log of the job's newest run as text, one line per entry."""
    return await download_run_log(service, await _find_run(service, job_id))


@router.get(
    "/jobs/{job_id}/logs/stream/v2",
    **stream(
        summary="Follow the log of a job",
        kinds="`line`: an entry as in /runs/{id}/log.",
        responses=(404,),
    ),
)
async def stream_job_log(
    service: ServiceDep,
    principal: PrincipalDep,
    job_id: JobIdPath,
    last: PositionHeader = None,
    cursor: PositionQuery = None,
    newest: NewestQuery = None,
) -> StreamingResponse:
    """Streams the log of the job's newest run. Events have ids; a client that reconnects with one receives
    what it missed."""
    run_id = await _find_run(service, job_id)
    return await stream_run_log(service, principal, run_id, last, cursor, newest)


async def _find_run(service: Service, job_id: int) -> int:
    await load_job(service, job_id)
    last = await service.access.read(partial(find_last_execution, job_id=job_id, has_run=True))
    if last is None or last.run_id is None:
        raise Problem(404, f"Job {job_id} has not run yet.")
    return last.run_id
