"""Crawls the bench web with each crawler in turn and prints what it cost.

    python -m bench.run [--pages small|heavy|both] [--only NAMES] [--json]

CPU time is user + system of the crawler's process and of the children it waited for; the server's
is not in it. A crawler that missed pages, failed or ran too long is marked and has no figures.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.nginx import Nginx, find_port, serve
from bench.web import HEAVY, SMALL, Web, build

REPOSITORY = Path(__file__).resolve().parents[1]
WORK = REPOSITORY / "bench" / "work"
REQUIREMENTS = REPOSITORY / "bench" / "requirements.txt"
SCRAPY_PYTHON = WORK / "venv" / "bin" / "python"
TIMEOUT_S = 600.0
REFERENCE = "scrapy"


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Where a crawler reads its orders and puts its results."""

    seeds: Path
    urls: Path
    data: Path
    stdout: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Crawler:
    name: str
    command: Callable[[Task], Sequence[str | Path]]
    count_pages: Callable[[Task], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    exit_code: int | None  # None: it ran too long and was ended
    wall_s: float
    cpu_s: float
    peak_rss_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    web: str
    crawler: str
    pages: int
    requests: int
    cpu_ms_per_page: float
    pages_per_s: float
    peak_rss_mb: float
    problem: str | None = None
    ratio: float | None = None  # CPU of the reference ÷ CPU of this crawler


def command_of_tenax(task: Task) -> Sequence[str | Path]:
    tenax = Path(sys.executable).parent / "tenax"
    where: list[str | Path] = ["--seeds", task.seeds, "--data", task.data / "tenax"]
    pace = ["--delay", "0", "--per-domain", "8", "--concurrency", "100"]
    network = ["--resolve", "*:127.0.0.1", "--allow-private"]
    return [tenax, "crawl", *where, *pace, *network, "--scope", "domain", "--json"]


def command_of_scrapy(task: Task) -> Sequence[str | Path]:
    spider = REPOSITORY / "bench" / "scrapy_spider.py"
    return [SCRAPY_PYTHON, spider, task.seeds, task.data / "items.jsonl"]


def command_of_floor(task: Task) -> Sequence[str | Path]:
    return [sys.executable, REPOSITORY / "bench" / "floor.py", task.urls]


def count_by_report(task: Task) -> int:
    return int(json.loads(task.stdout.read_text())["pages"])


def count_items(task: Task) -> int:
    with (task.data / "items.jsonl").open() as lines:
        return len({json.loads(line)["url"] for line in lines})


CRAWLERS = (
    Crawler(name="scrapy", command=command_of_scrapy, count_pages=count_items),
    Crawler(name="tenax", command=command_of_tenax, count_pages=count_by_report),
    Crawler(name="floor", command=command_of_floor, count_pages=count_by_report),
)


def run_command(command: Sequence[str | Path], stdout: Path, stderr: Path) -> Usage:
    started = time.monotonic()
    with stdout.open("wb") as out, stderr.open("wb") as err:
        process = subprocess.Popen(command, stdout=out, stderr=err, start_new_session=True)
    is_late = False
    while True:
        pid, status, used = os.wait4(process.pid, os.WNOHANG)
        if pid:
            break
        if not is_late and time.monotonic() - started > TIMEOUT_S:
            is_late = True
            os.killpg(process.pid, signal.SIGKILL)
        time.sleep(0.01)
    process.returncode = os.waitstatus_to_exitcode(status)
    return Usage(
        exit_code=None if is_late else process.returncode,
        wall_s=time.monotonic() - started,
        cpu_s=used.ru_utime + used.ru_stime,
        peak_rss_bytes=used.ru_maxrss * 1024,
    )


def measure(crawler: Crawler, web: Web, nginx: Nginx) -> Result:
    data = WORK / "data"
    shutil.rmtree(data, ignore_errors=True)
    data.mkdir(parents=True)
    task = Task(seeds=data / "seeds.txt", urls=data / "urls.txt", data=data, stdout=data / "stdout.txt")
    task.seeds.write_text("\n".join(web.seeds(nginx.port)) + "\n")
    task.urls.write_text("\n".join(web.urls(nginx.port)) + "\n")
    requests_before = nginx.count_requests()
    usage = run_command(crawler.command(task), task.stdout, data / "stderr.txt")
    requests = nginx.count_requests() - requests_before - 1
    pages, problem = find_problem(crawler, task, usage, web.pages)
    return Result(
        web=web.name,
        crawler=crawler.name,
        pages=pages,
        requests=requests,
        cpu_ms_per_page=1000 * usage.cpu_s / pages if pages else 0.0,
        pages_per_s=pages / usage.wall_s,
        peak_rss_mb=usage.peak_rss_bytes / 1e6,
        problem=problem,
    )


def find_problem(crawler: Crawler, task: Task, usage: Usage, expected: int) -> tuple[int, str | None]:
    """The number of pages, and what makes the run worthless, if anything does."""
    if usage.exit_code is None:
        return 0, f"ended after {TIMEOUT_S:.0f} s"
    if usage.exit_code:
        last_words = (task.data / "stderr.txt").read_text().strip().splitlines()[-1:]
        return 0, f"exit code {usage.exit_code}: {''.join(last_words)}"
    try:
        pages = crawler.count_pages(task)
    except (OSError, ValueError, KeyError) as error:
        return 0, f"no readable result: {error!r}"
    return pages, None if pages == expected else f"{pages} pages instead of {expected}"


def with_ratios(results: Sequence[Result]) -> list[Result]:
    """Ratios are against the reference of the same web and run: machines are noisy."""
    reference = {
        result.web: result.cpu_ms_per_page
        for result in results
        if result.crawler == REFERENCE and not result.problem
    }
    return [
        Result(**{**asdict(result), "ratio": reference[result.web] / result.cpu_ms_per_page})
        if result.web in reference and not result.problem
        else result
        for result in results
    ]


def format_table(results: Sequence[Result]) -> str:
    header = (
        f"{'web':6} {'crawler':8} {'pages':>7} {'requests':>9} {'CPU ms/page':>12} {'pages/s':>8} "
        f"{'peak RSS MB':>12} {'vs ' + REFERENCE:>10}"
    )
    return "\n".join([header, *(_format_row(result) for result in results)])


def _format_row(result: Result) -> str:
    start = f"{result.web:6} {result.crawler:8} {result.pages:7,} {result.requests:9,}"
    if result.problem:
        return f"{start}  {result.problem}"
    ratio = f"{result.ratio:9.1f}x" if result.ratio else f"{'':>10}"
    return (
        f"{start} {result.cpu_ms_per_page:12.3f} {result.pages_per_s:8,.0f} "
        f"{result.peak_rss_mb:12,.0f} {ratio}"
    )


def install_scrapy() -> None:
    """Scrapy lives apart, so that its dependencies never meet those of Tenax."""
    stamp = WORK / "venv" / "installed.txt"
    wanted = REQUIREMENTS.read_text()
    if stamp.exists() and stamp.read_text() == wanted:
        return
    subprocess.run([sys.executable, "-m", "venv", "--clear", WORK / "venv"], check=True)
    subprocess.run([SCRAPY_PYTHON, "-m", "pip", "install", "-qq", "-r", REQUIREMENTS], check=True)
    stamp.write_text(wanted)


def choose_port() -> int:
    saved = WORK / "port.txt"
    port = find_port(int(saved.read_text()) if saved.exists() else None)
    saved.write_text(str(port))
    return port


def parse_arguments() -> argparse.Namespace:
    names = [crawler.name for crawler in CRAWLERS]
    parser = argparse.ArgumentParser(prog="bench.run", description="Measures crawlers side by side.")
    parser.add_argument("--pages", choices=["small", "heavy", "both"], default="both")
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="NAME")
    parser.add_argument("--json", action="store_true", help="print one JSON array, no table")
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    webs = [web for web in (SMALL, HEAVY) if arguments.pages in (web.name, "both")]
    WORK.mkdir(parents=True, exist_ok=True)
    if "scrapy" in arguments.only:
        install_scrapy()
    port = choose_port()
    for web in webs:
        build(web, WORK / "web", port)
    results = []
    with serve(WORK / "web", WORK / "nginx", port) as nginx:
        for web in webs:
            for crawler in (each for each in CRAWLERS if each.name in arguments.only):
                print(f"{crawler.name} on {web.pages:,} {web.name} pages …", file=sys.stderr)
                results.append(measure(crawler, web, nginx))
    results = with_ratios(results)
    print(
        json.dumps([asdict(result) for result in results], indent=1)
        if arguments.json
        else format_table(results)
    )
    return 1 if any(result.problem for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
