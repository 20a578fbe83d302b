"""What the rest of Tenax may expect of a fetcher."""

from collections.abc import Callable
from types import TracebackType
from typing import Protocol, Self

from tenax.records.requests import Addresses, Failure, Request, Response

Done = Callable[[Response | Failure], None]


class SharedAddresses(Protocol):
    """What other fetchers have looked up. It may be gone at any moment, and it never raises."""

    async def find_addresses(self, host: str) -> Addresses | None:
        """None: ask the name servers."""
        ...

    def save_addresses(self, host: str, addresses: Addresses) -> None:
        """Tell the others; does not wait."""
        ...


class Fetcher(Protocol):
    """Makes requests between `__aenter__` and `__aexit__`, on the loop that entered it.

    Leaving aborts what still runs: every `done` that is owed gets a transient RESET failure.
    """

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

    @property
    def capacity(self) -> int:
        """Requests at the same time that this process has descriptors for."""
        ...

    def resize(self, requests: int) -> None:
        """Hold no more connections than so many requests at the same time need, up to `capacity`."""
        ...

    @property
    def in_flight(self) -> int:
        """Requests that were started and whose `done` was not called yet."""
        ...

    @property
    def held_bytes(self) -> int:
        """Decoded bytes of all bodies that are coming in."""
        ...

    def pause(self) -> None:
        """Take in no more of any body until `resume`. Deadlines go on. Repeating is safe."""
        ...

    def resume(self) -> None: ...

    def start(self, request: Request, done: Done) -> None:
        """Begin a request of an address. `done` is called exactly once, later, on the loop's thread.

        Whatever the far side does is a Response or a Failure within the request's deadline. The
        deadline counts the look-up of the host too, which alone may use up its own deadline.
        """
        ...

    async def fetch(self, request: Request) -> Response | Failure:
        """The same, awaited. Cancelling the caller does not end the transfer early."""
        ...
