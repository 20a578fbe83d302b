"""Signatures that prove where a webhook message comes from."""

import hmac
from collections.abc import Sequence
from secrets import token_urlsafe
from typing import Final

SIGNATURE: Final = "Tenax-Signature"
SECRET_BYTES: Final = 32


def make_secret() -> str:
    return token_urlsafe(SECRET_BYTES)


def sign(secrets: Sequence[str], body: bytes, at_s: int) -> str:
    """One signature per secret. The time is signed, too: an intercepted message cannot be replayed much
    later."""
    signed = f"{at_s}.".encode() + body
    signatures = (hmac.new(secret.encode(), signed, "sha256").hexdigest() for secret in secrets)
    return ",".join((f"t={at_s}", *(f"v1={signature}" for signature in signatures)))
