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


class StoreError(TenaxError):
    """The store could not be read or written."""


class StoreBusy(StoreError):
    """Another process holds the store."""

    is_transient = True


class StoreFull(StoreError):
    """The disk that holds the store is full."""

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
