"""JSON web tokens that another service has signed with a shared secret."""

from typing import Any, Final

import jwt

from tenax.accounts.permissions import Principal, Proof, Role
from tenax.accounts.users import check_name
from tenax.clock import SystemClock
from tenax.errors import BadCredentials, BadName, ConfigError

MIN_SECRET_BYTES: Final = 32  # RFC 7518, 3.2: no shorter than the hash
LONGEST_S: Final = 86_400.0
LEEWAY_S: Final = 30.0
ROLES: Final = {"user": Role.USER, "admin": Role.ADMIN}


class JwtReader:
    def __init__(self, secret: str, issuer: str) -> None:
        """Raises ConfigError if the secret is short enough to be guessed."""
        if len(secret.encode()) < MIN_SECRET_BYTES:
            raise ConfigError(
                f"The setting server.jwt_secret must be at least {MIN_SECRET_BYTES} bytes long."
            )
        self._secret = secret
        self._issuer = issuer
        self._clock = SystemClock()  # the clock that PyJWT uses

    def read(self, text: str) -> Principal:
        """Raises BadCredentials. The message never repeats any part of the token."""
        claims = self._decode(text)
        role = ROLES.get(str(claims.get("role")))
        if role is None:
            raise BadCredentials("The role in the token must be user or admin.")
        # It cannot be revoked, so it must be short-lived.
        expires_at = claims["exp"]
        if not isinstance(expires_at, int | float) or expires_at - self._clock.wall() > LONGEST_S + LEEWAY_S:
            raise BadCredentials("The token is valid for too long; the maximum is one day.")
        try:
            check_name(claims["sub"])
        except BadName as error:
            raise BadCredentials("The subject of the token is not a valid user name.") from error
        return Principal(name=claims["sub"], role=role, proof=Proof.JWT)

    def _decode(self, text: str) -> dict[str, Any]:
        try:
            return jwt.decode(
                text,
                self._secret,
                # Fixed: the algorithm that the token names cannot be trusted.
                algorithms=["HS256"],
                issuer=self._issuer,
                leeway=LEEWAY_S,
                options={"require": ["exp", "iss", "sub"], "verify_aud": False},
            )
        except jwt.ExpiredSignatureError as error:
            raise BadCredentials("The token has expired.") from error
        except jwt.PyJWTError as error:
            raise BadCredentials from error
