"""Runs `tenax` like its users do, but in the test's process: starting one takes half a second."""

import contextlib
import io
import sys
from dataclasses import dataclass
from pathlib import Path

from tenax.cli.app import main

COMMAND = Path(sys.executable).with_name("tenax")  # for tests that need a separate process


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    code: int
    out: str
    err: str


def run_tenax(*arguments: str | Path) -> Ended:
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    err = io.StringIO()
    kept = sys.argv
    sys.argv = ["tenax", *map(str, arguments)]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main()
        code = 0
    except SystemExit as error:
        code = int(error.code or 0)
    finally:
        sys.argv = kept
    out.flush()
    buffer = out.buffer
    assert isinstance(buffer, io.BytesIO)
    return Ended(code=code, out=buffer.getvalue().decode(), err=err.getvalue())
