"""The tests of a full disk for whoever is not root: run as root of a user namespace."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.skipif(os.geteuid() == 0, reason="root runs them directly")
def test_full_disk_in_a_user_namespace() -> None:
    tests = Path(__file__).with_name("test_disk_full.py")
    pytest_command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", str(tests)]
    ended = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--mount", *pytest_command], capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
