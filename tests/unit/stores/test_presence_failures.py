"""A worker's file when things go wrong: it must neither hide the dead nor end in a traceback."""

import fcntl
import os
from pathlib import Path

import pytest

from tenax.errors import StoreError, StoreFull
from tenax.stores.presence import Presence


def test_a_worker_that_failed_is_found_dead(tmp_path: Path) -> None:
    with pytest.raises(StoreFull), Presence(tmp_path, "failed"):
        raise StoreFull
    with Presence(tmp_path, "observer") as observer:
        assert [dead.uuid for dead in observer.find_dead()] == ["failed"]


def test_a_worker_that_ended_leaves_no_file(tmp_path: Path) -> None:
    with Presence(tmp_path, "ended"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_used_is_a_store_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="Cannot use"), Presence(tmp_path / "file", "worker"):
        pass


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="takes a device that is always full")
def test_a_full_disk_is_said_to_be_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def open_full(*_: object) -> int:
        return opened("/dev/full", os.O_RDWR)

    opened = os.open
    monkeypatch.setattr(os, "open", open_full)
    # The device belongs to everybody: another run of this test may hold its lock.
    monkeypatch.setattr(fcntl, "flock", lambda *_: None)
    with pytest.raises(StoreFull, match="is full"), Presence(tmp_path, "worker"):
        pass
