"""Lines of seed files: plain, compressed, damaged, endless."""

import gzip
import io
import os
import sys
import zipfile
from pathlib import Path

import pytest

from tenax.cli.seeds import files as seed_files
from tenax.cli.seeds.files import MAX_LINE_CHARS, open_list
from tenax.errors import UsageError

LINES = ["1,a.test\n", "2,b.test\n"]
CONTENT = "".join(LINES).encode()


def read(file: Path) -> list[str | None]:
    with open_list(file) as opened:
        return list(opened.lines)


def write(folder: Path, content: bytes, name: str = "list.csv") -> Path:
    (folder / name).write_bytes(content)
    return folder / name


def pack(folder: Path, *members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    path = folder / "list.zip"
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return path


def refusal(file: Path) -> str:
    with pytest.raises(UsageError) as caught:
        read(file)
    return str(caught.value)


def test_lines_come_one_by_one(tmp_path: Path) -> None:
    assert read(write(tmp_path, CONTENT)) == LINES


@pytest.mark.parametrize("end", [b"\r\n", b"\r", b"\n"])
def test_all_ends_of_lines_are_known(tmp_path: Path, end: bytes) -> None:
    assert read(write(tmp_path, CONTENT.replace(b"\n", end))) == LINES


def test_the_last_line_needs_no_end(tmp_path: Path) -> None:
    assert read(write(tmp_path, CONTENT[:-1])) == [LINES[0], LINES[1].rstrip()]


def test_a_byte_order_mark_is_no_part_of_the_first_line(tmp_path: Path) -> None:
    assert read(write(tmp_path, b"\xef\xbb\xbf" + CONTENT)) == LINES


def test_bytes_that_are_no_text_spoil_their_own_line_only(tmp_path: Path) -> None:
    assert read(write(tmp_path, b"\xff\n" + CONTENT)) == ["\udcff\n", *LINES]


def test_utf_16_is_refused_by_its_mark(tmp_path: Path) -> None:
    path = write(tmp_path, CONTENT.decode().encode("utf-16"))
    assert refusal(path) == f"The file {path} is not UTF-8 text."


def test_a_huge_line_is_passed_over(tmp_path: Path) -> None:
    huge = b"x" * (3 * MAX_LINE_CHARS)
    assert read(write(tmp_path, huge + b"\n" + CONTENT + huge)) == [None, *LINES, None]


@pytest.mark.parametrize("extra", [-1, 0, 1])
def test_a_line_about_as_long_as_the_limit_is_one_line(tmp_path: Path, extra: int) -> None:
    found = read(write(tmp_path, b"x" * (MAX_LINE_CHARS + extra) + b"\n" + CONTENT))
    assert len(found) == 3
    assert found[1:] == LINES


def test_gzip_is_recognised_whatever_its_name(tmp_path: Path) -> None:
    assert read(write(tmp_path, gzip.compress(CONTENT))) == LINES


def test_an_archive_of_one_file_is_read(tmp_path: Path) -> None:
    assert read(pack(tmp_path, ("folder/", b""), ("folder/top-1m.csv", CONTENT))) == LINES


@pytest.mark.parametrize("names", [(), ("one.csv", "two.csv")])
def test_an_archive_of_none_or_several_files_is_refused(tmp_path: Path, names: tuple[str, ...]) -> None:
    path = pack(tmp_path, ("folder/", b""), *((name, CONTENT) for name in names))
    assert refusal(path) == f"The archive {path} holds {len(names)} files; it must hold only the list."


def test_an_archive_that_may_need_gigabytes_to_unpack_is_refused(tmp_path: Path) -> None:
    path = pack(tmp_path, ("list.csv", CONTENT), method=zipfile.ZIP_LZMA)
    assert refusal(path).endswith("is encrypted or uses an unsupported compression; unpack it first.")


@pytest.mark.parametrize("kept", [0.2, 0.9])
def test_a_cut_archive_is_damaged(tmp_path: Path, kept: float) -> None:
    content = gzip.compress(bytes(range(256)) * 100)
    path = write(tmp_path, content[: int(len(content) * kept)])
    assert refusal(path) == f"The archive {path} is damaged."


def test_a_cut_zip_is_damaged(tmp_path: Path) -> None:
    path = pack(tmp_path, ("list.csv", CONTENT))
    path.write_bytes(path.read_bytes()[:-10])
    assert refusal(path) == f"The archive {path} is damaged."


@pytest.mark.parametrize("packed", ["gzip", "zip"])
def test_a_bomb_is_put_aside(tmp_path: Path, packed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seed_files, "_BOMB_BYTES", 1_000_000)
    bomb = bytes(5_000_000)
    path = write(tmp_path, gzip.compress(bomb)) if packed == "gzip" else pack(tmp_path, ("a", bomb))
    assert refusal(path).endswith("unpacks to over 100 times its size: it is not a list.")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "no.csv"
    assert refusal(path) == f"Cannot read the file {path}: No such file or directory."


def test_a_directory_is_no_list(tmp_path: Path) -> None:
    assert refusal(tmp_path).endswith("Is a directory.")


@pytest.mark.parametrize("content", [CONTENT, gzip.compress(CONTENT)], ids=["plain", "gzip"])
def test_a_pipe_is_read(content: bytes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with run_pipe(content) as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        assert read(Path("-")) == LINES


def test_a_zip_in_a_pipe_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with run_pipe(pack(tmp_path, ("a", CONTENT)).read_bytes()) as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        assert refusal(Path("-")).startswith("A zip archive cannot be read from standard input")


def test_how_much_of_a_file_is_read_is_known(tmp_path: Path) -> None:
    with open_list(write(tmp_path, CONTENT * 100_000)) as opened:
        next(opened.lines)
        assert 0 < (opened.share_read() or 0) < 0.5
        list(opened.lines)
        assert opened.share_read() == 1.0


def test_the_share_read_of_a_pipe_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    with run_pipe(CONTENT) as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        with open_list(Path("-")) as opened:
            assert opened.share_read() is None


def run_pipe(content: bytes) -> io.TextIOWrapper:
    """Standard input that is a pipe with this in it."""
    read_end, write_end = os.pipe()
    os.write(write_end, content)
    os.close(write_end)
    return open(read_end)
