"""Runs crawlers on a web in several rounds and keeps the cheapest run of each."""

import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from bench.crawlers import Crawler, Task
from bench.installs import NotInstalled
from bench.nginx import Nginx, find_port, serve
from bench.paths import WORK
from bench.process import TIMEOUT_S, Usage, run_command
from bench.web import Web, build


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    web: str
    crawler: str
    pages: int
    requests: int  # as counted by the server: pages, robots.txt, and repeated requests
    cpu_ms_per_page: float
    pages_per_s: float
    peak_rss_mb: float
    problem: str | None = None  # what makes the run invalid


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """A crawler that can be measured here, or why it cannot."""

    crawler: Crawler
    version: str
    missing: str | None = None


def prepare(crawlers: Sequence[Crawler]) -> list[Peer]:
    return [_prepare_one(crawler) for crawler in crawlers]


def _prepare_one(crawler: Crawler) -> Peer:
    try:
        if crawler.install is not None:
            crawler.install()
        return Peer(crawler=crawler, version=crawler.describe_version())
    except NotInstalled as reason:
        return Peer(crawler=crawler, version="", missing=str(reason))


@contextmanager
def serve_webs(webs: Sequence[Web]) -> Iterator[Nginx]:
    """Serve the webs on the port that their links use; build those that do not exist yet."""
    port = _choose_port()
    for web in webs:
        build(web, WORK / "web", port)
    addresses = [address for web in webs for address in web.addresses]
    with serve(WORK / "web", WORK / "nginx", port, addresses) as nginx:
        yield nginx


def _choose_port() -> int:
    saved = WORK / "port.txt"
    port = find_port(int(saved.read_text()) if saved.exists() else None)
    saved.write_text(str(port))
    return port


def measure_all(crawlers: Sequence[Crawler], webs: Sequence[Web], nginx: Nginx, rounds: int) -> list[Result]:
    """One result per web and crawler, in that order."""
    results = []
    for web in webs:
        runs: dict[str, list[Result]] = {crawler.name: [] for crawler in crawlers}
        for number in range(rounds):
            # Each round starts with another crawler: caches differ for the first one.
            shift = number % len(crawlers)
            for crawler in (*crawlers[shift:], *crawlers[:shift]):
                print(f"{crawler.name} on {web.pages:,} {web.name} pages …", file=sys.stderr)
                runs[crawler.name].append(measure(crawler, web, nginx))
        results += [choose(runs[crawler.name]) for crawler in crawlers]
    return results


def choose(runs: Sequence[Result]) -> Result:
    """The cheapest valid run, with the speed of the fastest: noise only adds cost."""
    good = [run for run in runs if not run.problem]
    if not good:
        return runs[0]
    cheapest = min(good, key=lambda run: run.cpu_ms_per_page)
    return replace(cheapest, pages_per_s=max(run.pages_per_s for run in good))


def measure(crawler: Crawler, web: Web, nginx: Nginx) -> Result:
    task = make_task(web, nginx.port)
    requests_before = nginx.count_requests()
    usage = run_command(
        crawler.command(task), stdout=task.stdout, stderr=task.stderr, environment=crawler.environment
    )
    requests = nginx.count_requests() - requests_before - 1
    pages, problem = _find_problem(crawler, task, usage, web.pages)
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


def make_task(web: Web, port: int) -> Task:
    data = WORK / "data"
    shutil.rmtree(data, ignore_errors=True)
    data.mkdir(parents=True)
    task = Task(
        seeds=data / "seeds.txt",
        urls=data / "urls.txt",
        data=data,
        stdout=data / "stdout.txt",
        stderr=data / "stderr.txt",
    )
    task.seeds.write_text("\n".join(web.seeds(port)) + "\n")
    task.urls.write_text("\n".join(web.urls(port)) + "\n")
    return task


def _find_problem(crawler: Crawler, task: Task, usage: Usage, expected: int) -> tuple[int, str | None]:
    """Find the number of pages, and what makes the run invalid, if anything does."""
    if usage.exit_code is None:
        return 0, f"ended after {TIMEOUT_S:.0f} s"
    if usage.exit_code:
        last_words = task.stderr.read_text().strip().splitlines()[-1:]
        return 0, f"exit code {usage.exit_code}: {''.join(last_words)}"
    try:
        pages = crawler.count_pages(task)
    except (OSError, ValueError, KeyError) as error:
        return 0, f"no readable result: {error!r}"
    return pages, None if pages == expected else f"{pages} pages instead of {expected}"
