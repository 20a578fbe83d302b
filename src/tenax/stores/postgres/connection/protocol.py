"""The part of asyncpg that the store uses.

asyncpg itself is imported where a connection is opened: a crawl into a file does not pay for it.
"""

from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Any, Protocol


class DriverTransaction(Protocol):
    async def __aenter__(self) -> None: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    async def start(self) -> None: ...

    async def commit(self) -> None: ...

    async def rollback(self) -> None: ...


class DriverConnection(Protocol):
    async def execute(self, query: str, *args: Any) -> str: ...

    async def fetch(self, query: str, *args: Any) -> list[Any]: ...

    async def fetchrow(self, query: str, *args: Any) -> Any: ...

    async def fetchval(self, query: str, *args: Any) -> Any: ...

    async def copy_records_to_table(
        self, table_name: str, *, records: Iterable[tuple[Any, ...]], columns: Sequence[str]
    ) -> str: ...

    def transaction(self, *, isolation: str | None = ..., readonly: bool = ...) -> DriverTransaction: ...

    def is_closed(self) -> bool: ...

    async def close(self, *, timeout: float | None = ...) -> None: ...

    def terminate(self) -> None: ...


Connection = DriverConnection
