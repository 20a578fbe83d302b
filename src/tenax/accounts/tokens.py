"""API tokens: `tnx_`, a part that may be shown, and a secret that is stored only as a hash."""

import hashlib
import re
import secrets
from collections.abc import Collection
from functools import partial
from typing import Final

from tenax.accounts.audited_store import AuditedStore
from tenax.accounts.permissions import Role, TokenScope
from tenax.accounts.users import check_name
from tenax.clock import Instant
from tenax.errors import NoSuchToken, NotAllowed
from tenax.stores.accounts import tokens
from tenax.stores.accounts.audit import Actor, AuditAction
from tenax.stores.accounts.tokens import NewToken, Token
from tenax.stores.accounts.users import User
from tenax.stores.paging import ListSlice, SliceRequest

PREFIX: Final = "tnx_"
LONGEST_S: Final = 3650 * 86_400.0
_ALPHABET: Final = "abcdefghijklmnopqrstuvwxyz234567"
_TOKEN: Final = re.compile(rf"{PREFIX}([a-z2-7]{{12}})_([A-Za-z0-9_-]{{43}})")

# The scopes that an owner may grant: no token can do more than its owner.
GRANTABLE: Final = {
    Role.ANONYMOUS: frozenset[TokenScope](),
    Role.USER: frozenset({TokenScope.READ, TokenScope.METRICS}),
    Role.ADMIN: frozenset(TokenScope),
}


class Tokens:
    def __init__(self, audited_store: AuditedStore) -> None:
        self._audited_store = audited_store

    async def add(
        self, actor: Actor, owner: User, name: str, scopes: Collection[TokenScope], expires_at: Instant | None
    ) -> tuple[Token, str]:
        """Create a token. Returns it and its text, which cannot be shown again. Raises BadName, NotAllowed,
        NameTaken, TooManyTokens and NoSuchUser."""
        check_name(name)
        if not scopes or not GRANTABLE[Role(owner.role)] >= frozenset(scopes):
            allowed = ", ".join(sorted(GRANTABLE[Role(owner.role)]))
            raise NotAllowed(f"Choose one or more of the scopes that your role allows: {allowed}.")
        if expires_at is not None and not 0 < expires_at - self._audited_store.now() <= LONGEST_S:
            raise NotAllowed("The expiry date of a token must be in the future and at most ten years away.")
        key = "".join(secrets.choice(_ALPHABET) for _ in range(12))
        secret = secrets.token_urlsafe(32)
        new = NewToken(
            user_id=owner.id,
            name=name,
            key=key,
            secret_hash=hash_secret(secret),
            scopes=scopes,
            expires_at=expires_at,
        )
        detail = {"token": name, "scopes": sorted(scopes), "expires_at": expires_at}
        action = AuditAction(action="token.add", target=owner.name, detail=detail)
        token = await self._audited_store.write_audited(
            actor, action, lambda connection, now: tokens.add_token(connection, new, now)
        )
        return token, f"{PREFIX}{key}_{secret}"

    async def list(self, wanted: SliceRequest, user_id: int | None) -> ListSlice[Token]:
        """List the tokens of a user; None: of all users."""
        return await self._audited_store.read(partial(tokens.slice_tokens, wanted=wanted, user_id=user_id))

    async def get(self, token_id: int) -> Token:
        """Raises NoSuchToken."""
        found = await self._audited_store.read(partial(tokens.find_token, token_id=token_id))
        if found is None:
            raise NoSuchToken
        return found

    async def revoke(self, actor: Actor, token: Token) -> None:
        """Repeating is safe."""
        action = AuditAction(action="token.revoke", target=token.owner, detail={"token": token.name})
        await self._audited_store.write_audited(
            actor, action, lambda connection, _: tokens.remove_token(connection, token.id)
        )


def split_token(text: str) -> tuple[str, str] | None:
    """The token's key and its secret; None if the text is not a token."""
    match = _TOKEN.fullmatch(text)
    return None if match is None else (match[1], match[2])


def hash_secret(secret: str) -> bytes:
    """A fast hash is enough: 256 random bits cannot be guessed."""
    return hashlib.sha256(secret.encode()).digest()
