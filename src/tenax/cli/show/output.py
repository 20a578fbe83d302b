"""Where long output goes: to a file that appears when it is complete, to a pipe, or to a terminal."""

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

import typer

from tenax.errors import TenaxError
from tenax.exits import Exit
from tenax.part_files import replace_file
from tenax.visible import clean_lines


@contextlib.contextmanager
def open_output(path: Path | None) -> Iterator[BinaryIO]:
    """Open the file or standard output for rows. Raises TenaxError if it cannot be written."""
    try:
        if path is None:
            yield (
                cast(BinaryIO, TerminalOutput(sys.stdout.buffer))
                if sys.stdout.isatty()
                else sys.stdout.buffer
            )
        else:
            with replace_file(path) as file:
                yield file
    except BrokenPipeError as error:
        # The reader of the pipe (head, for example) has closed it: not an error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(Exit.DONE) from error
    except OSError as error:
        target = path or "standard output"
        raise TenaxError(f"Cannot write {target}: {error.strerror or error}.") from error


class TerminalOutput:
    """A terminal would obey control characters in a page. Output to files and pipes stays as it is."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out

    def write(self, lines: bytes) -> int:
        """`lines` are whole lines."""
        self._out.write(clean_lines(lines.decode("utf-8", "replace")).encode("utf-8", "backslashreplace"))
        return len(lines)

    def flush(self) -> None:
        self._out.flush()
