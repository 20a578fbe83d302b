"""Browser sessions: in Redis when there is one and it answers, otherwise in the store.

The store has the final say about every session: it knows which users were disabled, whose password or role
has changed (the user's version), and which sessions have ended. No session survives because Redis could not
be updated.
"""

import hashlib
import hmac
import re
import secrets
from typing import Final

import orjson

from tenax.accounts.audited_store import AuditedStore
from tenax.clock import Instant
from tenax.coordination.redis_gate import RedisGate
from tenax.record import record
from tenax.stores.accounts.audit import Actor, AuditAction, prune_audit
from tenax.stores.accounts.sessions import (
    Session,
    add_session,
    end_session,
    find_holder,
    find_session,
    prune_sessions,
)
from tenax.stores.accounts.users import User
from tenax.stores.connection import Connection

NO_USER_ID: Final = 0  # user ids start at 1
_COOKIE: Final = re.compile(r"[A-Za-z0-9_-]{43}")


@record
class Login:
    """What the browser receives, once."""

    user: User
    cookie: str
    csrf_token: str
    expires_at: Instant

    def __repr__(self) -> str:
        return f"Login(user={self.user.name!r})"


class Sessions:
    def __init__(self, audited_store: AuditedStore, gate: RedisGate | None, lifetime_s: float) -> None:
        self._audited_store = audited_store
        self._gate = gate
        self._lifetime_s = lifetime_s

    async def begin(self, actor: Actor, user: User, action: AuditAction, earlier_cookie: str | None) -> Login:
        """Begin a new session. A previous session of the same browser ends."""
        cookie = secrets.token_urlsafe(32)
        earlier = await self._find(earlier_cookie)
        expires_at = self._audited_store.now() + self._lifetime_s
        session = Session(key=_hash(cookie), user_id=user.id, version=user.version, expires_at=expires_at)
        is_in_redis = await self._save(session, user)

        def work(connection: Connection, now: Instant) -> None:
            prune_sessions(connection, now)
            prune_audit(connection, now)
            if earlier is not None:
                end_session(connection, earlier[0], now)
            if not is_in_redis:
                add_session(connection, session)

        await self._audited_store.write_audited(actor, action, work)
        return Login(user=user, cookie=cookie, csrf_token=derive_csrf_token(cookie), expires_at=expires_at)

    async def find_user(self, cookie: str) -> User | None:
        """None: the cookie is not valid, or no longer."""
        found = await self._find(cookie)
        return None if found is None else found[1]

    async def end(self, actor: Actor, cookie: str) -> None:
        """End a session. Repeating is safe."""
        if not _COOKIE.fullmatch(cookie):
            return
        found = await self._find(cookie)
        is_dropped = self._gate is None or await self._gate.drop_session(_hash(cookie).hex())
        if found is not None:
            session, target = found[0], found[1].name
        elif not is_dropped:
            # It may be in a Redis that does not answer now. It must not be valid again when Redis returns.
            expires_at = self._audited_store.now() + self._lifetime_s
            session = Session(key=_hash(cookie), user_id=NO_USER_ID, version=0, expires_at=expires_at)
            target = None
        else:
            return
        await self._audited_store.write_audited(
            actor,
            AuditAction(action="auth.logout", target=target),
            lambda connection, now: end_session(connection, session, now),
        )

    async def _save(self, session: Session, user: User) -> bool:
        if self._gate is None:
            return False
        return await self._gate.save_session(session.key.hex(), _format(session, user), self._lifetime_s)

    async def _find(self, cookie: str | None) -> tuple[Session, User] | None:
        if cookie is None or not _COOKIE.fullmatch(cookie):
            return None
        key, now = _hash(cookie), self._audited_store.now()
        return await self._find_in_redis(key, now) or await self._audited_store.read(
            lambda connection: find_session(connection, key, now)
        )

    async def _find_in_redis(self, key: bytes, now: Instant) -> tuple[Session, User] | None:
        value = None if self._gate is None else await self._gate.find_session(key.hex())
        parsed = None if value is None else _parse(key, value)
        if parsed is None or parsed[0].expires_at <= now:
            return None
        session, signature = parsed
        user = await self._audited_store.read(lambda connection: find_holder(connection, session))
        if user is None or not hmac.compare_digest(signature, _sign(session, user)):
            return None
        return session, user


def derive_csrf_token(cookie: str) -> str:
    """A value that only our own pages can know: the API returns it only to requests that carry the cookie."""
    return hashlib.sha256(b"tenax csrf " + cookie.encode()).hexdigest()


def _hash(cookie: str) -> bytes:
    return hashlib.sha256(cookie.encode()).digest()


def _format(session: Session, user: User) -> bytes:
    return orjson.dumps(
        {
            "user_id": session.user_id,
            "version": session.version,
            "expires_at": session.expires_at,
            "signature": _sign(session, user),
        }
    )


def _parse(key: bytes, value: bytes) -> tuple[Session, str] | None:
    """None if the value in Redis is not a session; anything may have been written there."""
    try:
        fields = orjson.loads(value)
        session = Session(
            key=key,
            user_id=int(fields["user_id"]),
            version=int(fields["version"]),
            expires_at=float(fields["expires_at"]),
        )
        return session, str(fields["signature"])
    except (ValueError, KeyError, TypeError, OverflowError):
        return None


def _sign(session: Session, user: User) -> str:
    """Signed with a secret from the store, so that write access to Redis is not enough to forge a session."""
    message = f"{session.key.hex()} {session.user_id} {session.version} {session.expires_at!r}"
    return hmac.new(user.password_hash.encode(), message.encode(), hashlib.sha256).hexdigest()
