"""The crawlers of the benchmark: how each is installed and started, how its pages are counted, what it
does."""

import json
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path

import tenax
from bench.installs import (
    NODE,
    SPIDER_RS_VERSION,
    compile_tenax,
    install_python,
    install_spider_rs,
    python_of,
)
from bench.paths import PEERS, REPOSITORY
from bench.process import Command

TENAX = Path(sys.executable).parent / "tenax"


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Where a crawler reads its input and writes its results."""

    seeds: Path
    urls: Path
    data: Path
    stdout: Path
    stderr: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """What a crawler does for its CPU time."""

    robots: str
    takes: str
    keeps: str
    at_a_time: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Crawler:
    name: str
    habits: Habits
    command: Callable[[Task], Command]
    count_pages: Callable[[Task], int]
    describe_version: Callable[[], str]
    install: Callable[[], None] | None = None  # raises NotInstalled
    environment: Mapping[str, str] = field(default_factory=dict)


def command_of_tenax(task: Task, *, workers: int) -> Command:
    return _crawl_of_tenax(task.seeds, task.data / "tenax", workers)


def _crawl_of_tenax(seeds: Path, data: Path, workers: int) -> Command:
    where: list[str | Path] = ["--seeds", seeds, "--data", data]
    pace = ["--delay", "0", "--per-domain", "8", "--concurrency", "100", "--workers", str(workers)]
    return [TENAX, "crawl", *where, *pace, "--allow-private", "--scope", "domain", "--json"]


def command_of_two_stores(task: Task) -> Command:
    """Two crawls at the same time, each of every second host, with one worker and a store of its own. A crawl
    that fails leaves no report and no pages."""
    seeds = task.seeds.read_text().splitlines(keepends=True)
    crawls = []
    for number in range(2):
        half = task.data / f"seeds-{number}.txt"
        half.write_text("".join(seeds[number::2]))
        crawl = _crawl_of_tenax(half, task.data / f"tenax-{number}", 1)
        crawls.append(f"{shlex.join(map(str, crawl))} > {shlex.quote(str(_report_of(task, number)))} &")
    return ["sh", "-c", "\n".join([*crawls, "wait"])]


def _report_of(task: Task, number: int) -> Path:
    return task.data / f"report-{number}.json"


def command_of_python_peer(peer: str, script: str, task: Task) -> Command:
    return [python_of(peer), PEERS / script, task.seeds, task.data / "items.jsonl"]


def command_of_spider_rs(*options: str, task: Task) -> Command:
    return ["node", PEERS / "spider_rs.cjs", task.seeds, *options]


def command_of_floor(task: Task) -> Command:
    return [sys.executable, REPOSITORY / "bench" / "floor.py", task.urls]


def count_by_report(task: Task) -> int:
    return int(json.loads(task.stdout.read_text())["pages"])


def count_in_two_stores(task: Task) -> int:
    return sum(int(json.loads(_report_of(task, number).read_text())["pages"]) for number in range(2))


def count_items(task: Task) -> int:
    with (task.data / "items.jsonl").open() as lines:
        return len({json.loads(line)["url"] for line in lines})


def version_in_environment(peer: str) -> str:
    script = f"from importlib.metadata import version; print(version({peer!r}))"
    shown = subprocess.run([python_of(peer), "-c", script], capture_output=True, text=True, check=True)
    return shown.stdout.strip()


def version_of_spider_rs() -> str:
    node = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True)
    return f"{SPIDER_RS_VERSION} on Node {node.stdout.strip()}"


def version_of_floor() -> str:
    return f"pycurl {version('pycurl')}, selectolax {version('selectolax')}"


def make_tenax(
    name: str,
    at_a_time: str,
    command: Callable[[Task], Command],
    count_pages: Callable[[Task], int] = count_by_report,
) -> Crawler:
    return Crawler(
        name=name,
        habits=Habits(
            robots="obeyed",
            takes="title, description, language, canonical, text, links with anchors, hashes",
            keeps="pages, links, visits, frontier: durable in SQLite",
            at_a_time=at_a_time,
        ),
        command=command,
        count_pages=count_pages,
        describe_version=lambda: tenax.__version__,
        install=compile_tenax,
    )


def make_spider_rs(name: str, habits: Habits, *options: str) -> Crawler:
    return Crawler(
        name=name,
        habits=habits,
        command=lambda task: command_of_spider_rs(*options, task=task),
        count_pages=count_by_report,
        describe_version=version_of_spider_rs,
        install=install_spider_rs,
        environment={"NODE_PATH": str(NODE / "node_modules")},
    )


FLOOR = Crawler(
    name="floor",
    habits=Habits(
        robots="–",
        takes="nothing: fetches and parses a given list of URLs",
        keeps="nothing",
        at_a_time="100",
    ),
    command=command_of_floor,
    count_pages=count_by_report,
    describe_version=version_of_floor,
    # glibc returns the memory of each parsed page to the system and allocates it again for the next one. That
    # is a third of the cost of a heavy page. A crawler can avoid it, so the floor must, too.
    environment={
        "MALLOC_TRIM_THRESHOLD_": "268435456",
        "MALLOC_TOP_PAD_": "16777216",
        "MALLOC_MMAP_THRESHOLD_": "268435456",
    },
)
ONE_WORKER = make_tenax("tenax", "100, 8 per host", partial(command_of_tenax, workers=1))
TWO_WORKERS = make_tenax(
    "tenax ×2", "100, 8 per host, in each of two workers", partial(command_of_tenax, workers=2)
)
TWO_STORES = make_tenax(
    "tenax, two stores",
    "100, 8 per host, in each of two crawls, which have half of the hosts each",
    command_of_two_stores,
    count_in_two_stores,
)
SCRAPY = Crawler(
    name="scrapy",
    habits=Habits(
        robots="obeyed",
        takes="title, description, text, links",
        keeps="JSON lines; the frontier in memory",
        at_a_time="100, 8 per host",
    ),
    command=partial(command_of_python_peer, "scrapy", "scrapy_spider.py"),
    count_pages=count_items,
    describe_version=partial(version_in_environment, "scrapy"),
    install=partial(install_python, "scrapy"),
)
CRAWLEE = Crawler(
    name="crawlee",
    habits=Habits(
        robots="obeyed",
        takes="title, description, text, links",
        keeps="JSON lines; the frontier in memory",
        at_a_time="100",
    ),
    command=partial(command_of_python_peer, "crawlee", "crawlee_crawler.py"),
    count_pages=count_items,
    describe_version=partial(version_in_environment, "crawlee"),
    install=partial(install_python, "crawlee"),
)
_FROM_ONE_SEED = Habits(
    robots="that of the first host, for all hosts",
    takes="title, links",
    keeps="nothing",
    at_a_time="all hosts; its own choice",
)
_BY_HOST = replace(_FROM_ONE_SEED, robots="obeyed", at_a_time="host by host; its own choice")
SPIDER_RS = make_spider_rs("spider-rs", _FROM_ONE_SEED)
SPIDER_RS_BY_HOST = make_spider_rs("spider-rs by host", _BY_HOST, "--by-host")
SPIDER_RS_LINKS = make_spider_rs("spider-rs links", replace(_FROM_ONE_SEED, takes="links"), "--no-title")

CRAWLERS = (
    FLOOR,
    ONE_WORKER,
    TWO_WORKERS,
    TWO_STORES,
    SPIDER_RS,
    SPIDER_RS_BY_HOST,
    SPIDER_RS_LINKS,
    CRAWLEE,
    SCRAPY,
)
