"""The file, while several processes make it."""

import asyncio
import multiprocessing
from pathlib import Path
from typing import Any

from tenax.clock import SystemClock
from tenax.stores.sqlite.connection.database import SqliteDatabase


def create_at_once(path: Path, gate: Any) -> None:
    gate.wait()
    asyncio.run(_open_and_close(path))


async def _open_and_close(path: Path) -> None:
    async with SqliteDatabase(path, SystemClock()):
        pass


def test_processes_that_create_a_store_at_once_all_succeed(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    gate = context.Barrier(2)
    for attempt in range(3):
        path = tmp_path / f"{attempt}.db"
        children = [context.Process(target=create_at_once, args=(path, gate)) for _ in range(2)]
        for child in children:
            child.start()
        for child in children:
            child.join(30)
        assert [child.exitcode for child in children] == [0, 0]
