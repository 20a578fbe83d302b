"""The contract of a fetcher."""

from collections.abc import Callable
from types import TracebackType
from typing import Protocol, Self

from tenax.records.requests import Addresses, Failure, Request, Response

Done = Callable[[Response | Failure], None]


class SharedAddresses(Protocol):
    """Addresses that other fetchers have looked up. It may become unavailable at any time and never
    raises."""

    async def find_addresses(self, host: str) -> Addresses | None:
        """None: query the DNS servers."""
        ...

    def save_addresses(self, host: str, addresses: Addresses) -> None:
        """Share addresses with the other fetchers; does not wait."""
        ...


class Fetcher(Protocol):
    """Makes requests between `__aenter__` and `__aexit__`, on the loop that entered it.

    Leaving aborts active requests: each outstanding `done` receives a transient RESET failure.
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
        """Number of concurrent requests that this process has file descriptors for."""
        ...

    def resize(self, requests: int) -> None:
        """Keep no more connections than this many concurrent requests need, up to `capacity`."""
        ...

    @property
    def in_flight(self) -> int:
        """Number of started requests whose `done` has not been called yet."""
        ...

    @property
    def held_bytes(self) -> int:
        """Decoded bytes of all bodies in transit."""
        ...

    def pause(self) -> None:
        """Receive no more of any body until `resume`. Timeouts keep running. Repeating is safe."""
        ...

    def resume(self) -> None: ...

    def start(self, request: Request, done: Done) -> None:
        """Start a request. `done` is called exactly once, later, on the loop's thread.

        Whatever the server does becomes a Response or a Failure within the request's timeout. The timeout
        includes the DNS lookup, which also has its own.
        """
        ...

    def abort(self, done: Done) -> None:
        """End the request that was started with this `done`, which is not called any more. Nothing happens
        if it has ended."""
        ...

    async def check_names(self, host: str) -> str | None:
        """Query the DNS servers for a host. None: one has answered, whatever the answer, or none is needed
        for this host; else why there is no answer."""
        ...

    async def fetch(self, request: Request) -> Response | Failure:
        """Make a request and wait for its result. Cancelling the caller does not end the transfer early."""
        ...
