"""A shift of workers that belongs to a server: it starts with it, and ends with it however that ends.

Run as a process of its own, which forks: the server's threads would not survive that. Its order comes by
standard input, so that no password is seen among the arguments of processes.
"""

import asyncio
import contextlib
import json
import os
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tenax.cli.exits import Exit
from tenax.cli.joining import WorkerDaemon
from tenax.config import Values, load_settings
from tenax.errors import TenaxError
from tenax.stores.place import Place
from tenax.telemetry import log
from tenax.visible import clean_lines
from tenax.workers.run_processes import end_with

MODULE = "tenax.cli.servant"
LONGEST_PAUSE_S = 1.0
FIRST_REST_S = 0.5
LONGEST_REST_S = 30.0
QUIET_S = 60.0  # whoever lives so long did not die of its start
GRACE_S = 10.0


class WorkerSubprocess:
    """The server's side: keeps one shift at work while it is entered."""

    def __init__(self, place: Place, *, file: Path | None, overrides: Values, drain_s: float) -> None:
        self._order = json.dumps(
            {
                "parent": os.getpid(),
                "folder": str(place.folder),
                "url": place.url,
                "file": str(file) if file else None,
                "overrides": overrides,
            }
        ).encode()
        self._patience_s = drain_s + GRACE_S
        self._process: asyncio.subprocess.Process | None = None

    async def __aenter__(self) -> Self:
        await self._start()
        self._keeper = asyncio.create_task(self._keep())
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
            async with asyncio.timeout(self._patience_s):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()

    async def _start(self) -> None:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            MODULE,
            stdin=asyncio.subprocess.PIPE,
            # Ctrl-C reaches the whole group: the server obeys it, and tells its servant.
            start_new_session=True,
        )
        assert self._process.stdin is not None
        self._process.stdin.write(self._order)
        self._process.stdin.close()

    async def _keep(self) -> None:
        """Nobody is left without workers because one shift has died."""
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


def main() -> Exit:
    order: dict[str, Any] = json.load(sys.stdin)
    end_with(order["parent"])
    settings = load_settings(
        file=Path(order["file"]) if order["file"] else None, overrides=order["overrides"]
    )
    place = Place(folder=Path(order["folder"]), url=order["url"])
    return WorkerDaemon(
        place, settings, until_idle=False, is_quiet=True, longest_pause_s=LONGEST_PAUSE_S
    ).run()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except TenaxError as error:
        print(f"tenax: {clean_lines(str(error))}", file=sys.stderr)
        sys.exit(Exit.ERROR)
