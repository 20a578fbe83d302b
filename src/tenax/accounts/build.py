"""Builds the account services of a server."""

import contextlib
from collections.abc import AsyncIterator, Iterator

from tenax.accounts.audited_store import AuditedStore
from tenax.accounts.authentication import Authenticator
from tenax.accounts.jwts import JwtReader
from tenax.accounts.limits import Limiter, LoginThrottle
from tenax.accounts.logins import Logins
from tenax.accounts.passwords import Hasher
from tenax.accounts.sessions import Sessions
from tenax.accounts.tokens import Tokens
from tenax.accounts.users import Users
from tenax.clock import Clock
from tenax.config.service import ServerSettings
from tenax.coordination.memory_gate import MemoryGate
from tenax.coordination.redis_gate import RedisGate
from tenax.record import record
from tenax.stores.access import Access


@record
class Accounts:
    audited_store: AuditedStore
    users: Users
    sessions: Sessions
    tokens: Tokens
    logins: Logins
    authenticator: Authenticator
    limiter: Limiter


@contextlib.asynccontextmanager
async def open_accounts(
    settings: ServerSettings, access: Access, gate: RedisGate | None, clock: Clock
) -> AsyncIterator[Accounts]:
    """Open the account services. `clock` is the store's. Raises ConfigError if the JWT secret is too
    short."""
    jwts = JwtReader(settings.jwt_secret, settings.jwt_issuer) if settings.jwt_secret is not None else None
    audited_store, memory = AuditedStore(access, clock), MemoryGate(clock)
    with contextlib.closing(Hasher()) as hasher:
        users = Users(audited_store, hasher)
        sessions = Sessions(audited_store, gate, settings.session_s)
        authenticator = Authenticator(audited_store, sessions, jwts)
        try:
            yield Accounts(
                audited_store=audited_store,
                users=users,
                sessions=sessions,
                tokens=Tokens(audited_store),
                logins=Logins(audited_store, users, sessions, hasher, LoginThrottle(memory, gate)),
                authenticator=authenticator,
                limiter=Limiter(memory, gate),
            )
        finally:
            await authenticator.close()


@contextlib.contextmanager
def open_users(access: Access, clock: Clock) -> Iterator[Users]:
    """Open user management without a server, for the command line. `clock` is the store's."""
    with contextlib.closing(Hasher()) as hasher:
        yield Users(AuditedStore(access, clock), hasher)


def open_tokens(access: Access, clock: Clock) -> Tokens:
    """Open token management without a server, for the command line. `clock` is the store's."""
    return Tokens(AuditedStore(access, clock))
