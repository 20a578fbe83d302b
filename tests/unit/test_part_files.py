"""Files that take their name when they are complete, and what killed writers leave behind."""

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tenax.part_files import replace_file, try_replacing


def test_a_file_appears_when_it_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "pages.jsonl"
    with replace_file(path) as file:
        file.write(b"all")
        assert not path.exists()
    assert path.read_bytes() == b"all"
    assert os.listdir(tmp_path) == ["pages.jsonl"]


def test_a_failed_writer_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "pages.jsonl"
    path.write_bytes(b"earlier")
    with contextlib.suppress(RuntimeError), replace_file(path) as file:
        file.write(b"half")
        raise RuntimeError
    assert path.read_bytes() == b"earlier"
    assert os.listdir(tmp_path) == ["pages.jsonl"]


def test_a_try_leaves_everything_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "pages.jsonl"
    path.write_bytes(b"earlier")
    try_replacing(path)
    assert path.read_bytes() == b"earlier"
    assert os.listdir(tmp_path) == ["pages.jsonl"]


def test_a_try_fails_where_a_file_could_not_be_written(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        try_replacing(tmp_path / "missing" / "pages.jsonl")


KILLED = """
import os, signal, sys
from pathlib import Path
from tenax.part_files import replace_file
with replace_file(Path(sys.argv[1])) as file:
    file.write(b"half")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def be_killed(path: Path) -> None:
    ended = subprocess.run([sys.executable, "-c", KILLED, str(path)])
    assert ended.returncode == -signal.SIGKILL


def test_what_a_killed_writer_left_is_removed_by_the_next(tmp_path: Path) -> None:
    path = tmp_path / "pages.jsonl"
    be_killed(path)
    (left,) = os.listdir(tmp_path)
    assert left.endswith(".part")
    with replace_file(path) as file:
        assert left not in os.listdir(tmp_path), "its room is free before more is written"
        file.write(b"all")
    assert os.listdir(tmp_path) == ["pages.jsonl"]


def test_what_an_earlier_version_left_is_removed(tmp_path: Path) -> None:
    (tmp_path / ".pages.jsonl.4711.part").write_bytes(b"half")
    with replace_file(tmp_path / "pages.jsonl"):
        pass
    assert os.listdir(tmp_path) == ["pages.jsonl"]


def test_a_writer_at_work_is_not_robbed(tmp_path: Path) -> None:
    path = tmp_path / "pages.jsonl"
    with replace_file(path) as first:
        first.write(b"first")
        with replace_file(path) as second:
            second.write(b"second")
        assert path.read_bytes() == b"second"
    assert path.read_bytes() == b"first"


@pytest.mark.parametrize(
    "name",
    [
        ".other.jsonl.4711.part",  # of another file
        ".pages.jsonl.mine.part",
        "pages.jsonl.4711.part",
        ".pages.jsonl.4711.parts",
        ".pages.jsonl.zz.4711.part",
    ],
)
def test_files_of_others_are_left_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"not ours")
    with replace_file(tmp_path / "pages.jsonl"):
        pass
    assert (tmp_path / name).read_bytes() == b"not ours"


def test_neither_links_nor_folders_are_followed(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_bytes(b"not ours")
    (tmp_path / ".pages.jsonl.1.part").symlink_to(target)
    (tmp_path / ".pages.jsonl.2.part").mkdir()
    with replace_file(tmp_path / "pages.jsonl"):
        pass
    assert target.read_bytes() == b"not ours"
    assert {".pages.jsonl.1.part", ".pages.jsonl.2.part"} < set(os.listdir(tmp_path))
