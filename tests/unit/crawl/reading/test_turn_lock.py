"""One large document at a time on a machine, and nobody waits for ever."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tenax.crawl.reading import turn_lock as reader_turns
from tenax.crawl.reading.turn_lock import ReaderLock


class Impatient(Exception):
    """Of this test: it has waited long enough."""


def give_up() -> None:
    raise Impatient


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(reader_turns, "REPORT_EVERY_S", 0.05)
    return tmp_path / "turns" / "reader.lock"


@contextmanager
def holding(path: Path) -> Iterator[None]:
    path.parent.mkdir(exist_ok=True)
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def is_free(path: Path) -> bool:
    with path.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def test_a_turn_is_had_by_one_and_ends(path: Path) -> None:
    turns = ReaderLock(60.0, path)
    turns.take(give_up)
    assert not is_free(path)
    with pytest.raises(Impatient):
        ReaderLock(60.0, path).take(give_up)
    turns.end()
    assert is_free(path)
    turns.end()


def test_a_turn_comes_again(path: Path) -> None:
    turns = ReaderLock(60.0, path)
    for _ in range(3):
        turns.take(give_up)
        assert not is_free(path)
        turns.end()


def test_nobody_waits_for_one_who_sleeps_over_its_document(path: Path) -> None:
    told: list[int] = []
    with holding(path):
        ReaderLock(0.3, path).take(lambda: told.append(1))
    assert told


def test_others_may_have_many_turns_before(path: Path) -> None:
    """None of them takes long, but all of them together do."""
    with holding(path):
        seen: list[int] = []

        def tell() -> None:
            seen.append(1)
            if len(seen) > 20:
                raise Impatient
            path.write_bytes(len(seen).to_bytes(16, "little"))

        with pytest.raises(Impatient):
            ReaderLock(0.3, path).take(tell)


@pytest.mark.parametrize("is_link", [True, False])
def test_where_there_can_be_no_file_of_ours_nobody_waits(path: Path, is_link: bool) -> None:
    elsewhere = path.parent.with_name("elsewhere")
    if is_link:
        elsewhere.mkdir()
        path.parent.symlink_to(elsewhere)
    else:
        path.parent.write_bytes(b"")
    ReaderLock(60.0, path).take(give_up)
    assert not elsewhere.exists() or not list(elsewhere.iterdir())
