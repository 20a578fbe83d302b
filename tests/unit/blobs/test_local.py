"""Segments as files: what is appended is there, and a dead writer's file has a new one."""

import errno
import os
from pathlib import Path

import pytest

from tenax.blobs.base import BlobMissing
from tenax.blobs.local import LocalBlobs
from tenax.errors import StoreError, StoreFull


@pytest.fixture
def blobs(tmp_path: Path) -> LocalBlobs:
    return LocalBlobs(tmp_path / "bodies")


def test_frames_are_read_where_they_were_appended(blobs: LocalBlobs) -> None:
    writer = blobs.create("a.zst")
    assert writer.append([b"one", b"three"]) == [0, 3]
    assert writer.append([b"two"]) == [8]
    assert [blobs.read("a.zst", *place) for place in ((0, 3), (3, 5), (8, 3))] == [b"one", b"three", b"two"]
    assert (writer.size, blobs.find_size("a.zst")) == (11, 11)


def test_only_the_owner_may_read_it(blobs: LocalBlobs, tmp_path: Path) -> None:
    blobs.create("a.zst").append([b"secret"])
    assert (tmp_path / "bodies" / "a.zst").stat().st_mode & 0o077 == 0
    assert (tmp_path / "bodies").stat().st_mode & 0o077 == 0


def test_a_living_writer_keeps_its_segment_and_a_dead_one_does_not(blobs: LocalBlobs) -> None:
    writer = blobs.create("a.zst")
    writer.append([b"kept", b"orphaned"])
    assert blobs.take_over("a.zst") is None
    writer.close()
    heir = blobs.take_over("a.zst")
    assert heir is not None
    heir.trim(4)
    assert blobs.find_size("a.zst") == 4
    assert heir.append([b"more"]) == [4]
    heir.close()
    assert blobs.read("a.zst", 0, 8) == b"keptmore"


def test_a_segment_has_one_writer(blobs: LocalBlobs) -> None:
    blobs.create("a.zst")
    with pytest.raises(StoreError):
        blobs.create("a.zst")


def test_what_is_missing_is_said(blobs: LocalBlobs) -> None:
    assert blobs.find_size("a.zst") is None
    assert blobs.take_over("a.zst") is None
    blobs.remove("a.zst")
    with pytest.raises(BlobMissing, match="is missing"):
        blobs.read("a.zst", 0, 3)


def test_a_full_disk_leaves_nothing_behind(blobs: LocalBlobs, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = blobs.create("a.zst")
    writer.append([b"one"])
    write = os.pwrite

    def write_some(file: int, data: bytes, position: int) -> int:
        if position > 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(file, data[:2], position)

    monkeypatch.setattr(os, "pwrite", write_some)
    with pytest.raises(StoreFull, match="is full") as caught:
        writer.append([b"second"])
    assert caught.value.is_transient
    assert blobs.find_size("a.zst") == writer.size == 3
    monkeypatch.undo()
    assert writer.append([b"second"]) == [3]
    assert blobs.read("a.zst", 0, 9) == b"onesecond"
