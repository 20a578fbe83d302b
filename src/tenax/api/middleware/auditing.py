"""Records every action in the audit log before it is carried out, and its outcome afterwards."""

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Annotated, Any

from fastapi import Depends, Request

from tenax.accounts.audited_store import AuditedStore, name_actor
from tenax.api.errors import Problem
from tenax.api.middleware.guarding import find_address
from tenax.api.service import PrincipalDep, ServiceDep
from tenax.errors import TenaxError
from tenax.stores.accounts.audit import Actor, AuditAction, AuditOutcome, add_entry, finish_entry


@dataclass(slots=True, kw_only=True)
class RequestAudit:
    """Details of an action that become known while it is carried out."""

    target: str | None
    detail: dict[str, Any] = field(default_factory=dict)


class Audit:
    def __init__(self, audited_store: AuditedStore, actor: Actor) -> None:
        self._audited_store = audited_store
        self._actor = actor

    @contextlib.asynccontextmanager
    async def __call__(
        self, action: str, target: str | None = None, **detail: Any
    ) -> AsyncIterator[RequestAudit]:
        """Wrap an action; `action` is a noun and a verb."""
        entry = RequestAudit(target=target, detail=detail)
        number = await self._audited_store.write(
            lambda connection: add_entry(
                connection,
                self._actor,
                _describe(action, entry, AuditOutcome.ORDERED),
                self._audited_store.now(),
            )
        )
        try:
            yield entry
        except BaseException as error:
            is_refusal = isinstance(error, TenaxError) or (isinstance(error, Problem) and error.status < 500)
            entry.detail["error"] = str(error) or type(error).__name__
            outcome = AuditOutcome.REFUSED if is_refusal else AuditOutcome.FAILED
            await self._end(number, _describe(action, entry, outcome))
            raise
        await self._end(number, _describe(action, entry, AuditOutcome.DONE))

    async def _end(self, number: int, action: AuditAction) -> None:
        await self._audited_store.write(lambda connection: finish_entry(connection, number, action))


def _describe(action: str, entry: RequestAudit, outcome: AuditOutcome) -> AuditAction:
    return AuditAction(action=action, target=entry.target, detail=entry.detail, outcome=outcome)


async def get_audit(request: Request, service: ServiceDep, principal: PrincipalDep) -> Audit:
    return Audit(service.accounts.audited_store, name_actor(principal, find_address(request)))


AuditDep = Annotated[Audit, Depends(get_audit)]
