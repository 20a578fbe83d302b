"""Signs of life: a dead process is found with its notes, a live one never."""

import multiprocessing
import os
import signal
import struct
from collections.abc import Iterator
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path

import pytest

from tenax.stores.contracts.workers import DeadWorker
from tenax.stores.presence import SUFFIX, Presence, find_signs
from tests.support.descriptors import descriptors


def live(folder: Path, notes: list[tuple[float, int]], ready: Connection) -> None:
    """A worker that notes these signs of life and then hangs until it is killed."""
    with Presence(folder, "child") as presence:
        for alive_at, url_id in notes:
            presence.note_alive(alive_at)
            presence.note_reading(url_id)
        ready.send(True)
        signal.pause()


def start(folder: Path, notes: list[tuple[float, int]]) -> SpawnProcess:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    child = context.Process(target=live, args=(folder, notes, theirs), daemon=True)
    child.start()
    assert ours.poll(30)
    return child


def kill(child: SpawnProcess) -> None:
    child.kill()
    child.join()


@pytest.fixture
def observer(tmp_path: Path) -> Iterator[Presence]:
    with Presence(tmp_path, "observer") as presence:
        yield presence


def test_a_worker_lives_until_it_is_killed_and_is_then_found_with_its_notes(
    tmp_path: Path, observer: Presence
) -> None:
    child = start(tmp_path, [(1.5, 41), (2.5, 42)])
    assert observer.find_dead() == []
    assert find_signs(tmp_path).live == {"child", "observer"}
    kill(child)
    dead = DeadWorker(uuid="child", last_alive_at=2.5, reading_url_id=42)
    assert observer.find_dead() == [dead]
    assert find_signs(tmp_path).live == {"observer"}


def test_the_dead_are_found_again_until_they_are_forgotten(tmp_path: Path, observer: Presence) -> None:
    kill(start(tmp_path, [(1.0, 0)]))
    (dead,) = observer.find_dead()
    assert observer.find_dead() == [dead]
    observer.forget(dead)
    assert observer.find_dead() == []
    observer.forget(dead)


def test_a_worker_that_read_nothing_names_no_url(tmp_path: Path, observer: Presence) -> None:
    kill(start(tmp_path, [(1.0, 42), (2.0, 0)]))
    assert observer.find_dead()[0].reading_url_id is None


def test_a_worker_does_not_find_itself(observer: Presence) -> None:
    observer.note_alive(1.0)
    assert observer.find_dead() == []


def test_a_worker_that_ends_cleanly_leaves_nothing(tmp_path: Path, observer: Presence) -> None:
    with Presence(tmp_path, "other") as other:
        assert observer.find_dead() == []
        other.note_alive(1.0)
    assert [path.name for path in tmp_path.iterdir()] == [f"observer{SUFFIX}"]


def test_leaving_twice_is_safe(tmp_path: Path) -> None:
    presence = Presence(tmp_path, "worker")
    with presence:
        pass
    presence.__exit__(None, None, None)
    presence.note_alive(1.0)
    presence.note_reading(1)


def test_two_observers_may_find_the_same_dead(tmp_path: Path, observer: Presence) -> None:
    kill(start(tmp_path, [(1.0, 7)]))
    with Presence(tmp_path, "second") as second:
        assert second.find_dead() == observer.find_dead()


def test_a_note_that_was_cut_off_is_still_a_dead_worker(tmp_path: Path, observer: Presence) -> None:
    (tmp_path / f"torn{SUFFIX}").write_bytes(b"\x01")
    assert observer.find_dead() == [DeadWorker(uuid="torn", last_alive_at=0.0, reading_url_id=None)]


def test_a_note_of_an_earlier_version_is_understood(tmp_path: Path, observer: Presence) -> None:
    (tmp_path / f"old{SUFFIX}").write_bytes(struct.pack("<dq", 2.5, 42))
    assert observer.find_dead() == [DeadWorker(uuid="old", last_alive_at=2.5, reading_url_id=42)]


def test_a_worker_that_ended_itself_is_found_with_its_exit_code(tmp_path: Path, observer: Presence) -> None:
    worker = Presence(tmp_path, "worker")
    worker.__enter__()
    worker.note_exit(71)
    worker.__exit__(RuntimeError, RuntimeError(), None)
    assert [dead.exit_code for dead in observer.find_dead()] == [71]


def test_the_folder_is_made_when_it_is_missing(tmp_path: Path) -> None:
    with Presence(tmp_path / "a" / "b", "worker") as presence:
        assert presence.find_dead() == []


def test_nobody_lives_in_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    assert find_signs(tmp_path / "nowhere").live == frozenset()


def test_files_of_workers_that_were_killed_before_they_had_a_name_are_removed(tmp_path: Path) -> None:
    old, young = tmp_path / "old.new", tmp_path / "young.new"
    for path in (old, young):
        path.write_bytes(bytes(16))
    os.utime(old, (0, 0))
    with Presence(tmp_path, "a"):
        assert not old.exists()
        assert young.exists()


def test_without_a_descriptor_nobody_is_found_and_nothing_is_raised(
    tmp_path: Path, observer: Presence
) -> None:
    kill(start(tmp_path, [(1.0, 7)]))
    with descriptors(0):
        assert observer.find_dead() == []
    assert len(observer.find_dead()) == 1
