"""Finds out who is asking."""

from tenax.accounts.permissions import ANONYMOUS, Principal
from tenax.errors import TenaxError


class BadCredentials(TenaxError):
    """The token is not valid, has expired or was revoked."""


class Authenticator:
    async def authenticate(self, *, cookie: str | None, authorization: str | None) -> Principal:
        """A cookie that means nothing any more is nobody's; raises BadCredentials for a token like that."""
        if authorization is not None:
            raise BadCredentials
        return ANONYMOUS
