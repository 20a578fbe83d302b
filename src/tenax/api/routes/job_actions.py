"""Pause a job, resume it, cancel it, retry it, or run it now."""

from typing import Any

from tenax.accounts.permissions import Role, TokenScope
from tenax.api.middleware.auditing import Audit, AuditDep
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.parameters import JobIdPath
from tenax.api.routes.jobs import Job
from tenax.api.service import Service, ServiceDep
from tenax.jobs.commands import apply_action
from tenax.jobs.schedule.states import JobAction
from tenax.records.jobs import Job as StoredJob
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
    """Pauses a scheduled job: it does not run until it is resumed."""
    return await _apply(service, audit, job_id, JobAction.PAUSE)


@router.post(f"{V1}/jobs/{{job_id}}/resume", summary="Resume a job", **RULE)
async def resume_job(service: ServiceDep, audit: AuditDep, job_id: JobIdPath) -> StoredJob:
    """Resumes a paused job: it gets a new run time, in the least busy slot."""
    return await _apply(service, audit, job_id, JobAction.RESUME)


@router.post(f"{V1}/jobs/{{job_id}}/cancel", summary="Cancel a job permanently", **RULE)
async def cancel_job(service: ServiceDep, audit: AuditDep, job_id: JobIdPath) -> StoredJob:
    """Cancels a pending, scheduled, running or paused job. Its run ends within seconds."""
    return await _apply(service, audit, job_id, JobAction.CANCEL)


@router.post(f"{V1}/jobs/{{job_id}}/retry", summary="Retry a job", **RULE)
async def retry_job(service: ServiceDep, audit: AuditDep, job_id: JobIdPath) -> StoredJob:
    """Retries a failed job: it starts within seconds, with its full number of retries."""
    return await _apply(service, audit, job_id, JobAction.RETRY)


@router.post(f"{V1}/jobs/{{job_id}}/force-run", summary="Run a job now", **RULE)
async def force_run_job(service: ServiceDep, audit: AuditDep, job_id: JobIdPath) -> StoredJob:
    """Runs a scheduled job at once. Its schedule does not change."""
    return await _apply(service, audit, job_id, JobAction.FORCE_RUN)


@router.post(f"{V2}/jobs/{{job_id}}/force-run", summary="Run a job now", **RULE)
async def force_run_job_v2(service: ServiceDep, audit: AuditDep, job_id: JobIdPath) -> StoredJob:
    """Does the same as /api/v1/jobs/{job_id}/force-run."""
    return await _apply(service, audit, job_id, JobAction.FORCE_RUN)


async def _apply(service: Service, audit: Audit, job_id: int, action: JobAction) -> StoredJob:
    def apply(connection: Connection) -> StoredJob:
        return apply_action(connection, action, job_id, tell_time(service.place, connection))

    async with audit(f"job.{action}", target=f"job {job_id}"):
        job = await service.access.write(apply)
    service.wake_scheduler()
    return job
