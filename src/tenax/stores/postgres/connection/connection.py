"""A connection to the server that is opened when needed and replaced when broken."""

import asyncio
import contextlib
import os
import random
import socket
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar
from urllib.parse import parse_qs, urlsplit

from tenax.stores.postgres.connection.errors import foreign_errors, spoils_connection, translate
from tenax.stores.postgres.connection.protocol import Connection

T = TypeVar("T")

CONNECT_TIMEOUT_S = 10.0
STATEMENT_TIMEOUT_S = 30.0
LOCK_TIMEOUT_S = 5.0
IDLE_TIMEOUT_S = 30.0
# The server ends statements by itself; only a server that hangs, or a cut network, reaches this.
DEADLINE_S = 60.0
FIRST_PAUSE_S = 0.1
LONGEST_PAUSE_S = 2.0

COMMON_SETTINGS = {
    "lock_timeout": f"{LOCK_TIMEOUT_S:g}s",
    "idle_in_transaction_session_timeout": f"{IDLE_TIMEOUT_S:g}s",
    "statement_timeout": f"{STATEMENT_TIMEOUT_S:g}s",
    # A machine that is gone does not keep its sessions for the two hours that systems allow by default.
    "tcp_keepalives_idle": "60",
    "tcp_keepalives_interval": "10",
    "tcp_keepalives_count": "6",
    "jit": "off",  # nothing here is worth compiling
    "random_page_cost": "1.1",
    # A plan that was made while a table was small is wrong when it is large. Planning costs 0.2 ms a batch.
    "plan_cache_mode": "force_custom_plan",
}
# A worker finds every row that it writes by an index. The planner would scan a table of a million urls
# instead when it is asked for twenty thousand of them at once.
WRITER_SETTINGS = {"enable_seqscan": "off", "enable_hashjoin": "off", "enable_mergejoin": "off"}
# The parts of a queue's head must come in their order.
READER_SETTINGS = {"max_parallel_workers_per_gather": "0"}


async def connect(url: str, settings: dict[str, str]) -> Connection:
    """Connect. Session settings in the url, such as `?lock_timeout=1s`, override ours."""
    name = {"application_name": f"tenax {socket.gethostname()} {os.getpid()}"}
    named = parse_qs(urlsplit(url).query)
    ours = {key: value for key, value in {**name, **COMMON_SETTINGS, **settings}.items() if key not in named}
    # Late: a crawl into a file does not need it.
    import asyncpg

    return await asyncpg.connect(url, timeout=CONNECT_TIMEOUT_S, server_settings=ours)


class ReconnectGate:
    """Prevents connection attempts for a moment after others have failed; longer each time."""

    def __init__(self) -> None:
        self._failures = 0
        self._opens_at = 0.0
        self._reason: BaseException | None = None

    async def pass_through(self, attempt: Callable[[], Awaitable[T]]) -> T:
        if self._reason is not None and time.monotonic() < self._opens_at:
            raise self._reason.with_traceback(None)
        try:
            result = await attempt()
        except foreign_errors() as error:
            pause_s = min(FIRST_PAUSE_S * 2**self._failures, LONGEST_PAUSE_S)
            self._opens_at = time.monotonic() + pause_s * random.uniform(0.5, 1.0)
            self._failures += 1
            self._reason = error
            raise
        self._failures = 0
        self._reason = None
        return result


class PostgresConnection:
    """A connection that is used by one caller at a time."""

    def __init__(self, url: str, settings: dict[str, str], gate: ReconnectGate, place: str) -> None:
        self._url = url
        self._settings = settings
        self._gate = gate
        self._place = place
        self._turn = asyncio.Lock()
        self._connection: Connection | None = None

    async def use(self, work: Callable[[Connection], Awaitable[T]], deadline_s: float = DEADLINE_S) -> T:
        """Raises StoreError for every error of the server or the network."""
        async with self._turn:
            try:
                return await self._use(work, deadline_s)
            except foreign_errors() as error:
                raise translate(error, self._place) from error

    async def close(self) -> None:
        async with self._turn:
            if self._connection is not None:
                with contextlib.suppress(*foreign_errors()):
                    await self._connection.close(timeout=1.0)
                self._connection = None

    async def _use(self, work: Callable[[Connection], Awaitable[T]], deadline_s: float) -> T:
        if self._connection is None or self._connection.is_closed():
            self._connection = await self._gate.pass_through(lambda: connect(self._url, self._settings))
        connection = self._connection
        try:
            async with asyncio.timeout(deadline_s):
                return await work(connection)
        except BaseException as error:
            if spoils_connection(error):
                connection.terminate()
            raise
