"""How a message to a webhook proves where it comes from."""

import hmac
from collections.abc import Sequence
from secrets import token_urlsafe
from typing import Final

SIGNATURE: Final = "Tenax-Signature"
SECRET_BYTES: Final = 32


def make_secret() -> str:
    return token_urlsafe(SECRET_BYTES)


def sign(secrets: Sequence[str], body: bytes, at_s: int) -> str:
    """One signature per secret. The instant is signed too: whoever has overheard a message cannot send it
    again much later."""
    signed = f"{at_s}.".encode() + body
    signatures = (hmac.new(secret.encode(), signed, "sha256").hexdigest() for secret in secrets)
    return ",".join((f"t={at_s}", *(f"v1={signature}" for signature in signatures)))
