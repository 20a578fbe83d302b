"""Runs a command to its end and measures its cost."""

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

TIMEOUT_S = 300.0
Command = Sequence[str | Path]


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    exit_code: int | None  # None: it ran too long and was killed
    wall_s: float
    cpu_s: float  # user + system, of the process and of all the children it waited for
    peak_rss_bytes: int  # of the largest of these processes


def run_command(
    command: Command,
    *,
    stdout: Path,
    stderr: Path,
    environment: Mapping[str, str] | None = None,
    timeout_s: float = TIMEOUT_S,
) -> Usage:
    started = time.monotonic()
    with stdout.open("wb") as out, stderr.open("wb") as err:
        process = subprocess.Popen(
            command,
            stdout=out,
            stderr=err,
            env={**os.environ, **(environment or {})},
            start_new_session=True,
        )
    is_late = False
    while True:
        pid, status, used = os.wait4(process.pid, os.WNOHANG)
        if pid:
            break
        if not is_late and time.monotonic() - started > timeout_s:
            is_late = True
            os.killpg(process.pid, signal.SIGKILL)
        time.sleep(0.01)
    process.returncode = os.waitstatus_to_exitcode(status)
    return Usage(
        exit_code=None if is_late else process.returncode,
        wall_s=time.monotonic() - started,
        cpu_s=used.ru_utime + used.ru_stime,
        peak_rss_bytes=used.ru_maxrss * 1024,
    )
