"""Starts worker programs from processes that must not fork, because they have threads or an event loop.

Such a program gets its task on standard input, so that no password shows up among the arguments of processes,
and stops when its parent dies, however that dies. subprocess_main.py is what it runs.
"""

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from tenax.config.settings import Values
from tenax.exits import Exit
from tenax.record import record
from tenax.stores.place import Place
from tenax.telemetry import log

PROGRAM = "tenax.workers.subprocess_main"
FIRST_REST_S = 0.5
LONGEST_REST_S = 30.0
QUIET_S = 60.0  # a program that lives this long did not die of its start
GRACE_S = 10.0


@record
class SubprocessTask:
    """What a program is to work on, and how to load the same settings as its parent."""

    place: Place
    file: Path | None  # with settings
    overrides: Values
    run_id: int | None = None  # None: all runs of the store, as they appear


def format_task(task: SubprocessTask) -> bytes:
    fields = {
        "parent": os.getpid(),
        "folder": str(task.place.folder),
        "url": task.place.url,
        "file": str(task.file) if task.file else None,
        "overrides": task.overrides,
        "run": task.run_id,
    }
    return json.dumps(fields).encode()


def parse_task(text: bytes) -> tuple[SubprocessTask, int]:
    """Return the task and the process that has given it."""
    fields = json.loads(text)
    task = SubprocessTask(
        place=Place(folder=Path(fields["folder"]), url=fields["url"]),
        file=Path(fields["file"]) if fields["file"] else None,
        overrides=fields["overrides"],
        run_id=fields["run"],
    )
    return task, fields["parent"]


class WorkerSubprocess:
    """Keeps the workers of a server running while it is entered: a `tenax worker` without its output."""

    def __init__(self, task: SubprocessTask, drain_s: float) -> None:
        self._task = format_task(task)
        self._stop_timeout_s = drain_s + GRACE_S
        self._process: asyncio.subprocess.Process | None = None

    async def __aenter__(self) -> Self:
        await self._start()
        self._keeper = asyncio.create_task(self._restart())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._keeper.cancel()
        await asyncio.gather(self._keeper, return_exceptions=True)
        process = self._process
        if process is None or process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        try:
            async with asyncio.timeout(self._stop_timeout_s):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()

    async def _start(self) -> None:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            PROGRAM,
            stdin=asyncio.subprocess.PIPE,
            # Ctrl-C reaches the whole process group: the server handles it and stops its workers.
            start_new_session=True,
        )
        assert self._process.stdin is not None
        self._process.stdin.write(self._task)
        self._process.stdin.close()

    async def _restart(self) -> None:
        """Start the program again whenever it dies, after a pause that grows with each death."""
        rest_s = FIRST_REST_S
        while True:
            assert self._process is not None
            started_at = time.monotonic()
            code = await self._process.wait()
            rest_s = FIRST_REST_S if time.monotonic() - started_at > QUIET_S else rest_s
            log.error("shift_ended", code=code, again_in_s=rest_s)
            await asyncio.sleep(rest_s)
            rest_s = min(2 * rest_s, LONGEST_REST_S)
            await self._start()


class RunSubprocess:
    """Works on one run; see RunProgram in jobs/dispatch/consumer.py."""

    def __init__(self, task: SubprocessTask, drain_s: float) -> None:
        self._stop_timeout_s = drain_s + GRACE_S
        self._kill_at: float | None = None
        self._output = ""
        self._process = subprocess.Popen(
            [sys.executable, "-m", PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # Ctrl-C reaches the whole process group: the consumer handles it and stops its programs.
            start_new_session=True,
        )
        assert self._process.stdin is not None
        # A program that has died already is noticed by `ended`.
        with contextlib.suppress(BrokenPipeError), self._process.stdin as stdin:
            stdin.write(format_task(task))

    def ended(self) -> bool:
        if self._kill_at is not None and time.monotonic() > self._kill_at:
            self._process.kill()
        return self._process.poll() is not None

    def read_error(self) -> str | None:
        stdout = self._process.stdout
        assert stdout is not None
        if not stdout.closed:
            # The workers of a killed program may outlive it and keep the other end open.
            os.set_blocking(stdout.fileno(), False)
            self._output = (stdout.read() or b"").decode(errors="replace").strip()
            stdout.close()
        code = self._process.wait()
        if code in (Exit.DONE, Exit.STOPPED, Exit.QUIT):
            return None
        return self._output or f"The process of the run exited with code {code}."

    def stop(self) -> None:
        if self._kill_at is None:
            self._kill_at = time.monotonic() + self._stop_timeout_s
            self._process.terminate()
