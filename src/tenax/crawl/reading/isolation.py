"""Reads documents in a process of their own: suspects, so that a crash in native code kills only that one,
and those that are too large for a worker. Judges its death: only one that the document caused counts.
"""

import asyncio
import contextlib
import os
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from types import TracebackType
from typing import Final, Self

from tenax.config.fetch import ReaderSettings
from tenax.crawl.reading.messages import (
    GO,
    LENGTH,
    READY,
    WAIT,
    OutOfMemory,
    ReaderError,
    ReadRequest,
    ReadResult,
    format_order,
    frame,
    parse_answer,
)
from tenax.record import record
from tenax.records.requests import FailureKind
from tenax.telemetry import log

# What native code dies of, and what the system does to those who pass the limit of CPU time. Whatever else
# ends a process comes from outside: SIGKILL from the machine that is out of memory, or from a person.
_OWN_FAULTS: Final = {
    signal.SIGSEGV,
    signal.SIGBUS,
    signal.SIGILL,
    signal.SIGABRT,
    signal.SIGFPE,
    signal.SIGTRAP,
    signal.SIGSYS,
    signal.SIGXCPU,
}
BURIAL_S = 5.0


MB = 1_000_000
SPARE_MB = 50  # that a figure people are told is rounded up to


@record
class ReaderLimits:
    memory_bytes: int = 512 * MB
    cpu_s: int = 60  # of a document
    # A process that gets no CPU is held up by its machine, not by its document.
    wait_s: float = 180.0
    start_s: float = 60.0
    idle_s: float = 60.0  # then it gives its 40 MB back

    @classmethod
    def build(cls, settings: ReaderSettings) -> Self:
        return cls(
            memory_bytes=settings.memory_mb * MB,
            cpu_s=settings.cpu_s,
            wait_s=max(180.0, 3.0 * settings.cpu_s),
        )


@record
class Crashed:
    """The document ended its reader."""

    how: str


@record
class OverLimit:
    """Reading the document takes more than the settings allow."""

    kind: FailureKind  # READER_MEMORY or READER_TIME
    how: str


@record
class Undecided:
    """The reader is gone, and not because of the document."""

    how: str


Loss = Crashed | OverLimit | Undecided


class IsolatedReader:
    """One process at a time, started when it is first needed. It dies with this one, whatever happens."""

    def __init__(self, limits: ReaderLimits | None = None) -> None:
        self._limits = limits or ReaderLimits()
        self._turn = asyncio.Lock()
        self._process: _Process | None = None
        self._idling: asyncio.TimerHandle | None = None
        self._is_closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._is_closed = True
        self._end()

    @property
    def pid(self) -> int | None:
        """Of the process, while there is one."""
        return self._process.pid if self._process is not None else None

    async def read(self, order: ReadRequest) -> ReadResult | Loss:
        """Raises ContentError when the document cannot be read, OSError when the machine has no room for a
        process. What leaves a doubt is tried once more, in a process that has read nothing else."""
        async with self._turn:
            if self._idling is not None:
                self._idling.cancel()
            try:
                return await self._insist(order)
            finally:
                if self._process is not None:
                    self._idling = asyncio.get_running_loop().call_later(self._limits.idle_s, self._end)

    async def _insist(self, order: ReadRequest) -> ReadResult | Loss:
        is_fresh = self._process is None
        found = await self._try(order)
        if isinstance(found, ReadResult):
            return found
        # A suspect has killed a worker before. What an earlier document has left is no fault of this one.
        is_proof = isinstance(found, OverLimit) or (isinstance(found, Crashed) and order.is_suspect)
        if not (is_proof and is_fresh):
            log.warning("reader_lost", url=order.url, how=found.how)
            found = await self._try(order)
        return found

    async def _try(self, order: ReadRequest) -> ReadResult | Loss:
        started = self._process or await self._start()
        if isinstance(started, Undecided):
            return started
        self._process = started
        try:
            found = await self._ask(started, order)
            started.is_sound = isinstance(found, ReadResult)
            return found
        except ReaderError:
            started.is_sound = False
            raise
        except TimeoutError:
            return Undecided(how=f"its reader made no headway for {self._limits.wait_s:g} s")
        finally:
            if not started.is_sound:
                self._end()

    async def _ask(self, process: "_Process", order: ReadRequest) -> ReadResult | Loss:
        process.is_sound = False
        word = await self._ask_for(process, format_order(order))
        # It says so every few seconds while others have their turn, however long that takes.
        while word == WAIT:
            word = await self._ask_for(process)
        if word != GO:
            return Undecided(how="its reader was gone before it had begun")
        answer = await self._ask_for(process, order.body)
        if answer is None:
            return self._judge(await process.bury())
        process.is_sound = True
        return self._parse(answer)

    async def _ask_for(self, process: "_Process", message: bytes | None = None) -> bytes | None:
        async with asyncio.timeout(self._limits.wait_s):
            if message is not None:
                await process.say(message)
            return await process.hear(self._limits.memory_bytes)

    async def _start(self) -> "_Process | Undecided":
        if self._is_closed:
            return Undecided(how="its worker was about to end")
        process = await _Process.start(self._limits)
        is_ready = False
        try:
            async with asyncio.timeout(self._limits.start_s):
                is_ready = await process.hear(len(READY)) == READY and not self._is_closed
        except TimeoutError:
            pass
        finally:
            if not is_ready:
                process.end()
        return process if is_ready else Undecided(how="its reader was gone before it had begun")

    def _parse(self, answer: bytes) -> ReadResult | Crashed | OverLimit:
        try:
            found = parse_answer(answer)
        except (ValueError, KeyError, TypeError, IndexError, struct.error):
            return Crashed(how="its reader answered nonsense")
        return self._pass_memory(found) if isinstance(found, OutOfMemory) else found

    def _judge(self, code: int | None) -> Loss:
        if code is None:
            return Undecided(how="its reader closed its channel")
        if code == -signal.SIGXCPU:
            return self._pass_time()
        return judge_death(code)

    def _pass_memory(self, found: OutOfMemory) -> OverLimit:
        allowed_mb = self._limits.memory_bytes // MB
        # The estimate is an upper bound, but what was to be read was more than was allowed.
        enough_mb = -(-found.needed_bytes // (SPARE_MB * MB)) * SPARE_MB
        to = f" to {enough_mb:,}" if enough_mb > allowed_mb else ""
        return OverLimit(
            kind=FailureKind.READER_MEMORY,
            how=f"reading it takes more than {allowed_mb:,} MB of memory: raise reader.memory_mb{to}"
            " and run the same command again",
        )

    def _pass_time(self) -> OverLimit:
        return OverLimit(
            kind=FailureKind.READER_TIME,
            how=f"reading it takes more than {self._limits.cpu_s:,} s of CPU time: raise reader.cpu_s"
            " and run the same command again",
        )

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.end()


def judge_death(code: int) -> Crashed | Undecided:
    """Of a reader that had begun with a document. `code`: negative for a signal. Nobody outside can make a
    process end with a status of its own."""
    if code >= 0:
        return Crashed(how=f"its reader ended with exit code {code}")
    name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
    if -code in _OWN_FAULTS:
        return Crashed(how=f"its reader died of {name}")
    return Undecided(how=f"its reader was ended by {name}")


def describe_no_process(error: OSError) -> str:
    why = (error.strerror or type(error).__name__).lower()
    return f"this machine can start no process to read a document in: {why}"


class _Process:
    """A reader seen by its worker."""

    def __init__(
        self, popen: subprocess.Popen[bytes], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._popen = popen
        self._reader = reader
        self._writer = writer
        self.is_sound = True  # it waits for the next document

    @classmethod
    async def start(cls, limits: ReaderLimits) -> Self:
        """Raises OSError when the machine has no room for it."""
        ours, theirs = socket.socketpair()
        numbers = map(str, (os.getpid(), limits.memory_bytes, limits.cpu_s, int(limits.wait_s)))
        # -P: nothing of the current directory is imported.
        command = [sys.executable, "-P", "-m", "tenax.crawl.reading.process", *numbers]
        try:
            with theirs, _signals_held_back():
                # In this thread, the loop's: the reader dies with the thread that starts it.
                popen = subprocess.Popen(  # noqa: ASYNC220
                    command, stdin=theirs.fileno(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
                )
        except BaseException:
            ours.close()
            raise
        return cls(popen, *await asyncio.open_unix_connection(sock=ours))

    @property
    def pid(self) -> int:
        return self._popen.pid

    async def say(self, message: bytes) -> None:
        """Whether it was heard is seen by the answer."""
        with contextlib.suppress(ConnectionError):
            self._writer.write(frame(message))
            await self._writer.drain()

    async def hear(self, most_bytes: int) -> bytes | None:
        """None: it is gone."""
        try:
            (length,) = LENGTH.unpack(await self._reader.readexactly(LENGTH.size))
            return await self._reader.readexactly(min(length, most_bytes))
        except (asyncio.IncompleteReadError, ConnectionError):
            return None

    async def bury(self) -> int | None:
        """How it ended; None: it has not."""
        try:
            return await asyncio.to_thread(self._popen.wait, BURIAL_S)
        except subprocess.TimeoutExpired:
            return None

    def end(self) -> None:
        self._writer.close()
        self._popen.kill()
        self._popen.wait()


@contextlib.contextmanager
def _signals_held_back() -> Iterator[None]:
    """A child that is born meanwhile never hears these signals. Ctrl-C reaches the whole group, and a reader
    has to answer while its worker saves everything."""
    earlier = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, earlier)
