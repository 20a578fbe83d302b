"""API tokens: tnx_, a part that may be shown, and a secret of which only the hash is kept."""

import hashlib
import re
import secrets
from collections.abc import Collection
from functools import partial
from typing import Final

from tenax.accounts.audited_store import Ledger
from tenax.accounts.permissions import Role, Scope
from tenax.accounts.users import check_name
from tenax.clock import Instant
from tenax.errors import NoSuchToken, NotAllowed
from tenax.stores.accounts import tokens
from tenax.stores.accounts.audit import Actor, Deed
from tenax.stores.accounts.tokens import NewToken, Token
from tenax.stores.accounts.users import User
from tenax.stores.paging import Slice, Sliced

PREFIX: Final = "tnx_"
LONGEST_S: Final = 3650 * 86_400.0
_ALPHABET: Final = "abcdefghijklmnopqrstuvwxyz234567"
_TOKEN: Final = re.compile(rf"{PREFIX}([a-z2-7]{{12}})_([A-Za-z0-9_-]{{43}})")

# What an owner may hand on: no token can do more than its owner.
GRANTABLE: Final = {
    Role.ANONYMOUS: frozenset[Scope](),
    Role.USER: frozenset({Scope.READ, Scope.METRICS}),
    Role.ADMIN: frozenset(Scope),
}


class Tokens:
    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    async def add(
        self, actor: Actor, owner: User, name: str, scopes: Collection[Scope], expires_at: Instant | None
    ) -> tuple[Token, str]:
        """The token and its text, which nobody will ever see again. Raises BadName, NotAllowed, NameTaken,
        TooManyTokens and NoSuchUser."""
        check_name(name)
        if not scopes or not GRANTABLE[Role(owner.role)] >= frozenset(scopes):
            allowed = ", ".join(sorted(GRANTABLE[Role(owner.role)]))
            raise NotAllowed(f"Your tokens may have one or more of these scopes: {allowed}.")
        if expires_at is not None and not 0 < expires_at - self._ledger.now() <= LONGEST_S:
            raise NotAllowed("A token that expires does so between now and in ten years.")
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
        deed = Deed(action="token.add", target=owner.name, detail=detail)
        token = await self._ledger.order(
            actor, deed, lambda connection, now: tokens.add_token(connection, new, now)
        )
        return token, f"{PREFIX}{key}_{secret}"

    async def list(self, wanted: Slice, user_id: int | None) -> Sliced[Token]:
        """None: of all users."""
        return await self._ledger.read(partial(tokens.slice_tokens, wanted=wanted, user_id=user_id))

    async def get(self, token_id: int) -> Token:
        """Raises NoSuchToken."""
        found = await self._ledger.read(partial(tokens.find_token, token_id=token_id))
        if found is None:
            raise NoSuchToken
        return found

    async def revoke(self, actor: Actor, token: Token) -> None:
        """Repeating is safe."""
        deed = Deed(action="token.revoke", target=token.owner, detail={"token": token.name})
        await self._ledger.order(actor, deed, lambda connection, _: tokens.remove_token(connection, token.id))


def split_token(text: str) -> tuple[str, str] | None:
    """The part that names it, and the secret; None: it is no token."""
    match = _TOKEN.fullmatch(text)
    return None if match is None else (match[1], match[2])


def hash_secret(secret: str) -> bytes:
    """Fast, for a secret of 256 random bits is not guessed."""
    return hashlib.sha256(secret.encode()).digest()
