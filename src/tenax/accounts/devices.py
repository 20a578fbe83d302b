"""Browsers that somebody has logged in with before: what strangers try on a name does not keep them out.

A device is a random number with a signature by what only the store knows of its user, the hash of the
password: nothing is kept of it, and a new password ends it. It lets nobody in. It only says whose failures
are counted apart from those of everybody else.
"""

import hashlib
import hmac
import re
import secrets
from typing import Final

from tenax.stores.accounts.users import User

LIFETIME_S: Final = 180 * 86_400
_DEVICE: Final = re.compile(r"([A-Za-z0-9_-]{22})\.([0-9a-f]{64})")


def make_device(user: User) -> str:
    number = secrets.token_urlsafe(16)
    return f"{number}.{_sign(user, number)}"


def find_device(user: User | None, text: str | None) -> str | None:
    """What failures are counted by; None: it is no device of this user."""
    found = _DEVICE.fullmatch(text or "")
    if user is None or found is None or not hmac.compare_digest(found[2], _sign(user, found[1])):
        return None
    return found[1]


def _sign(user: User, number: str) -> str:
    message = f"tenax device {user.id} {number}"
    return hmac.new(user.password_hash.encode(), message.encode(), hashlib.sha256).hexdigest()
