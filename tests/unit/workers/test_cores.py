"""The cores that may be used, also in a container that has fewer than its machine."""

import os
from pathlib import Path

import pytest

from tenax.workers.cores import count_cores

HERE = len(os.sched_getaffinity(0))


@pytest.mark.parametrize(
    ("quota", "cores"),
    [("max 100000", HERE), ("100000 100000", 1), ("10000 100000", 1), ("99900000 100000", HERE), ("", HERE)],
)
def test_a_quota_counts_as_whole_cores(tmp_path: Path, quota: str, cores: int) -> None:
    path = tmp_path / "cpu.max"
    path.write_text(quota)
    assert count_cores(path) == cores


def test_without_a_quota_all_cores_count(tmp_path: Path) -> None:
    assert count_cores(tmp_path / "missing") == HERE
