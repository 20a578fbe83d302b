"""The store as accounts use it: every change is recorded in the audit log, in the same transaction."""

from collections.abc import Callable
from typing import Any, TypeVar

from tenax.accounts.permissions import ANONYMOUS, Principal
from tenax.clock import Clock, Instant
from tenax.stores.access import Access, Lane
from tenax.stores.accounts.audit import Actor, AuditAction, add_entry
from tenax.stores.accounts.retry import write_with_retry
from tenax.stores.connection import Connection
from tenax.stores.reading import Work

T = TypeVar("T")


class AuditedStore:
    def __init__(self, access: Access, clock: Clock) -> None:
        self._access = access
        self._clock = clock

    def now(self) -> Instant:
        return self._clock.wall()

    async def read(self, work: Work[T]) -> T:
        """Read on the connections reserved for authentication: identifying a caller must not wait for other
        queries."""
        return await self._access.read(work, Lane.DOOR)

    async def write(self, work: Work[T]) -> T:
        """Write without an audit entry: for changes that no user requested."""
        return await write_with_retry(self._access, work)

    async def write_audited(self, actor: Actor, action: AuditAction, work: Callable[[Any, Instant], T]) -> T:
        """Apply a change and record it, or do neither."""

        def write_both(connection: Connection) -> T:
            now = self.now()
            done = work(connection, now)
            add_entry(connection, actor, action, now)
            return done

        return await self.write(write_both)


def name_actor(principal: Principal, address: str | None) -> Actor:
    return Actor(name=principal.name, kind=principal.proof, address=address)


def name_anonymous(address: str | None) -> Actor:
    return name_actor(ANONYMOUS, address)
