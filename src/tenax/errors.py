"""Broken promises, as one tree. Expected things (a 404, a refusal) are values in records.py."""


class TenaxError(Exception):
    """Tenax could not go on."""

    is_transient = False

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or self.__doc__)


class UsageError(TenaxError):
    """The command was called with something it cannot use."""


class ConfigError(TenaxError):
    """The settings are not valid."""


class SecretError(ConfigError):
    """A secret cannot be sealed or opened."""


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
    """The disk that holds the store fails."""

    is_transient = True


class StoreUnreachable(StoreError):
    """The server of the store does not answer."""

    is_transient = True


class StoreSlow(StoreError):
    """The store took too long to answer: ask for less, with more filters or a smaller page."""

    is_transient = True


class StoreTooNew(StoreError):
    """The store was written by a newer version of Tenax."""


class StoreDamaged(StoreError):
    """The file is not a Tenax store, or it is damaged."""


class ServiceError(TenaxError):
    """A service does not answer."""

    is_transient = True


class WorkerError(TenaxError):
    """A worker process could not go on."""

    def __init__(self, message: str | None = None, *, is_transient: bool = False) -> None:
        super().__init__(message)
        self.is_transient = is_transient


class ContentError(TenaxError):
    """A document could not be read."""


class DocumentTooLarge(ContentError):
    """The document is too large to be read in a worker."""


class ParserError(ContentError):
    """The parser could not read the document."""


class AccountError(TenaxError):
    """What was asked for is against the rules of accounts."""


class BadCredentials(AccountError):
    """The credentials are not valid."""


class TooManyAttempts(AccountError):
    """Too many failed attempts; try again later."""

    def __init__(self, retry_after_s: float) -> None:
        super().__init__()
        self.retry_after_s = retry_after_s


class NotAllowed(AccountError):
    """This is not allowed."""


class BadName(AccountError):
    """A name has 1 to 64 printable characters, and no space at its ends."""


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
    """This is the last administrator: make another one first."""


class AdministratorExists(AccountError):
    """There is an administrator already."""


class HashingBusy(AccountError):
    """Too many passwords are being checked at the moment; try again."""

    is_transient = True


class DomainsBusy(TenaxError):
    """Another run crawls these domains; try again when it has ended."""

    is_transient = True


class SourceError(TenaxError):
    """What was asked for does not fit the sources as they are."""


class NoSuchSource(SourceError):
    """There is no such source."""


class SourceExists(SourceError):
    """There is a source of that name already."""


class SourceChanged(SourceError):
    """Somebody else has changed the source meanwhile: look at it again, then say what you want."""


class SourceBusy(SourceError):
    """A run of the source is under way: cancel it, or wait for its end."""


class JobError(TenaxError):
    """What was asked for does not fit the state of the job."""


class NoSuchJob(JobError):
    """There is no such job."""


class OrderRefused(JobError):
    """The job is in a state in which it cannot be told so."""


class JobChanged(JobError):
    """Somebody else has changed the job meanwhile: look at it again."""
