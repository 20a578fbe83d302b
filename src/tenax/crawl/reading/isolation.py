"""Reads documents in a separate process: suspects and PDFs, so that a crash in native code kills only that
process, and documents that are too large for a worker. If it dies, judges whether the document caused it.
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
    format_request,
    frame,
    parse_answer,
)
from tenax.record import record, replace
from tenax.records.requests import FailureKind
from tenax.telemetry import log

# Signals that native code dies of, and the one for exceeding the limit of CPU time. Any other signal comes
# from outside: SIGKILL from a machine that is out of memory, or from a user.
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
EXIT_WAIT_S = 5.0

MB = 1_000_000
SPARE_MB = 50  # the recommended limit is rounded up to a multiple of this


@record
class ReaderLimits:
    memory_bytes: int = 512 * MB
    cpu_s: int = 60  # for each document
    # A process that gets no CPU time is held up by its machine, not by its document.
    wait_s: float = 180.0
    start_s: float = 60.0
    idle_s: float = 60.0  # then it exits and frees its 40 MB

    @classmethod
    def build(cls, settings: ReaderSettings) -> Self:
        return cls(
            memory_bytes=settings.memory_mb * MB,
            cpu_s=settings.cpu_s,
            wait_s=max(180.0, 3.0 * settings.cpu_s),
        )


@record
class Crashed:
    """The document killed its reader."""

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
    """One process at a time, started when it is first needed. It never outlives this process."""

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
        """Of the reader process; None: there is none."""
        return self._process.pid if self._process is not None else None

    async def read(self, request: ReadRequest) -> ReadResult | Loss:
        """Raises ContentError when the document cannot be read, OSError when no process can be started.
        A doubtful result is tried once more, in a process that has read nothing else."""
        async with self._turn:
            if self._idling is not None:
                self._idling.cancel()
            try:
                return await self._read_twice(request)
            finally:
                if self._process is not None:
                    self._idling = asyncio.get_running_loop().call_later(self._limits.idle_s, self._end)

    async def _read_twice(self, request: ReadRequest) -> ReadResult | Loss:
        is_fresh = self._process is None
        found = await self._try(request)
        if isinstance(found, ReadResult):
            return found
        # A suspect has killed a worker before. A process that has read other documents proves nothing.
        is_proof = isinstance(found, OverLimit) or (isinstance(found, Crashed) and request.is_suspect)
        if request.pdf_pages is not None and _is_over_time(found):
            return found
        if request.is_light_pdf:
            # Perhaps it only needs more memory.
            is_proof, request = False, replace(request, is_heavy=True)
        if not (is_proof and is_fresh):
            log.warning("reader_lost", url=request.url, how=found.how)
            found = await self._try(request)
        return found

    async def _try(self, request: ReadRequest) -> ReadResult | Loss:
        started = self._process or await self._start()
        if isinstance(started, Undecided):
            return started
        self._process = started
        try:
            found = await self._read_with(started, request)
            started.is_sound = isinstance(found, ReadResult)
            return found
        except ReaderError:
            started.is_sound = False
            raise
        except TimeoutError:
            return Undecided(how=f"its reader made no progress for {self._limits.wait_s:g} s")
        finally:
            if not started.is_sound:
                self._end()

    async def _read_with(self, process: "_Process", request: ReadRequest) -> ReadResult | Loss:
        process.is_sound = False
        reply = await self._exchange(process, format_request(request))
        # Sent every few seconds while other readers have their turn, however long that takes.
        while reply == WAIT:
            reply = await self._exchange(process)
        if reply != GO:
            return Undecided(how="its reader was gone before it started")
        answer = await self._exchange(process, request.body)
        if answer is None:
            return self._judge(await process.wait_for_exit(), is_pdf=request.pdf_pages is not None)
        process.is_sound = True
        return self._parse(answer)

    async def _exchange(self, process: "_Process", message: bytes | None = None) -> bytes | None:
        async with asyncio.timeout(self._limits.wait_s):
            if message is not None:
                await process.send(message)
            return await process.receive(self._limits.memory_bytes)

    async def _start(self) -> "_Process | Undecided":
        if self._is_closed:
            return Undecided(how="its worker was about to end")
        process = await _Process.start(self._limits)
        is_ready = False
        try:
            async with asyncio.timeout(self._limits.start_s):
                is_ready = await process.receive(len(READY)) == READY and not self._is_closed
        except TimeoutError:
            pass
        finally:
            if not is_ready:
                process.end()
        return process if is_ready else Undecided(how="its reader was gone before it started")

    def _parse(self, answer: bytes) -> ReadResult | Crashed | OverLimit:
        try:
            found = parse_answer(answer)
        except (ValueError, KeyError, TypeError, IndexError, struct.error):
            return Crashed(how="its reader sent an invalid answer")
        return self._pass_memory(found) if isinstance(found, OutOfMemory) else found

    def _judge(self, code: int | None, *, is_pdf: bool) -> Loss:
        if code is None:
            return Undecided(how="its reader closed its channel")
        if is_pdf and code == -signal.SIGABRT:
            # What PDFium does when it gets no more memory.
            return self._pass_memory(OutOfMemory(needed_bytes=0))
        if code == -signal.SIGXCPU:
            return self._pass_time()
        return judge_death(code)

    def _pass_memory(self, found: OutOfMemory) -> OverLimit:
        allowed_mb = self._limits.memory_bytes // MB
        # The estimate is an upper bound; the document did need more than is allowed.
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


def _is_over_time(found: Loss) -> bool:
    return isinstance(found, OverLimit) and found.kind is FailureKind.READER_TIME


def judge_death(code: int) -> Crashed | Undecided:
    """Judge a reader that died while reading a document. `code`: negative for a signal. No other process can
    make it exit with a status of its own."""
    if code >= 0:
        return Crashed(how=f"its reader ended with exit code {code}")
    name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
    if -code in _OWN_FAULTS:
        return Crashed(how=f"its reader died of {name}")
    return Undecided(how=f"its reader was ended by {name}")


def describe_no_process(error: OSError) -> str:
    why = (error.strerror or type(error).__name__).lower()
    return f"this machine cannot start a process to read documents: {why}"


class _Process:
    """A reader process, as its worker sees it."""

    def __init__(
        self, popen: subprocess.Popen[bytes], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._popen = popen
        self._reader = reader
        self._writer = writer
        self.is_sound = True  # it can read another document

    @classmethod
    async def start(cls, limits: ReaderLimits) -> Self:
        """Raises OSError when the machine cannot start it."""
        ours, theirs = socket.socketpair()
        numbers = map(str, (os.getpid(), limits.memory_bytes, limits.cpu_s, int(limits.wait_s)))
        # -P: nothing is imported from the current directory.
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

    async def send(self, message: bytes) -> None:
        """Errors are ignored: a missing answer shows them."""
        with contextlib.suppress(ConnectionError):
            self._writer.write(frame(message))
            await self._writer.drain()

    async def receive(self, most_bytes: int) -> bytes | None:
        """None: the process is gone."""
        try:
            (length,) = LENGTH.unpack(await self._reader.readexactly(LENGTH.size))
            return await self._reader.readexactly(min(length, most_bytes))
        except (asyncio.IncompleteReadError, ConnectionError):
            return None

    async def wait_for_exit(self) -> int | None:
        """Its exit code; None: it has not exited."""
        try:
            return await asyncio.to_thread(self._popen.wait, EXIT_WAIT_S)
        except subprocess.TimeoutExpired:
            return None

    def end(self) -> None:
        self._writer.close()
        self._popen.kill()
        self._popen.wait()


@contextlib.contextmanager
def _signals_held_back() -> Iterator[None]:
    """A child that is started in here never receives these signals. Ctrl-C reaches the whole process group,
    and a reader has to answer while its worker saves everything."""
    earlier = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, earlier)
