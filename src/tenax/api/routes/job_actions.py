"""Pause a job, resume it, cancel it, retry it, run it now."""

from typing import Any

from tenax.accounts.permissions import Role, TokenScope
from tenax.api.middleware.auditing import Audit, AuditDep
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.parameters import JobIdPath
from tenax.api.routes.jobs import Job
from tenax.api.service import Service, ServiceDep
from tenax.job_records import Job as StoredJob
from tenax.jobs.commands import order
from tenax.jobs.schedule.states import JobAction
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import tell_time

router = new_router("jobs", prefix="")

V1, V2 = "/api/v1", "/api/v2"
RULE: dict[str, Any] = {
    "response_model": Job,
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404, 409)),
}


@router.post(f"{V1}/jobs/{{job_id}}/pause", summary="Pause a job", **RULE)
async def pause_job(service: ServiceDep, audit: AuditDep, job_id: JobIdPath) -> StoredJob:
    """One that is scheduled: it does not run until it is resumed."""
    return await _order(service, audit, job_id, JobAction.PAUSE)


@router.post(f"{V1}/jobs/{{job_id}}/resume", summary="Resume a job", **RULE)
async def resume_job(service: ServiceDep, audit: AuditDep, job_id: JobIdPath) -> StoredJob:
    """One that is paused: it gets a new time, in the slot with the least to do."""
    return await _order(service, audit, job_id, JobAction.RESUME)


@router.post(f"{V1}/jobs/{{job_id}}/cancel", summary="Cancel a job for good", **RULE)
async def cancel_job(service: ServiceDep, audit: AuditDep, job_id: JobIdPath) -> StoredJob:
    """One that is pending, scheduled, running or paused. Its run ends within seconds."""
    return await _order(service, audit, job_id, JobAction.CANCEL)


@router.post(f"{V1}/jobs/{{job_id}}/retry", summary="Retry a job", **RULE)
async def retry_job(service: ServiceDep, audit: AuditDep, job_id: JobIdPath) -> StoredJob:
    """One that has failed: it begins within seconds, with all its retries."""
    return await _order(service, audit, job_id, JobAction.RETRY)


@router.post(f"{V1}/jobs/{{job_id}}/force-run", summary="Run a job now", **RULE)
async def force_run_job(service: ServiceDep, audit: AuditDep, job_id: JobIdPath) -> StoredJob:
    """One that is scheduled. Its rhythm stays as it is."""
    return await _order(service, audit, job_id, JobAction.FORCE_RUN)


@router.post(f"{V2}/jobs/{{job_id}}/force-run", summary="Run a job now", **RULE)
async def force_run_job_v2(service: ServiceDep, audit: AuditDep, job_id: JobIdPath) -> StoredJob:
    """The same as /api/v1/jobs/{job_id}/force-run."""
    return await _order(service, audit, job_id, JobAction.FORCE_RUN)


async def _order(service: Service, audit: Audit, job_id: int, action: JobAction) -> StoredJob:
    def carry_out(connection: Connection) -> StoredJob:
        return order(connection, action, job_id, tell_time(service.place, connection))

    async with audit(f"job.{action}", target=f"job {job_id}"):
        job = await service.access.write(carry_out)
    service.wake_scheduler()
    return job
