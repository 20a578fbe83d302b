"""Dependencies are pinned by hash, and users who only crawl do not install test tools."""

import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PIN = re.compile(r"^([a-z0-9][a-z0-9._-]*)==(\S+).*\\$", re.M)


def read_pins(name: str) -> dict[str, str]:
    return dict(PIN.findall((ROOT / name).read_text()))


def list_tools() -> set[str]:
    """What only the tests ask for, by its own name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"].values()
    wanted = {*project["project"]["dependencies"], *(each for extra in extras for each in extra)}
    own = {re.split(r"[\[<>=;]", each)[0] for each in wanted}
    return {re.split(r"[\[<>=;]", each)[0] for each in project["dependency-groups"]["dev"]} - own


def test_the_runtime_lock_has_no_test_tools() -> None:
    assert list_tools()
    assert list_tools().isdisjoint(read_pins("requirements.lock"))
    assert list_tools() <= read_pins("requirements-dev.lock").keys()


def test_tests_run_with_the_same_versions() -> None:
    assert read_pins("requirements.lock").items() <= read_pins("requirements-dev.lock").items()


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
def test_every_package_has_hashes_and_no_address(name: str) -> None:
    text = (ROOT / name).read_text()
    entries = re.split(r"^(?=[a-z0-9])", text, flags=re.M)[1:]
    assert len(entries) == len(read_pins(name))
    assert all("--hash=sha256:" in entry for entry in entries)
    assert "://" not in text


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
@pytest.mark.parametrize(("target", "has_tools"), [("crawl", False), ("test", True), ("check-python", True)])
def test_only_test_targets_install_the_tools(target: str, has_tools: bool) -> None:
    planned = subprocess.run(
        ["make", "--dry-run", "--always-make", target], cwd=ROOT, capture_output=True, text=True, timeout=60
    ).stdout
    assert "--require-hashes -r requirements.lock" in planned
    assert ("--require-hashes -r requirements-dev.lock" in planned) is has_tools


def test_every_package_of_the_dashboard_has_its_digest_and_no_address() -> None:
    packages = json.loads((ROOT / "dashboard/package-lock.json").read_text())["packages"]
    installed = {path: entry for path, entry in packages.items() if path}
    assert [
        path for path, entry in installed.items() if not entry.get("integrity", "").startswith("sha512-")
    ] == []
    assert [path for path, entry in installed.items() if "resolved" in entry] == []
