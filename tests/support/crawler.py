"""`tenax crawl` as a separate process that tests stop, kill and restart; and checks of what it left behind.

crawler = Crawler(tmp_path / "data", web)
process = crawler.start()
process.kill()
assert crawler.run().code == 0
assert_sound(crawler.data)
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import psutil  # type: ignore[import-untyped]
from pysqlite3 import dbapi2 as sqlite

from tenax.stores.hot.packing import unpack_links, unpack_text
from tests.support.postgres import Console
from tests.support.store import Rows, find_wrong_counters
from tests.support.web import LoggedRequest, TestWeb

TENAX = str(Path(sys.executable).parent / "tenax")
DEADLINE_S = 180.0  # far more than a busy machine needs
KILLED = -signal.SIGKILL
READER = "tenax.crawl.reading.process"  # in the command line of one
# Probes add a request and a url to each domain with enough pages.
UNPROBED = {"TENAX_VALIDATION__SOFT_404": "false"}
# A batch waits for a second; the rest is for active requests and a busy machine.
UNCOMMITTED_S = 4.0

# Where a crawl is stored: a data directory, the address of a database, or a function that queries it.
Where = Path | str | Callable[[str], Rows]

WAITING = {"queued", "retrying"}
KEPT = {"fetched", "duplicate"}
LEFT = {"gone", "redirected", "skipped"}  # what a page may have become


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    code: int
    stdout: str
    stderr: str

    @property
    def report(self) -> dict[str, Any]:
        """What --json prints."""
        report: dict[str, Any] = json.loads(self.stdout)
        return report


class Process:
    """One running `tenax crawl`, or another command."""

    def __init__(
        self,
        arguments: Sequence[str],
        environment: dict[str, str],
        folder: Path,
        command: str = "crawl",
        launcher: Sequence[str] = (),
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.started_at = time.time()
        self._has_processes = command == "worker"
        self._outputs = [folder / f"{self.started_at}.{name}" for name in ("stdout", "stderr")]
        with self._outputs[0].open("wb") as stdout, self._outputs[1].open("wb") as stderr:
            # In its own session: a signal to it does not reach the test.
            self._popen = subprocess.Popen(
                [*launcher, TENAX, command, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                env={**os.environ, **UNPROBED, **environment},
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        return self._popen.pid

    @property
    def is_running(self) -> bool:
        return self._popen.poll() is None

    @property
    def stdout(self) -> str:
        return self._outputs[0].read_text()

    @property
    def stderr(self) -> str:
        """Its output on stderr so far."""
        return self._outputs[1].read_text()

    def list_readers(self) -> list[int]:
        """The processes that parse a suspect document for it."""
        found = []
        with contextlib.suppress(psutil.NoSuchProcess):
            for child in psutil.Process(self._popen.pid).children():
                with contextlib.suppress(psutil.NoSuchProcess, psutil.ZombieProcess):
                    if READER in child.cmdline():
                        found.append(child.pid)
        return found

    def list_workers(self) -> list[int]:
        """The processes that it has forked, oldest first."""
        try:
            process = psutil.Process(self._popen.pid)
            # `tenax worker` has a process for each run, which forks, too.
            parents = process.children() if self._has_processes else [process]
            children = [child for parent in parents for child in parent.children()]
            return sorted(child.pid for child in children if child.status() != psutil.STATUS_ZOMBIE)
        except psutil.NoSuchProcess:
            return []

    def send(self, number: signal.Signals) -> None:
        self._popen.send_signal(number)

    def send_to_group(self, number: signal.Signals) -> None:
        """Send a signal like a terminal does: its children receive it, too."""
        os.killpg(self._popen.pid, number)

    def kill(self) -> float:
        """Kill it and its workers with SIGKILL; returns the time at which it was dead."""
        with contextlib.suppress(ProcessLookupError):
            self.send_to_group(signal.SIGKILL)
        self._popen.wait(DEADLINE_S)
        return time.time()

    def wait(self, timeout_s: float = DEADLINE_S) -> Ended:
        try:
            code = self._popen.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"still running after {timeout_s} s; it said: {self.stderr}") from None
        stdout, stderr = (path.read_text() for path in self._outputs)
        return Ended(code=code, stdout=stdout, stderr=stderr)


class Crawler:
    """Runs the same command repeatedly."""

    def __init__(
        self,
        data: Path,
        web: TestWeb,
        *options: str,
        seeds: Sequence[str] | None = None,
        outputs: Path | None = None,
        workers: int = 1,
        command: str = "crawl",
        launcher: Sequence[str] = (),
    ) -> None:
        """`launcher`: a command that runs the one that follows it."""
        self.data = data
        self._launcher = launcher
        self._outputs = outputs or data.with_name(f"{data.name}.outputs")
        self._started: list[Process] = []
        self._command = command
        self._arguments = (
            *(web.seeds() if seeds is None else seeds),
            *("--data", str(data)),
            *("--resolve", "*:127.0.0.1"),
            "--allow-private",
            "--json",
            *("--workers", str(workers)),
            *options,
        )

    def start(self, *options: str, **environment: str) -> Process:
        process = Process(
            [*self._arguments, *options], environment, self._outputs, self._command, self._launcher
        )
        self._started.append(process)
        return process

    def run(self, *options: str, **environment: str) -> Ended:
        return self.start(*options, **environment).wait()

    def close(self) -> None:
        """End processes that a failed test left running."""
        for process in self._started:
            if process.is_running:
                process.kill()


class Machine:
    """Another machine: `tenax worker` with its own folder."""

    def __init__(self, folder: Path, store: str | None = None, workers: int = 2) -> None:
        """`store`: the address of a database; None: the folder is the data directory."""
        self.folder = folder
        self._outputs = folder.with_name(f"{folder.name}.outputs")
        self._options: tuple[str, ...] = ("--data", str(folder), "--workers", str(workers))
        if store is not None:
            self._options += ("--store", store)
        self._started: list[Process] = []

    def start(self, *options: str, **environment: str) -> Process:
        process = Process([*self._options, *options], environment, self._outputs, "worker")
        self._started.append(process)
        return process

    def close(self) -> None:
        """End processes that a failed test left running."""
        for process in self._started:
            if process.is_running:
                process.kill()


def is_interrupted(ended: Ended) -> bool:
    """Whether a SIGINT ended it, at any time. Python exits differently before it is fully started."""
    return ended.code in (-signal.SIGINT, 130, 3) or ended.stderr.startswith("Fatal Python error: init_")


def wait_until(condition: Callable[[], object], what: str, timeout_s: float = DEADLINE_S) -> None:
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, f"not within {timeout_s} s: {what}"
        time.sleep(0.005)


# --- what is stored ------------------------------------------------------------------------------


class StoredLink(NamedTuple):
    url: str
    rel: str
    anchor: str
    tag: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPage:
    url: str
    depth: int
    fate: str
    title: str
    description: str
    text: str
    links: tuple[StoredLink, ...]


def query(where: Where, sql: str) -> Rows:
    if callable(where):
        return where(sql)
    if isinstance(where, str):
        with contextlib.closing(Console(where)) as console:
            return console.query(sql)
    file = f"file:{where / 'tenax.db'}?mode=ro"
    with contextlib.closing(sqlite.connect(file, uri=True, timeout=10)) as connection:
        rows: Rows = connection.execute(sql).fetchall()
        return rows


def read_pages(data: Where) -> dict[str, StoredPage]:
    rows = query(
        data,
        "SELECT u.url, u.depth, u.fate, p.title, p.description, p.content"
        " FROM pages p JOIN urls u ON u.id = p.url_id",
    )
    return {
        row[0]: StoredPage(
            url=row[0],
            depth=row[1],
            fate=row[2],
            title=row[3],
            description=row[4],
            text=unpack_text(row[5]),
            links=tuple(StoredLink(*link) for link in unpack_links(row[5])),
        )
        for row in rows
    }


def count_fates(data: Where) -> Counter[str]:
    return Counter(dict(query(data, "SELECT fate, count(*) FROM urls GROUP BY fate")))


def assert_sound(data: Where) -> None:
    """Check what must hold at any time, whatever happened: I1, I2 and I9."""
    if isinstance(data, Path):
        assert query(data, "PRAGMA integrity_check") == [("ok",)]
    wrong = find_wrong_counters(lambda sql: query(data, sql))
    assert not wrong, wrong
    rows = query(
        data,
        "SELECT u.url, CASE WHEN u.merged_key IS NULL THEN u.fate ELSE 'merged' END, u.due_at IS NOT NULL,"
        " p.url_id IS NOT NULL, u.misses"
        " FROM urls u LEFT JOIN pages p ON p.url_id = u.id",
    )
    for url, fate, is_due, has_page, misses in rows:
        # A page that is due for a revisit keeps its fate.
        assert is_due == (fate in WAITING) or has_page, f"{url} is {fate}"
        # A url that was merged into another may have had a page before.
        is_kept = fate in KEPT or (fate in LEFT and misses > 1)
        assert has_page == is_kept or (has_page and fate == "merged"), f"{url} is {fate}"
    twice = query(
        data,
        "SELECT url_id, run_id, count(*) FROM visits WHERE outcome = 'fetched'"
        " GROUP BY url_id, run_id HAVING count(*) > 1",
    )
    assert twice == [], "urls that were stored twice in a run"


def assert_at_rest(data: Where) -> None:
    """Check that no worker is active, in fact or according to the store."""
    assert query(data, "SELECT name FROM domains WHERE claimed_by IS NOT NULL") == []
    assert query(data, "SELECT uuid FROM workers WHERE ended_at IS NULL") == []
    assert query(data, "SELECT id FROM runs WHERE state = 'running'") == []
    if isinstance(data, Path):
        assert list((data / "workers").iterdir()) == []


def assert_complete(data: Where, web: TestWeb) -> None:
    """Check that every page of the web is stored, nothing else, and no work is left."""
    assert_sound(data)
    assert_at_rest(data)
    assert set(read_pages(data)) == web.expected_urls()
    assert not WAITING & set(count_fates(data))


def count_requests(requests: Iterable[LoggedRequest]) -> Counter[tuple[str, str]]:
    return Counter((request.host, request.path) for request in requests)


def assert_asked_once(requests: Iterable[LoggedRequest]) -> None:
    twice = {place: count for place, count in count_requests(requests).items() if count > 1}
    assert twice == {}, "asked for more than once"


# The web may read a request after the process that sent it has died. The next process needs longer than
# this to start, so none of its requests is taken for one of the dead.
READ_LATE_S = 0.2


def assert_repeats_are_recent(
    requests: Iterable[LoggedRequest], deaths: Sequence[float], uncommitted_s: float = UNCOMMITTED_S
) -> None:
    """Check that every repeated request repeats one from shortly before a worker died."""
    earlier: dict[tuple[str, str], LoggedRequest] = {}
    for request in sorted(requests, key=lambda each: each.started_at):
        before = earlier.get((request.host, request.path))
        earlier[request.host, request.path] = request
        if before is None:
            continue
        first = before.started_at - READ_LATE_S
        lost = [death for death in deaths if first <= death <= before.started_at + uncommitted_s]
        age_s = min((death - before.started_at for death in deaths if death >= before.started_at), default=0)
        assert lost, f"{request.path} of {request.host} was fetched twice, {age_s:.2f} s before a death"
