"""The exceptions of Tenax, as one tree. Expected results (a 404, a refusal) are values; see records.visits.

The docstring of a class is its default message.
"""


class TenaxError(Exception):
    """Tenax could not continue."""

    is_transient = False

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or self.__doc__)


class UsageError(TenaxError):
    """The command was called with invalid arguments."""


class ConfigError(TenaxError):
    """The settings are not valid."""


class SecretError(ConfigError):
    """A secret cannot be encrypted or decrypted."""


class StoreError(TenaxError):
    """The store could not be read or written."""


class StoreBusy(StoreError):
    """Another process holds the store."""

    is_transient = True


class StoreFull(StoreError):
    """The disk that holds the store is full."""

    is_transient = True


class StoreReadOnly(StoreError):
    """The disk that holds the store is read-only."""

    is_transient = True


class StoreFailing(StoreError):
    """The disk that holds the store reports errors."""

    is_transient = True


class StoreUnreachable(StoreError):
    """The database server of the store does not respond."""

    is_transient = True


class StoreSlow(StoreError):
    """The store took too long to respond. Request less: use more filters or a smaller page."""

    is_transient = True


class StoreGivenUp(StoreError):
    """The store could not be used for too long."""

    is_transient = True


class StoreTooNew(StoreError):
    """The store was written by a newer version of Tenax."""


class StoreDamaged(StoreError):
    """The file is not a Tenax store, or it is damaged."""


class ServiceError(TenaxError):
    """A service does not respond."""

    is_transient = True


class WorkerError(TenaxError):
    """A worker process could not continue."""

    def __init__(self, message: str | None = None, *, is_transient: bool = False, exit_code: int = 1) -> None:
        super().__init__(message)
        self.is_transient = is_transient
        self.exit_code = exit_code  # what it ended with


class CrawlError(TenaxError):
    """The crawl could not continue."""


class InternalError(TenaxError):
    """An internal error ended the worker."""


class MemoryExceeded(TenaxError):
    """The worker needs more memory than worker.memory_mb promises."""

    is_transient = True


class ContentError(TenaxError):
    """A document could not be read."""


class DocumentTooLarge(ContentError):
    """The document is too large to be read in a worker."""


class ParserError(ContentError):
    """The parser could not read the document."""


class AccountError(TenaxError):
    """The request violates the rules for accounts."""


class BadCredentials(AccountError):
    """The credentials are not valid."""


class TooManyAttempts(AccountError):
    """Too many failed attempts. Try again later."""

    def __init__(self, retry_after_s: float) -> None:
        super().__init__()
        self.retry_after_s = retry_after_s


class NotAllowed(AccountError):
    """This is not allowed."""


class BadName(AccountError):
    """A name must have 1 to 64 printable characters, without a space at its start or end."""


class WeakPassword(AccountError):
    """The password is too weak."""


class NameTaken(AccountError):
    """The name is taken."""


class NoSuchUser(AccountError):
    """There is no such user."""


class NoSuchToken(AccountError):
    """There is no such token."""


class TooManyTokens(AccountError):
    """There are too many tokens."""


class LastAdministrator(AccountError):
    """This is the last administrator. Add another one first."""


class AdministratorExists(AccountError):
    """There is already an administrator."""


class HashingBusy(AccountError):
    """Too many passwords are being checked at the moment. Try again."""

    is_transient = True


class DomainsBusy(TenaxError):
    """Another run is crawling these domains. Try again when it has ended."""

    is_transient = True


class SourceError(TenaxError):
    """The request does not fit the current sources."""


class NoSuchSource(SourceError):
    """There is no such source."""


class SourceExists(SourceError):
    """There is already a source with that name."""


class SourceChanged(SourceError):
    """Someone else has changed the source in the meantime. Load it again, then repeat your change."""


class SourceBusy(SourceError):
    """The source has an active run. Cancel the run or wait for it to end."""


class JobError(TenaxError):
    """The request does not fit the state of the job."""


class NoSuchJob(JobError):
    """There is no such job."""


class ActionRefused(JobError):
    """The state of the job does not allow this action."""


class JobChanged(JobError):
    """Someone else has changed the job in the meantime. Load it again."""
