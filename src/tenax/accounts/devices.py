"""Browsers that a user has logged in with before: attacks on a user name do not lock them out.

A device is a random number signed with the hash of the user's password, which only the store knows. The
server stores nothing about it, and a new password invalidates it. It grants no access. It only makes failed
logins from this browser count separately from all others.
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
    """The key that counts this device's failed logins; None if it is not a device of this user."""
    found = _DEVICE.fullmatch(text or "")
    if user is None or found is None or not hmac.compare_digest(found[2], _sign(user, found[1])):
        return None
    return found[1]


def _sign(user: User, number: str) -> str:
    message = f"tenax device {user.id} {number}"
    return hmac.new(user.password_hash.encode(), message.encode(), hashlib.sha256).hexdigest()
