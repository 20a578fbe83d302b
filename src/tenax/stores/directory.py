"""A crawl's data directory seen from outside, by those who only read and change nothing of the crawl."""

import contextlib
from pathlib import Path

from sqlalchemy import Connection

from tenax.stores.layout import STORE_NAME, WORKERS_NAME, refuse_missing
from tenax.stores.sqlite.identity import format_identity
from tenax.stores.sqlite.presence import find_live
from tenax.stores.sqlite.reader import open_file


def open_store(data: Path) -> contextlib.AbstractContextManager[Connection]:
    """The store, read-only. Raises StoreError with one sentence, also for what goes wrong meanwhile."""
    refuse_missing(data)
    return open_file(data / STORE_NAME)


def find_identity(data: Path, connection: Connection) -> str | None:
    """The store's name for things outside of it; None: it has none, as nothing was ever kept outside."""
    number = connection.exec_driver_sql("PRAGMA user_version").scalar_one()
    return format_identity(data / STORE_NAME, number) if number else None


def find_live_workers(data: Path) -> frozenset[str]:
    """uuids of workers whose process lives; nobody is seen in a directory that is not ours to lock in."""
    try:
        return frozenset(find_live(data / WORKERS_NAME))
    except OSError:
        return frozenset()


def measure_store(data: Path) -> int:
    """Bytes of the store, its log included."""
    total = 0
    for path in data.glob(f"{STORE_NAME}*"):
        with contextlib.suppress(FileNotFoundError):
            total += path.stat().st_size
    return total
