"""Installs each peer in its own environment, separate from the dependencies of Tenax and of other peers."""

import platform
import shutil
import subprocess
import sys
from pathlib import Path

from bench.paths import PEERS, REPOSITORY, WORK

SPIDER_RS_VERSION = "0.0.157"
NODE = WORK / "node"


class NotInstalled(Exception):
    """A peer cannot be installed on this machine; the message says why."""


def python_of(peer: str) -> Path:
    return WORK / f"venv-{peer}" / "bin" / "python"


def install_python(peer: str) -> None:
    """Create an environment from the peer's requirements file. Raises NotInstalled."""
    requirements = PEERS / f"requirements-{peer}.txt"
    python = python_of(peer)
    wanted = requirements.read_text()
    stamp = python.parents[1] / "installed.txt"
    if _is_done(stamp, wanted):
        return
    _run([sys.executable, "-m", "venv", "--clear", python.parents[1]])
    _run([python, "-m", "pip", "install", "-qq", "--disable-pip-version-check", "-r", requirements])
    stamp.write_text(wanted)


def compile_tenax() -> None:
    """Compile Tenax to bytecode, as pip does with the peers: if PYTHONDONTWRITEBYTECODE is set, the sources
    of a checkout would be compiled at every start."""
    _run([sys.executable, "-m", "compileall", "-q", REPOSITORY / "src"])


def install_spider_rs() -> None:
    """Install the package and the binary package of the same version for this machine. Raises
    NotInstalled."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        raise NotInstalled("needs Node.js and npm")
    packages = [
        f"@spider-rs/spider-rs@{SPIDER_RS_VERSION}",
        f"@spider-rs/spider-rs-{_node_platform()}@{SPIDER_RS_VERSION}",
    ]
    wanted = "\n".join(packages)
    stamp = NODE / "installed.txt"
    if _is_done(stamp, wanted):
        return
    shutil.rmtree(NODE, ignore_errors=True)
    NODE.mkdir(parents=True)
    quiet = ["--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--loglevel", "error"]
    _run(["npm", "install", "--prefix", NODE, *quiet, *packages])
    stamp.write_text(wanted)


def _node_platform() -> str:
    machine = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}.get(
        platform.machine().lower(), platform.machine().lower()
    )
    suffix = "-gnu" if sys.platform == "linux" else ""
    return f"{sys.platform}-{machine}{suffix}"


def _is_done(stamp: Path, wanted: str) -> bool:
    return stamp.exists() and stamp.read_text() == wanted


def _run(command: list[str | Path]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        raise NotInstalled(f"{command[0]}: {error.strerror}") from error
    if done.returncode:
        # The reason is published, so lines with a slash, which contain paths of this machine, are dropped.
        errors = [line for line in done.stderr.splitlines() if "error" in line.lower() and "/" not in line]
        raise NotInstalled((errors or [f"{command[0]} failed"])[-1].strip())
