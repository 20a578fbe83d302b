"""A crew: the workers of this machine at one run, as a program of its own. It belongs to a worker that has
got a message for the run, and ends with it however that ends.

Its order comes by standard input, so that no password is seen among the arguments of processes. What it has
to say at its end, if it could not work, goes to standard output as one line."""

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tenax.cli.exits import Exit
from tenax.cli.joining import build_order, work_on
from tenax.cli.session import calm_memory
from tenax.cli.show.live import open_view
from tenax.config import Values, load_settings
from tenax.errors import TenaxError
from tenax.runtime.runs import list_open_runs
from tenax.stores.place import Place
from tenax.workers.run_processes import end_with

MODULE = "tenax.cli.crew"
GRACE_S = 10.0


class RunSubprocess:
    """See jobs/dispatch/consumer.py."""

    def __init__(self, order: dict[str, Any], drain_s: float) -> None:
        self._patience_s = drain_s + GRACE_S
        self._kill_at: float | None = None
        self._said = ""
        self._process = subprocess.Popen(
            [sys.executable, "-m", MODULE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # Ctrl-C reaches the whole group: the worker obeys it, and tells its crews.
            start_new_session=True,
        )
        assert self._process.stdin is not None
        # One that is gone already will be missed soon enough.
        with contextlib.suppress(BrokenPipeError), self._process.stdin as stdin:
            stdin.write(json.dumps(order).encode())

    def ended(self) -> bool:
        if self._kill_at is not None and time.monotonic() > self._kill_at:
            self._process.kill()
        return self._process.poll() is not None

    def read_error(self) -> str | None:
        stdout = self._process.stdout
        assert stdout is not None
        if not stdout.closed:
            # Its workers may outlive one that was killed, and hold the other end.
            os.set_blocking(stdout.fileno(), False)
            self._said = (stdout.read() or b"").decode(errors="replace").strip()
            stdout.close()
        code = self._process.wait()
        if code in (Exit.DONE, Exit.STOPPED, Exit.QUIT):
            return None
        return self._said or f"The crew ended with the code {code}."

    def stop(self) -> None:
        if self._kill_at is None:
            self._kill_at = time.monotonic() + self._patience_s
            self._process.terminate()


def make_order(place: Place, *, file: Path | None, overrides: Values, run_id: int) -> dict[str, Any]:
    return {
        "parent": os.getpid(),
        "folder": str(place.folder),
        "url": place.url,
        "file": str(file) if file else None,
        "overrides": overrides,
        "run": run_id,
    }


def main() -> Exit:
    order: dict[str, Any] = json.load(sys.stdin)
    end_with(order["parent"])
    own = load_settings(file=Path(order["file"]) if order["file"] else None, overrides=order["overrides"])
    place = Place(folder=Path(order["folder"]), url=order["url"])
    under_way = {each.run.id: each for each in asyncio.run(list_open_runs(place))}
    found = under_way.get(order["run"])
    if found is None:
        return Exit.DONE  # it has ended since
    calm_memory()
    _, code = work_on(build_order(place, own, found), found.run, open_view(sys.stderr, is_quiet=True))
    return code


if __name__ == "__main__":
    try:
        sys.exit(main())
    except TenaxError as error:
        print(error)
        sys.exit(Exit.ERROR)
