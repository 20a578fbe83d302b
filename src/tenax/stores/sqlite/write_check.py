"""Whether a store file can be written. See stores/write_check.py."""

import contextlib
from pathlib import Path
from urllib.parse import quote

from pysqlite3 import dbapi2 as sqlite

from tenax.stores.disks import DiskTrouble, count_free_bytes, probe_disk
from tenax.stores.layout import STORE_NAME
from tenax.stores.place import Place
from tenax.stores.sqlite.connection.errors import is_busy
from tenax.stores.write_check import WriteObstacle, describe_disk

# 500 pages and what they change in indexes.
BATCH_BYTES = 16_000_000
# Workers hold the lock for an eighth of the time each, and for a fraction of a second.
LOCK_S = 5.0


def probe(place: Place) -> WriteObstacle | None:
    folder = place.folder
    if not folder.is_dir():
        return None
    trouble = probe_disk(folder)
    if trouble is not None and trouble is not DiskTrouble.FULL:
        return describe_disk(trouble, str(folder))
    free = count_free_bytes(folder)
    if trouble is DiskTrouble.FULL or free < BATCH_BYTES:
        left = f"{free:,} bytes are left, and a batch of pages may take {BATCH_BYTES:,}"
        return describe_disk(DiskTrouble.FULL, str(folder), left)
    return _probe_lock(folder / STORE_NAME)


def _probe_lock(path: Path) -> WriteObstacle | None:
    """Try to lock the file. A process that holds the lock has the file's log open."""
    if not path.with_name(f"{path.name}-wal").exists():
        return None
    uri = f"file:{quote(str(path.absolute()))}?mode=rw"
    try:
        with contextlib.closing(
            sqlite.connect(uri, uri=True, timeout=LOCK_S, isolation_level=None)
        ) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
    except sqlite.Error as error:
        if not is_busy(error):
            return None  # this user may not write there, or gets the error when reading
        return WriteObstacle(
            is_disk=False,
            sentence=f"Another process has held {path} for more than {LOCK_S:g} s: nothing can be stored.",
            advice=f"End it: 'fuser {path}' shows which processes use the file.",
        )
    return None
