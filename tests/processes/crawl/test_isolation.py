"""Suspect documents are read in a process of their own, and only a death that they caused counts."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable

import psutil  # type: ignore[import-untyped]
import pytest

from tenax.crawl.isolation import Crashed, IsolatedReader, ReaderLimits, Undecided, judge_death
from tenax.crawl.reader_messages import ReaderError, Suspect, format_fault, parse_answer
from tenax.crawl.reading import Reading, read_page
from tenax.errors import ContentError
from tenax.extract.profile import WHOLE_PAGE
from tenax.web.hrefs import Hrefs
from tests.support.crawler import wait_until

PAGE = b"<!doctype html><title>T</title><p>Words. <a href=/x rel=next>x</a><img src=/i.png alt=i>"


def suspect(
    body: bytes = PAGE, url: str = "http://a.test/", content_type: str | None = "text/html"
) -> Suspect:
    return Suspect(
        body=body, url=url, content_type=content_type, robots_tag=None, max_links=1000, profile=WHOLE_PAGE
    )


Use = Callable[[IsolatedReader], Awaitable[None]]


def use(work: Use, limits: ReaderLimits | None = None) -> None:
    async def run() -> None:
        async with IsolatedReader(limits) as reader:
            await work(reader)

    asyncio.run(run())


def test_a_suspect_is_read_as_it_would_be_here() -> None:
    here = read_page(
        PAGE,
        url="http://a.test/",
        content_type="text/html",
        robots_tag=None,
        max_links=1000,
        hrefs=Hrefs(),
        profile=WHOLE_PAGE,
    )

    async def work(reader: IsolatedReader) -> None:
        assert await reader.read(suspect()) == here

    assert here.links
    assert here.images
    use(work)


def test_one_process_reads_many_suspects() -> None:
    async def work(reader: IsolatedReader) -> None:
        pids = set()
        for found in await asyncio.gather(
            *(reader.read(suspect(url=f"http://a.test/{n}")) for n in range(5))
        ):
            assert isinstance(found, Reading)
            pids.add(reader.pid)
        assert len(pids) == 1

    use(work)


def test_a_reader_that_idles_is_ended() -> None:
    async def work(reader: IsolatedReader) -> None:
        await reader.read(suspect())
        pid = reader.pid
        async with asyncio.timeout(60):
            while reader.pid is not None:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        assert pid is not None
        assert not psutil.pid_exists(pid)
        assert isinstance(await reader.read(suspect()), Reading)

    use(work, ReaderLimits(idle_s=0.05))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_a_used_reader_that_dies_leaves_a_doubt_and_another_one_reads(number: signal.Signals) -> None:
    async def work(reader: IsolatedReader) -> None:
        await reader.read(suspect())
        first = reader.pid
        assert first is not None
        os.kill(first, signal.SIGSTOP)
        reading = asyncio.create_task(reader.read(suspect()))
        await asyncio.sleep(0.05)
        os.kill(first, number)
        os.kill(first, signal.SIGCONT)
        assert isinstance(await reading, Reading)
        assert reader.pid != first

    use(work)


DEADLY = "http://a.test/deadly"


@pytest.mark.parametrize(
    ("action", "verdict"),
    [
        ("", Crashed(how="its reader ended with exit code 137")),
        ("!SIGSEGV", Crashed(how="its reader died of SIGSEGV")),
        ("!SIGABRT", Crashed(how="its reader died of SIGABRT")),
        ("!SIGXCPU", Crashed(how="reading it takes more than 60 s of CPU time")),
        ("!SIGKILL", Undecided(how="its reader was ended by SIGKILL")),
    ],
)
def test_how_a_fresh_reader_dies_says_whose_fault_it_was(
    monkeypatch: pytest.MonkeyPatch, action: str, verdict: Crashed | Undecided
) -> None:
    monkeypatch.setenv("TENAX_FAILPOINT", f"read@/deadly{action}")

    async def work(reader: IsolatedReader) -> None:
        assert await reader.read(suspect(url=DEADLY)) == verdict
        assert isinstance(await reader.read(suspect()), Reading), "the next one is none the worse for it"

    use(work)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGUSR1])
def test_what_comes_from_outside_is_no_evidence(number: signal.Signals) -> None:
    assert judge_death(-number) == Undecided(how=f"its reader was ended by {number.name}")


def test_a_document_that_takes_more_memory_than_it_may_is_at_fault() -> None:
    async def work(reader: IsolatedReader) -> None:
        umlauts = suspect(b"\xe4" * 60_000_000, content_type="text/html; charset=iso-8859-1")
        assert await reader.read(umlauts) == Crashed(
            how="reading it takes more than 300,000,000 bytes of memory"
        )
        assert isinstance(await reader.read(suspect()), Reading)

    use(work, ReaderLimits(memory_bytes=300_000_000))


def test_a_document_that_takes_more_time_than_it_may_is_at_fault() -> None:
    async def work(reader: IsolatedReader) -> None:
        found = await reader.read(suspect(b"<p>" + b"w\xc3\xb6rd " * 10_000_000))
        assert found == Crashed(how="reading it takes more than 0 s of CPU time")

    use(work, ReaderLimits(cpu_s=0))


def test_a_reader_that_is_held_up_by_its_machine_leaves_a_doubt() -> None:
    async def work(reader: IsolatedReader) -> None:
        await reader.read(suspect())
        assert reader.pid is not None
        os.kill(reader.pid, signal.SIGSTOP)
        assert isinstance(await reader.read(suspect()), Reading)

    use(work, ReaderLimits(wait_s=1.0))


def test_a_reader_that_cannot_be_started_says_nothing_about_the_document(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def work(reader: IsolatedReader) -> None:
        monkeypatch.setattr(sys, "executable", "/nowhere/python")
        with pytest.raises(FileNotFoundError):
            await reader.read(suspect())
        monkeypatch.setattr(sys, "executable", "/bin/false")
        assert await reader.read(suspect()) == Undecided(how="its reader was gone before it had begun")

    use(work)


def test_what_cannot_be_read_is_said_as_it_would_be_here() -> None:
    with pytest.raises(ContentError, match="built to exhaust"):
        parse_answer(format_fault("content", "built to exhaust"))
    with pytest.raises(ReaderError):
        parse_answer(format_fault("bug", "Traceback"))


@pytest.mark.parametrize(
    "answer", [b"", b"[]", b"{}", b'{"reading": {}}', b'{"reading": {"page": {"x": 1}}}']
)
def test_nonsense_is_never_taken_for_a_reading(answer: bytes) -> None:
    with pytest.raises((ValueError, KeyError, TypeError)):
        parse_answer(answer)


ORPHANS = """
import asyncio, sys
from tests.processes.crawl.test_isolation import suspect
from tenax.crawl.isolation import IsolatedReader

async def run():
    async with IsolatedReader() as reader:
        await reader.read(suspect())
        print(reader.pid, flush=True)
        await asyncio.sleep(600)

asyncio.run(run())
"""


@pytest.mark.parametrize("is_stopped", [True, False])
def test_a_reader_dies_with_its_worker(is_stopped: bool) -> None:
    """Also one that hears nothing, in the middle of a document."""
    with subprocess.Popen([sys.executable, "-c", ORPHANS], stdout=subprocess.PIPE) as worker:
        assert worker.stdout is not None
        reader = int(worker.stdout.readline())
        if is_stopped:
            os.kill(reader, signal.SIGSTOP)
        worker.kill()
        worker.wait()
    wait_until(lambda: not psutil.pid_exists(reader), "the reader is gone", 60)
