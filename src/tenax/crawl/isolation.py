"""Reads suspect documents in a process of their own, so that a crash in native code kills only that one, and
judges its death: only one that the document caused counts against it.
"""

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from types import TracebackType
from typing import Final, Self

from tenax.crawl.reader_messages import (
    LENGTH,
    MOST_ANSWER_BYTES,
    READY,
    OutOfMemory,
    ReaderError,
    Suspect,
    format_suspect,
    parse_answer,
)
from tenax.crawl.reading import Reading
from tenax.telemetry import log
from tenax.values import record

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


@record(frozen=True, slots=True, kw_only=True)
class ReaderLimits:
    memory_bytes: int = 2 * 1024**3
    cpu_s: int = 60  # of a document
    # A process that gets no CPU is held up by its machine, not by its suspect.
    wait_s: float = 180.0
    start_s: float = 60.0
    idle_s: float = 60.0  # then it gives its 40 MB back


@record(frozen=True, slots=True, kw_only=True)
class Crashed:
    """The document ended its reader."""

    how: str


@record(frozen=True, slots=True, kw_only=True)
class Undecided:
    """The reader is gone, and not because of the suspect."""

    how: str


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

    async def read(self, suspect: Suspect) -> Reading | Crashed | Undecided:
        """Raises ContentError when the document cannot be read, OSError when the machine has no room for a
        process. What leaves a doubt is tried once more, in a process that has read nothing else."""
        async with self._turn:
            if self._idling is not None:
                self._idling.cancel()
            try:
                return await self._insist(suspect)
            finally:
                if self._process is not None:
                    self._idling = asyncio.get_running_loop().call_later(self._limits.idle_s, self._end)

    async def _insist(self, suspect: Suspect) -> Reading | Crashed | Undecided:
        is_fresh = self._process is None
        found = await self._try(suspect)
        if isinstance(found, Undecided) or (isinstance(found, Crashed) and not is_fresh):
            log.warning("reader_lost", url=suspect.url, how=found.how)
            found = await self._try(suspect)
        return found

    async def _try(self, suspect: Suspect) -> Reading | Crashed | Undecided:
        started = self._process or await self._start()
        if isinstance(started, Undecided):
            return started
        self._process = started
        try:
            async with asyncio.timeout(self._limits.wait_s):
                answer = await started.ask(format_suspect(suspect))
            found = self._judge(await started.bury()) if answer is None else self._parse(answer)
            started.is_sound = isinstance(found, Reading)
            return found
        except ReaderError:
            started.is_sound = False
            raise
        except TimeoutError:
            return Undecided(how=f"its reader made no headway for {self._limits.wait_s:g} s")
        finally:
            if not started.is_sound:
                self._end()

    async def _start(self) -> "_Process | Undecided":
        if self._is_closed:
            return Undecided(how="its worker was about to end")
        process = await _Process.start(self._limits)
        is_ready = False
        try:
            async with asyncio.timeout(self._limits.start_s):
                is_ready = await process.hear() == READY and not self._is_closed
        except TimeoutError:
            pass
        finally:
            if not is_ready:
                process.end()
        return process if is_ready else Undecided(how="its reader was gone before it had begun")

    def _parse(self, answer: bytes) -> Reading | Crashed:
        try:
            found = parse_answer(answer)
        except (ValueError, KeyError, TypeError, IndexError):
            return Crashed(how="its reader answered nonsense")
        if isinstance(found, OutOfMemory):
            return Crashed(how=f"reading it takes more than {self._limits.memory_bytes:,} bytes of memory")
        return found

    def _judge(self, code: int | None) -> Crashed | Undecided:
        if code is None:
            return Undecided(how="its reader closed its channel")
        if code == -signal.SIGXCPU:
            return Crashed(how=f"reading it takes more than {self._limits.cpu_s} s of CPU time")
        return judge_death(code)

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.end()


def judge_death(code: int) -> Crashed | Undecided:
    """Of a reader that had begun with a suspect. `code`: negative for a signal. Nobody outside can make a
    process end with a status of its own."""
    if code >= 0:
        return Crashed(how=f"its reader ended with exit code {code}")
    name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
    if -code in _OWN_FAULTS:
        return Crashed(how=f"its reader died of {name}")
    return Undecided(how=f"its reader was ended by {name}")


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
        numbers = map(str, (os.getpid(), limits.memory_bytes, limits.cpu_s))
        # -P: nothing of the current directory is imported.
        command = [sys.executable, "-P", "-m", "tenax.crawl.reader_process", *numbers]
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

    async def ask(self, message: bytes) -> bytes | None:
        """None: it died over it."""
        self.is_sound = False
        with contextlib.suppress(ConnectionError):
            self._writer.write(message)
            await self._writer.drain()
        answer = await self.hear()
        self.is_sound = answer is not None
        return answer

    async def hear(self) -> bytes | None:
        try:
            (length,) = LENGTH.unpack(await self._reader.readexactly(LENGTH.size))
            return await self._reader.readexactly(min(length, MOST_ANSWER_BYTES))
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
