"""A list of any length is imported in the same memory, and each of its lines costs the same."""

import os
import resource
from pathlib import Path

from tests.support.command import COMMAND

MB = 1_000_000
CACHES_MB = 25  # of pages of the store and of suffixes, which a short list does not fill


def import_list(folder: Path, rows: int) -> tuple[float, float]:
    """CPU seconds per row, and the most memory that it took."""
    path = folder / f"{rows}.csv"
    path.write_text(
        "".join(f"{rank},site-{rank * 7919 % 1_000_003}.example.com\n" for rank in range(1, rows + 1))
    )
    arguments = [str(COMMAND), "seeds", "import", str(path), "--data", str(folder / str(rows)), "--json"]
    output = os.open(folder / "output", os.O_WRONLY | os.O_CREAT)
    files = [
        (os.POSIX_SPAWN_DUP2, output, 1),
        (os.POSIX_SPAWN_DUP2, output, 2),
        (os.POSIX_SPAWN_CLOSE, output),
    ]
    process = os.posix_spawn(COMMAND, arguments, dict(os.environ), file_actions=files)
    os.close(output)
    _, status, usage = os.wait4(process, 0)
    assert status == 0, (folder / "output").read_text()
    return spent(usage) / rows, usage.ru_maxrss * 1024


def spent(usage: resource.struct_rusage) -> float:
    return usage.ru_utime + usage.ru_stime


def test_a_long_list_takes_no_more_memory_and_as_much_time_for_each_line(tmp_path: Path) -> None:
    short_s, short_bytes = import_list(tmp_path, 15_000)
    long_s, long_bytes = import_list(tmp_path, 60_000)
    assert long_bytes <= short_bytes + CACHES_MB * MB
    # Twice, not once: indexes grow deeper, and the machine has other things to do.
    assert long_s <= 2 * short_s
