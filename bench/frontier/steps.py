"""The steps of the frontier benchmark. Each runs in its own process."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.paths import REPOSITORY
from tenax.stores.layout import STORE_NAME

DISK_BYTES_PER_URL = 250  # the store and its log while it is filled
CRAWL_BEFORE_KILL_S = 3.0
ENDLESS = 10**9

Figures = dict[str, float]


def fill(data: Path, urls: int) -> Figures:
    """Fill a new store in the folder."""
    shutil.rmtree(data, ignore_errors=True)
    data.mkdir(parents=True)
    if shutil.disk_usage(data).free < urls * DISK_BYTES_PER_URL:
        raise SystemExit(f"{urls:,} urls need {urls * DISK_BYTES_PER_URL / 1e9:.1f} GB of free disk.")
    _announce("fill", urls)
    return _read(_start("fill", data, urls))[-1]


def crawl(data: Path, urls: int, pages: int) -> Figures:
    _announce(f"crawl {pages:,} pages", urls)
    return _read(_start("simulate", data, urls, pages))[-1]


def time_resume(data: Path, urls: int, *, is_cached: bool = True) -> float:
    """Kill an active crawl, and measure how long the next one takes from its start to its first claim."""
    _announce("kill -9 and resume", urls)
    _crawl_until_claim(data, urls, CRAWL_BEFORE_KILL_S)
    if not is_cached:
        forget_cached(data)
    return _crawl_until_claim(data, urls, 0.0)


def crawl_together(data: Path, urls: int, pages: int, workers: int) -> Figures:
    """Crawl with several workers on one store, each until it has fetched so many pages. Pages per second are
    those of the time in which all of them were active."""
    _announce(f"{workers} × {pages:,} pages", urls)
    crawls = [_start("simulate", "--broad", data, urls, pages) for _ in range(workers)]
    firsts, batches, results = zip(*map(_read, crawls), strict=True)
    start = max(first["first_claim_at"] for first in firsts)
    end = min(each["batches"][-1][0] for each in batches)
    counts = [count for each in batches for at, count in each["batches"] if start < at <= end]
    return {
        "pages_per_s": sum(counts) / (end - start),
        "seconds": end - start,
        "cpu_ms_per_page": sum(result["cpu_ms_per_page"] for result in results) / workers,
        "peak_rss_mb": max(result["peak_rss_mb"] for result in results),
        "read_kb_per_page": sum(result["read_kb_per_page"] for result in results) / workers,
        "domains": sum(result["domains"] for result in results),
    }


def forget_cached(data: Path) -> None:
    """Have the system drop what it caches of the store, as after a restart of the machine."""
    for path in data.glob(f"{STORE_NAME}*"):
        with path.open("rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _announce(step: str, urls: int) -> None:
    print(f"{step}: {urls:,} urls …", file=sys.stderr)


def _start(module: str, *arguments: object) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", f"bench.frontier.{module}", *map(str, arguments)]
    return subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True)


def _read(process: "subprocess.Popen[str]") -> Sequence[dict[str, Any]]:
    """Wait for the end of a step; returns the lines that it printed."""
    with process:
        assert process.stdout is not None
        lines = [json.loads(line) for line in process.stdout]
    if process.returncode:
        raise SystemExit(f"{process.args!r} ended with {process.returncode}.")
    return lines


def _crawl_until_claim(data: Path, urls: int, linger_s: float) -> float:
    started = time.time()
    with _start("simulate", data, urls, ENDLESS) as process:
        assert process.stdout is not None
        claimed: dict[str, Any] = json.loads(process.stdout.readline())
        time.sleep(linger_s)
        process.kill()
    return float(claimed["first_claim_at"]) - started
