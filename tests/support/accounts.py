"""Accounts on a real store, with a clock that tests control and fast password hashing."""

import contextlib
from collections.abc import AsyncIterator
from functools import partial

import pytest
from argon2 import PasswordHasher

from tenax.accounts.build import Accounts, open_accounts
from tenax.accounts.permissions import Role
from tenax.clock import Clock
from tenax.config.service import ServerSettings
from tenax.coordination.redis_gate import RedisGate
from tenax.stores.accounts.audit import Actor, AuditEntry, AuditFilter, slice_audit
from tenax.stores.accounts.users import User
from tenax.stores.databases.access import open_access
from tenax.stores.paging import SliceRequest
from tenax.stores.place import Place

PASSWORD = "correct horse battery"
OPERATOR = Actor(name="operator", kind="cli", address=None)
JWT_SECRET = "0123456789abcdef0123456789abcdef"
NEWEST = SliceRequest(key="at", is_descending=True, after=None, limit=500)


def hash_fast(monkeypatch: pytest.MonkeyPatch) -> None:
    cheap = partial(PasswordHasher, time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr("tenax.accounts.passwords.PasswordHasher", cheap)
    monkeypatch.setattr("tenax.accounts.passwords.DUMMY", cheap().hash("nobody's"))


@contextlib.asynccontextmanager
async def open_test_accounts(
    place: Place, clock: Clock, gate: RedisGate | None = None
) -> AsyncIterator[Accounts]:
    """As one API process has it."""
    settings = ServerSettings(jwt_secret=JWT_SECRET)
    async with open_access(place) as access, open_accounts(settings, access, gate, clock) as accounts:
        yield accounts


async def add_user(accounts: Accounts, name: str = "alice", role: Role = Role.ADMIN) -> User:
    return await accounts.users.add(OPERATOR, name, PASSWORD, role)


async def read_audit(accounts: Accounts, **only: str) -> list[AuditEntry]:
    """Read the audit log, newest entries first."""
    wanted = AuditFilter(**only)  # type: ignore[arg-type]
    found = await accounts.audited_store.read(partial(slice_audit, wanted=NEWEST, only=wanted))
    return list(found.items)
