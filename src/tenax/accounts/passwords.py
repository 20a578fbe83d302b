"""Password rules, and argon2id in threads: a few at a time, because each hash takes 64 MiB."""

import asyncio
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from tenax.errors import HashingBusy, WeakPassword
from tenax.wording import fold_name

T = TypeVar("T")

MIN_CHARS: Final = 12
MAX_CHARS: Final = 256
PARALLEL: Final = 2
WAITING: Final = 16

# The hash of an unknown password with the usual parameters: checking a name that does not exist takes as long
# as checking one that does.
DUMMY: Final = (
    "$argon2id$v=19$m=65536,t=3,p=4$2CRpmHm1OYlQIHrBVIpC9A$rWMGGVrgEv8NaHUKzGB5z0JFRDd9JyjT6fUhUKwUmCA"
)


def check_password(password: str, name: str) -> None:
    """Raises WeakPassword unless it is acceptable for this user."""
    if len(password) < MIN_CHARS:
        raise WeakPassword(f"The password must have at least {MIN_CHARS} characters.")
    if len(password) > MAX_CHARS:
        raise WeakPassword(f"The password must have at most {MAX_CHARS} characters.")
    if fold_name(password) == fold_name(name):
        raise WeakPassword("The password must not be the user name.")


class Hasher:
    def __init__(self) -> None:
        self._argon = PasswordHasher()
        self._threads = ThreadPoolExecutor(PARALLEL, "passwords")
        self._pending = 0

    async def hash(self, password: str) -> str:
        """Raises HashingBusy."""
        return await self._run(lambda: self._argon.hash(_encode(password)))

    async def verify(self, password_hash: str | None, password: str) -> bool:
        """Check a password. None, for an unknown user, fails after the same time. Raises HashingBusy."""
        is_correct = await self._run(lambda: self._check(password_hash or DUMMY, password))
        return is_correct and password_hash is not None

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _check(self, password_hash: str, password: str) -> bool:
        try:
            return self._argon.verify(password_hash, _encode(password))
        except (VerificationError, InvalidHashError):
            return False

    async def _run(self, work: Callable[[], T]) -> T:
        # Each waiting caller holds a request open; more of them would only wait longer.
        if self._pending >= PARALLEL + WAITING:
            raise HashingBusy
        self._pending += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        finally:
            self._pending -= 1


def _encode(password: str) -> bytes:
    """Normalized, so that a password is the same however a keyboard composes its letters."""
    return unicodedata.normalize("NFKC", password).encode("utf-8", "surrogatepass")
