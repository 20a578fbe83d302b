"""What a release is made of: built from this tree, installed where nothing else is, and crawled with."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
from pathlib import Path

import pytest

from tenax import __version__
from tenax.api.dashboard import FOLDER
from tests.support.web import TestWeb
from tools.check_dist import NEEDED, find_lacks, list_names, main

ROOT = Path(__file__).resolve().parents[2]
PAGES = [name for name in NEEDED if "static" in name]


def build(source: Path, target: Path, kind: str) -> Path:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", target],
        cwd=source,
        check=True,
        capture_output=True,
        timeout=120,
    )
    (built,) = target.glob("*.whl" if kind == "wheel" else "*.tar.gz")
    return built


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, tmp_path_factory.mktemp("wheel"), "wheel")


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, tmp_path_factory.mktemp("sdist"), "sdist")


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The commands of an environment with the wheel, and with what it depends on from that of the tests."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, with_pip=False)
    python = folder / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--python", python)
    subprocess.run([*pip, "install", "-q", "--no-deps", "--no-index", wheel], check=True, timeout=120)
    (site,) = folder.glob("lib/python*/site-packages")
    # Beneath its own packages: the tests' environment has this tree, by a file that is not read there.
    (site / "depends.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python.parent


def run(command: Path, *arguments: str | Path) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(
        [command, *arguments],
        cwd="/",
        env=environment,
        check=True,
        capture_output=True,
        text=True,
        timeout=180,
    ).stdout


def test_the_wheel_is_what_runs(installed: Path) -> None:
    found = run(installed / "python", "-c", "import tenax; print(tenax.__file__)")
    assert Path(found.strip()).is_relative_to(installed.parent)
    assert run(installed / "tenax", "--version").split() == ["tenax", __version__]


def test_an_installed_wheel_crawls(installed: Path, tmp_path: Path) -> None:
    with TestWeb(hosts=1, pages_per_host=4) as web:
        local = ("--resolve", "*:127.0.0.1", "--allow-private", "--delay", "0.02", "--workers", "1")
        run(installed / "tenax", "crawl", *web.seeds(), *local, "--data", tmp_path / "crawl")
        rows = run(installed / "tenax", "export", "pages", "--data", tmp_path / "crawl").splitlines()
        assert {json.loads(row)["url"] for row in rows} == web.expected_urls()


def test_wheel_and_sdist_are_whole(wheel: Path, sdist: Path) -> None:
    for archive in (wheel, sdist):
        lacks = find_lacks(list_names(archive))
        assert lacks == ([] if FOLDER.exists() else PAGES), archive.name


def test_the_sdist_makes_the_same_wheel(wheel: Path, sdist: Path, tmp_path: Path) -> None:
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.iterdir()
    again = build(unpacked, tmp_path / "wheel", "wheel")
    assert sorted(list_names(again)) == sorted(list_names(wheel))


def test_what_is_not_whole_is_not_released(
    wheel: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(wheel, tmp_path)
    with tarfile.open(tmp_path / "tenax.tar.gz", "w:gz"):
        pass
    assert main(tmp_path) == 1
    assert "tenax.tar.gz lacks tenax/api/static/index.html." in capsys.readouterr().out
