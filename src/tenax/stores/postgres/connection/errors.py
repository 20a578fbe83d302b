"""PostgreSQL's errors as those of Tenax, each a sentence with the way out and without the password."""

import asyncpg

from tenax.errors import StoreBusy, StoreError, StoreFailing, StoreFull, StoreUnreachable
from tenax.wording import as_sentence


class ConcurrentUpdate(Exception):
    """Another transaction has changed what this one had read before it held the lock."""


# The transaction was rolled back for the sake of another one: the same again may succeed.
CONFLICTS = (
    asyncpg.DeadlockDetectedError,
    asyncpg.SerializationError,
    asyncpg.CheckViolationError,  # no table has checks: a month was made while its visits went elsewhere
    ConcurrentUpdate,
)

_BUSY = (*CONFLICTS, asyncpg.LockNotAvailableError, asyncpg.QueryCanceledError, asyncpg.OutOfMemoryError)
_GONE = (
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,  # shutting down, starting up, terminated by an administrator
    asyncpg.TooManyConnectionsError,
    asyncpg.IdleInTransactionSessionTimeoutError,
    asyncpg.ReadOnlySQLTransactionError,  # a standby that is to become the primary
    asyncpg.InterfaceError,  # the connection was closed while it was in use
    asyncpg.InternalClientError,  # it was closed in the middle of an answer
    OSError,
    EOFError,
)
_REFUSED = (asyncpg.InvalidAuthorizationSpecificationError, asyncpg.InvalidCatalogNameError)
_MISSING = (asyncpg.UndefinedTableError, asyncpg.UndefinedFunctionError, asyncpg.UndefinedColumnError)

FOREIGN = (
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    OSError,
    EOFError,
    ConcurrentUpdate,
)


def translate(error: BaseException, place: str) -> StoreError:
    """`place`: the database as people may see it."""
    # A value that cannot be sent, an address that cannot be read: no repeating mends such an InterfaceError.
    if isinstance(error, ValueError):
        return StoreError(as_sentence(f"The store {place} cannot be used: {error}"))
    if isinstance(error, asyncpg.DiskFullError):
        return StoreFull(
            f"The disk of {place} is full. Free some space there, and the crawl goes on where it was: "
            "nothing that was committed is lost."
        )
    if isinstance(error, asyncpg.PostgresIOError):
        return StoreFailing(
            f"The disk of {place} fails ({error}). Mend it, and the crawl goes on where it was: "
            "nothing that was committed is lost."
        )
    if isinstance(error, _BUSY):
        return StoreBusy(f"{place} is busy: another session holds it up ({error}); try again.")
    if isinstance(error, _GONE):
        return StoreUnreachable(f"{place} does not answer ({_describe(error)}). Is the server running?")
    if isinstance(error, _REFUSED):
        return StoreError(as_sentence(f"{place} refuses the connection: {error}"))
    if isinstance(error, _MISSING):
        return StoreError(f"{place} lacks a part of the schema ({error}). Run 'tenax migrate --store …'.")
    if isinstance(error, asyncpg.InsufficientPrivilegeError):
        return StoreError(as_sentence(f"{place} does not let this user do that: {error}"))
    return StoreError(as_sentence(f"The store {place} failed: {error}"))


def spoils_connection(error: BaseException) -> bool:
    """Whether a connection is better replaced: only an ordinary error of a statement leaves it as it was."""
    return not isinstance(error, (asyncpg.PostgresError, ConcurrentUpdate)) or isinstance(error, _GONE)


def _describe(error: BaseException) -> str:
    return str(error) or type(error).__name__
