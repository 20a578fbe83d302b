"""How a message to a webhook proves where it comes from."""

import hmac
import secrets
from typing import Final

SIGNATURE: Final = "Tenax-Signature"
SECRET_BYTES: Final = 32


def make_secret() -> str:
    return secrets.token_urlsafe(SECRET_BYTES)


def sign(secret: str, body: bytes, at_s: int) -> str:
    """The instant is signed too: whoever has overheard a message cannot send it again much later."""
    signed = f"{at_s}.".encode() + body
    return f"t={at_s},v1={hmac.new(secret.encode(), signed, 'sha256').hexdigest()}"
