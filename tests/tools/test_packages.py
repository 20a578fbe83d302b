"""What `make` does if packages are missing, with commands that only record how they were called."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.scratch import find_scratch

TOOLS = Path(__file__).resolve().parents[2] / "tools"
NOBODY = 65534
KNOWN = "echo '  Candidate: 1.0'"
UNKNOWN = "echo '  Candidate: (none)'"
# What the scripts themselves call.
NEEDED = ("bash", "env", "dirname", "grep", "sh")


class Machine:
    """Has the commands of its folder and no others."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.asked = folder / "asked"
        self.asked.touch()
        for script in ("packages.sh", "step.sh"):
            shutil.copy(TOOLS / script, folder)
        for name in NEEDED:
            found = shutil.which(name)
            assert found
            (folder / name).symlink_to(found)

    def add(self, name: str, does: str = "true") -> None:
        path = self.folder / name
        path.write_text(f'#!/bin/sh\necho "{name} $*" >> {self.asked}\n{does}\n')
        path.chmod(0o755)

    def ask(self, *tools: str, as_root: bool) -> subprocess.CompletedProcess[str]:
        self.folder.chmod(0o755)
        self.asked.chmod(0o666)
        return subprocess.run(
            [self.folder / "bash", self.folder / "packages.sh", *tools],
            env={"PATH": str(self.folder)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            user=NOBODY if not as_root and os.geteuid() == 0 else None,
            timeout=60,
        )

    def list_apt(self) -> list[str]:
        """What was asked of apt-get, in order."""
        lines = self.asked.read_text().splitlines()
        return [line.rpartition("Use-Pty=0 ")[2] for line in lines if line.startswith("apt-get")]


@pytest.fixture
def machine() -> Iterator[Machine]:
    folder = Path(find_scratch()) / f"machine-{os.urandom(4).hex()}"
    folder.mkdir(parents=True)
    yield Machine(folder)
    shutil.rmtree(folder)


root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root installs without sudo")


def test_nothing_is_said_or_done_where_all_is_here(machine: Machine) -> None:
    machine.add("weaver")
    machine.add("apt-get")
    ended = machine.ask("weaver", as_root=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    assert machine.list_apt() == []


def test_without_apt_the_missing_packages_are_listed(machine: Machine) -> None:
    ended = machine.ask("weaver", "redis", as_root=True)
    assert ended.returncode == 1
    assert ended.stderr.startswith(
        "Missing packages: weaver redis-server. There is no apt-get on this machine"
    )


@root_only
def test_what_is_known_is_installed_at_once_and_announced(machine: Machine) -> None:
    machine.add("apt-get")
    machine.add("apt-cache", KNOWN)
    ended = machine.ask("weaver", "spinner", as_root=True)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("Missing packages: weaver spinner. Installing them with apt-get.\n")
    assert machine.list_apt() == ["install -y weaver spinner"]


@root_only
def test_empty_lists_are_fetched_first(machine: Machine) -> None:
    machine.add("apt-get")
    machine.add("apt-cache", UNKNOWN)
    assert machine.ask("weaver", as_root=True).returncode == 0
    assert machine.list_apt() == ["update", "install -y weaver"]


@root_only
def test_lists_that_name_what_is_gone_are_fetched_again(machine: Machine) -> None:
    machine.add(
        "apt-get",
        f"case $* in *update) ;; *) ! grep -q update {machine.folder}/asked || exit 0; exit 100;; esac",
    )
    machine.add("apt-cache", KNOWN)
    assert machine.ask("weaver", as_root=True).returncode == 0
    assert machine.list_apt() == ["install -y weaver", "update", "install -y weaver"]


@root_only
def test_what_cannot_be_installed_ends_with_a_sentence(machine: Machine) -> None:
    machine.add("apt-get", "exit 100")
    machine.add("apt-cache", KNOWN)
    ended = machine.ask("weaver", as_root=True)
    assert ended.returncode == 1
    assert ended.stderr.endswith(
        "The packages could not be installed: weaver. See the output of apt-get above.\n"
    )


def test_without_root_the_command_for_root_is_shown(machine: Machine) -> None:
    machine.add("apt-get")
    ended = machine.ask("weaver", as_root=False)
    assert ended.returncode == 1
    assert "Run 'apt-get install weaver' as root, then try again." in ended.stderr
    assert machine.list_apt() == []


def test_sudo_is_used_where_it_works(machine: Machine) -> None:
    machine.add("apt-get")
    machine.add("apt-cache", KNOWN)
    machine.add("sudo", 'test "$1" = -n || exec "$@"')
    ended = machine.ask("weaver", as_root=False)
    assert ended.returncode == 0, ended.stderr
    assert "apt-get and sudo" in ended.stdout
    assert machine.list_apt() == ["install -y weaver"]


def test_sudo_that_would_ask_for_a_password_is_not_waited_for(machine: Machine) -> None:
    machine.add("apt-get")
    machine.add("sudo", "exit 1")
    ended = machine.ask("weaver", as_root=False)
    assert ended.returncode == 1
    assert "as root, then try again." in ended.stderr
