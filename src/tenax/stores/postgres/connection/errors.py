"""Translates PostgreSQL's errors to those of Tenax, each a sentence that says what to do, without the
password.

The classes are listed by functions, as asyncpg is imported late: `except foreign_errors() as error`.
"""

from functools import cache

from tenax.errors import StoreBusy, StoreError, StoreFailing, StoreFull, StoreUnreachable
from tenax.stores.disks import DiskTrouble
from tenax.wording import as_sentence

Errors = tuple[type[BaseException], ...]


class ConcurrentUpdate(Exception):
    """Another transaction has changed what this one had read before it held the lock."""


@cache
def conflict_errors() -> Errors:
    """The transaction was rolled back in favor of another one: repeating it may succeed."""
    import asyncpg

    return (
        asyncpg.DeadlockDetectedError,
        asyncpg.SerializationError,
        asyncpg.CheckViolationError,  # no table has checks: a month was made while its visits went elsewhere
        ConcurrentUpdate,
    )


@cache
def foreign_errors() -> Errors:
    """Everything that the driver raises."""
    import asyncpg

    return (
        asyncpg.PostgresError,
        asyncpg.InterfaceError,
        asyncpg.InternalClientError,
        OSError,
        EOFError,
        ConcurrentUpdate,
    )


@cache
def _busy_errors() -> Errors:
    import asyncpg

    return (
        *conflict_errors(),
        asyncpg.LockNotAvailableError,
        asyncpg.QueryCanceledError,
        asyncpg.OutOfMemoryError,
    )


@cache
def _connection_errors() -> Errors:
    import asyncpg

    return (
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


def translate(error: BaseException, place: str) -> StoreError:
    """`place`: the database as users may see it."""
    # A value that cannot be sent, an address that cannot be read: repeating does not fix such an
    # InterfaceError.
    if isinstance(error, ValueError):
        return StoreError(as_sentence(f"The store {place} cannot be used: {error}"))
    if trouble := _translate_disk(error, place):
        return trouble
    if isinstance(error, _busy_errors()):
        return StoreBusy(f"{place} is busy: another session holds it up ({error}); try again.")
    if isinstance(error, _connection_errors()):
        return StoreUnreachable(f"{place} does not answer ({_describe(error)}). Is the server running?")
    return _translate_refusal(error, place)


def _translate_disk(error: BaseException, place: str) -> StoreError | None:
    import asyncpg

    if isinstance(error, asyncpg.DiskFullError):
        return StoreFull(
            f"The disk of {place} is full. Free some space there, and the crawl continues where it stopped: "
            "nothing that was committed is lost."
        )
    if isinstance(error, asyncpg.PostgresIOError):
        return StoreFailing(
            f"The disk of {place} fails ({error}). Repair it, and the crawl continues where it stopped: "
            "nothing that was committed is lost."
        )
    return None


def _translate_refusal(error: BaseException, place: str) -> StoreError:
    import asyncpg

    refused = (asyncpg.InvalidAuthorizationSpecificationError, asyncpg.InvalidCatalogNameError)
    missing = (asyncpg.UndefinedTableError, asyncpg.UndefinedFunctionError, asyncpg.UndefinedColumnError)
    if isinstance(error, refused):
        return StoreError(as_sentence(f"{place} refuses the connection: {error}"))
    if isinstance(error, missing):
        return StoreError(f"{place} lacks a part of the schema ({error}). Run 'tenax migrate --store …'.")
    if isinstance(error, asyncpg.InsufficientPrivilegeError):
        return StoreError(as_sentence(f"{place} does not let this user do that: {error}"))
    return StoreError(as_sentence(f"The store {place} failed: {error}"))


def is_timeout(error: BaseException) -> bool:
    """The server has ended a statement that took too long."""
    import asyncpg

    return isinstance(error, asyncpg.QueryCanceledError)


def find_disk_trouble(error: BaseException) -> DiskTrouble | None:
    """None: it is not the server's disk that is at fault."""
    import asyncpg

    if isinstance(error, asyncpg.DiskFullError):
        return DiskTrouble.FULL
    return DiskTrouble.FAILING if isinstance(error, asyncpg.PostgresIOError) else None


def spoils_connection(error: BaseException) -> bool:
    """Whether a connection is better replaced: only an ordinary error of a statement leaves it intact."""
    import asyncpg

    is_ordinary = isinstance(error, (asyncpg.PostgresError, ConcurrentUpdate))
    return not is_ordinary or isinstance(error, _connection_errors())


def _describe(error: BaseException) -> str:
    return str(error) or type(error).__name__
