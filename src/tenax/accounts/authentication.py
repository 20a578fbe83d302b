"""Identifies the caller by the cookie or the Authorization header of a request."""

import asyncio
import contextlib
import hmac
from functools import partial

from tenax.accounts.audited_store import AuditedStore
from tenax.accounts.jwts import JwtReader
from tenax.accounts.permissions import ANONYMOUS, Principal, Proof, Role, TokenScope
from tenax.accounts.sessions import Sessions, derive_csrf_token
from tenax.accounts.tokens import GRANTABLE, PREFIX, hash_secret, split_token
from tenax.errors import BadCredentials, StoreError
from tenax.stores.accounts.tokens import USE_IS_NOTED_S, BearerToken, Token, find_bearer, note_use

MAX_HEADER_CHARS = 4096


class Authenticator:
    """Reads the store every time: a disabled user or a revoked token is rejected at the next request."""

    def __init__(self, audited_store: AuditedStore, sessions: Sessions, jwts: JwtReader | None) -> None:
        self._audited_store = audited_store
        self._sessions = sessions
        self._jwts = jwts
        self._pending_uses: dict[int, asyncio.Task[None]] = {}

    async def authenticate(self, *, cookie: str | None, authorization: str | None) -> Principal:
        """Identify the caller. An Authorization header takes precedence over a cookie.

        Raises BadCredentials if the header is not valid. An invalid cookie counts as anonymous, because
        browsers send cookies whether they are needed or not.
        """
        if authorization is not None:
            return await self._read_header(authorization)
        user = None if cookie is None else await self._sessions.find_user(cookie)
        if cookie is None or user is None:
            return ANONYMOUS
        return Principal(
            name=user.name,
            role=Role(user.role),
            proof=Proof.SESSION,
            user_id=user.id,
            csrf_token=derive_csrf_token(cookie),
        )

    async def close(self) -> None:
        """Wait for uses of tokens that are still being recorded."""
        await asyncio.gather(*self._pending_uses.values())

    async def _read_header(self, authorization: str) -> Principal:
        scheme, _, text = authorization.partition(" ")
        if scheme.lower() != "bearer" or len(authorization) > MAX_HEADER_CHARS:
            raise BadCredentials
        text = text.strip()
        if text.startswith(PREFIX):
            return await self._read_token(text)
        if self._jwts is None:
            raise BadCredentials
        return self._jwts.read(text)

    async def _read_token(self, text: str) -> Principal:
        parts = split_token(text)
        bearer = None if parts is None else await self._audited_store.read(partial(find_bearer, key=parts[0]))
        if parts is None or bearer is None or not self._is_valid(bearer, parts[1]):
            raise BadCredentials
        self._record_use(bearer.token)
        role = Role(bearer.user.role)
        return Principal(
            name=bearer.user.name,
            role=role,
            proof=Proof.TOKEN,
            user_id=bearer.user.id,
            # The owner's role may have been reduced since the token was made.
            scopes=frozenset(map(TokenScope, bearer.token.scopes)) & GRANTABLE[role],
        )

    def _is_valid(self, bearer: BearerToken, secret: str) -> bool:
        expires_at = bearer.token.expires_at
        return (
            hmac.compare_digest(bearer.secret_hash, hash_secret(secret))
            and bearer.user.is_enabled
            and (expires_at is None or expires_at > self._audited_store.now())
        )

    def _record_use(self, token: Token) -> None:
        """Record the use in the background, so that the request does not wait for a write."""
        now = self._audited_store.now()
        if token.id in self._pending_uses or (token.last_used_at or 0.0) > now - USE_IS_NOTED_S:
            return
        task = asyncio.get_running_loop().create_task(self._save_use(token.id, now))
        self._pending_uses[token.id] = task
        task.add_done_callback(lambda _: self._pending_uses.pop(token.id, None))

    async def _save_use(self, token_id: int, now: float) -> None:
        # If the store is busy, the next use is recorded instead.
        with contextlib.suppress(StoreError):
            await self._audited_store.write(partial(note_use, token_id=token_id, now=now))
