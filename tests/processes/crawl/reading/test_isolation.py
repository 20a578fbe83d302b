"""Documents are read in a process of their own, and only a death that they caused counts."""

import asyncio
import fcntl
import os
import signal
import struct
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]
import pytest

from tenax.config.fetch import ReaderSettings
from tenax.crawl.reading.isolation import (
    Crashed,
    IsolatedReader,
    OverLimit,
    ReaderLimits,
    Undecided,
    judge_death,
)
from tenax.crawl.reading.messages import (
    ReaderError,
    ReadRequest,
    ReadResult,
    format_fault,
    frame,
    parse_answer,
)
from tenax.crawl.reading.page import read_page
from tenax.crawl.reading.turn_lock import find_file
from tenax.errors import ContentError
from tenax.extract.profile import WHOLE_PAGE
from tenax.extract.similarity import distance, simhash
from tenax.extract.validation import Rejection
from tenax.record import replace
from tenax.records.requests import FailureKind
from tenax.records.urls import RejectionReason
from tenax.stores.hot.packing import pack_body
from tenax.web.hrefs import Hrefs
from tests.support.crawler import wait_until
from tests.support.processes import is_running
from tests.support.similar_texts import make_article, make_site

PAGE = b"<!doctype html><title>T</title><p>Words. <a href=/x rel=next>x</a><img src=/i.png alt=i>"


def suspect(
    body: bytes = PAGE,
    url: str = "http://a.test/",
    content_type: str | None = "text/html",
    *,
    is_suspect: bool = True,
) -> ReadRequest:
    return ReadRequest(
        body=pack_body(body),
        body_bytes=len(body),
        url=url,
        headers={} if content_type is None else {"content-type": content_type},
        max_links=1000,
        profile=WHOLE_PAGE,
        is_suspect=is_suspect,
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
        headers={"content-type": "text/html"},
        max_links=1000,
        hrefs=Hrefs(),
        profile=WHOLE_PAGE,
    )

    async def work(reader: IsolatedReader) -> None:
        found = await reader.read(suspect())
        assert isinstance(found, ReadResult)
        assert found.unpack() == here

    assert here.links
    assert here.images
    use(work)


def test_a_text_that_is_to_be_compared_has_the_same_fingerprint_as_here() -> None:
    body = f"<p>{make_article(make_site(1), 2000)}".encode()

    async def work(reader: IsolatedReader) -> None:
        plain = await reader.read(suspect(body))
        compared = await reader.read(replace(suspect(body), least_similar_chars=1000))
        assert isinstance(plain, ReadResult)
        assert isinstance(compared, ReadResult)
        assert plain.page.simhash is None
        found = simhash(compared.unpack().page.text)
        assert found is not None
        assert compared.page.simhash is not None
        assert distance(found, compared.page.simhash) == 0

    use(work)


def test_the_language_of_a_text_is_detected_as_it_would_be_here() -> None:
    body = b"<p>The ferry between the two islands returns on Monday after a year of repairs."
    detecting = replace(WHOLE_PAGE, detects_language=True)

    async def work(reader: IsolatedReader) -> None:
        for profile, language in ((WHOLE_PAGE, None), (detecting, "en")):
            found = await reader.read(replace(suspect(body), profile=profile))
            assert isinstance(found, ReadResult)
            assert found.page.language == language

    use(work)


def test_a_suspect_that_is_no_page_is_rejected() -> None:
    async def work(reader: IsolatedReader) -> None:
        found = await reader.read(suspect(b"<h1>It works!</h1>"))
        assert isinstance(found, ReadResult)
        assert found.unpack().verdict == Rejection(
            reason=RejectionReason.DEFAULT_PAGE,
            signature="apache_it_works",
            detail="it is the default page of a server",
        )

    use(work)


def test_one_process_reads_many_suspects() -> None:
    async def work(reader: IsolatedReader) -> None:
        pids = set()
        for found in await asyncio.gather(
            *(reader.read(suspect(url=f"http://a.test/{n}")) for n in range(5))
        ):
            assert isinstance(found, ReadResult)
            pids.add(reader.pid)
        assert len(pids) == 1

    use(work)


def test_a_reader_is_started_when_there_is_something_to_read(monkeypatch: pytest.MonkeyPatch) -> None:
    launched = count_readers(monkeypatch)

    async def work(reader: IsolatedReader) -> None:
        assert not launched
        await reader.read(suspect())
        assert launched == [reader.pid]

    use(work)


def test_a_reader_that_idles_is_ended() -> None:
    async def work(reader: IsolatedReader) -> None:
        await reader.read(suspect())
        pid = reader.pid
        async with asyncio.timeout(60):
            while reader.pid is not None:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        assert pid is not None
        assert not is_running(pid)
        assert isinstance(await reader.read(suspect()), ReadResult)

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
        assert isinstance(await reading, ReadResult)
        assert reader.pid != first

    use(work)


DEADLY = "http://a.test/deadly"
TOO_SLOW = OverLimit(
    kind=FailureKind.READER_TIME,
    how="reading it takes more than 60 s of CPU time: raise reader.cpu_s and run the same command again",
)


@pytest.mark.parametrize(
    ("action", "verdict"),
    [
        ("", Crashed(how="its reader ended with exit code 137")),
        ("!SIGSEGV", Crashed(how="its reader died of SIGSEGV")),
        ("!SIGABRT", Crashed(how="its reader died of SIGABRT")),
        ("!SIGXCPU", TOO_SLOW),
        ("!SIGKILL", Undecided(how="its reader was ended by SIGKILL")),
    ],
)
def test_how_a_fresh_reader_dies_says_whose_fault_it_was(
    monkeypatch: pytest.MonkeyPatch, action: str, verdict: Crashed | OverLimit | Undecided
) -> None:
    monkeypatch.setenv("TENAX_FAILPOINT", f"read@/deadly{action}")

    async def work(reader: IsolatedReader) -> None:
        assert await reader.read(suspect(url=DEADLY)) == verdict
        assert isinstance(await reader.read(suspect()), ReadResult), "the next one is none the worse for it"

    use(work)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGUSR1])
def test_what_comes_from_outside_is_no_evidence(number: signal.Signals) -> None:
    assert judge_death(-number) == Undecided(how=f"its reader was ended by {number.name}")


@pytest.mark.parametrize("is_suspect", [True, False])
def test_a_document_that_takes_more_memory_than_it_may_is_given_up_for_the_setting(is_suspect: bool) -> None:
    """Not as a crash, whatever it is that runs out of memory: Python, or the parser's own code."""
    umlauts = suspect(
        b"\xe4" * 60_000_000, content_type="text/html; charset=iso-8859-1", is_suspect=is_suspect
    )
    tags = suspect(b"<p>x" * 400_000, is_suspect=is_suspect)

    async def work(reader: IsolatedReader) -> None:
        for order, needed in ((umlauts, ""), (tags, " to 200")):
            found = await reader.read(order)
            assert isinstance(found, OverLimit)
            assert found.kind is FailureKind.READER_MEMORY
            assert found.how.startswith(
                f"reading it takes more than 150 MB of memory: raise reader.memory_mb{needed}"
            )
            assert isinstance(await reader.read(suspect()), ReadResult)

    use(work, ReaderLimits(memory_bytes=150_000_000))


def test_what_is_said_to_be_enough_memory_is() -> None:
    order = suspect(b"<p>x" * 400_000, is_suspect=False)

    async def work(reader: IsolatedReader) -> None:
        assert isinstance(await reader.read(order), ReadResult)

    use(work, ReaderLimits(memory_bytes=200_000_000))


def test_a_used_reader_has_as_much_room_as_a_fresh_one() -> None:
    """What a large document took is given back, to the next one and to the machine."""
    large = suspect(b"<p>x" * 400_000, is_suspect=False)

    async def work(reader: IsolatedReader) -> None:
        pids = set()
        for _ in range(4):
            assert isinstance(await reader.read(large), ReadResult)
            pids.add(reader.pid)
            await wait_until_small(reader)
        assert len(pids) == 1

    use(work, ReaderLimits(memory_bytes=250_000_000))


async def wait_until_small(reader: IsolatedReader) -> None:
    """Reading the document takes 130 MB more than a reader that waits."""
    process = psutil.Process(reader.pid)
    async with asyncio.timeout(60):
        while process.memory_info().rss > 100_000_000:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def test_a_document_that_takes_more_time_than_it_may_is_given_up_for_the_setting() -> None:
    async def work(reader: IsolatedReader) -> None:
        found = await reader.read(suspect(b"<table>" + b"<tr><td>cell</td></tr>" * 1_000_000))
        assert isinstance(found, OverLimit)
        assert found.kind is FailureKind.READER_TIME
        assert found.how.startswith("reading it takes more than 0 s of CPU time: raise reader.cpu_s")

    use(work, ReaderLimits(cpu_s=0, memory_bytes=2_000_000_000))


def test_a_large_document_that_is_no_suspect_needs_two_crashes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TENAX_FAILPOINT", "read@/deadly!SIGSEGV")
    launched = count_readers(monkeypatch)

    async def work(reader: IsolatedReader) -> None:
        verdict = Crashed(how="its reader died of SIGSEGV")
        assert await reader.read(suspect(url=DEADLY, is_suspect=False)) == verdict
        assert len(launched) == 2
        assert await reader.read(suspect(url=DEADLY, is_suspect=True)) == verdict
        assert len(launched) == 3

    use(work)


def count_readers(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Processes that are started from now on."""
    launched: list[int] = []
    start = subprocess.Popen

    def note(*arguments: Any, **options: Any) -> Any:
        popen = start(*arguments, **options)
        launched.append(popen.pid)
        return popen

    monkeypatch.setattr(subprocess, "Popen", note)
    return launched


def test_limits_come_from_the_settings() -> None:
    limits = ReaderLimits.build(ReaderSettings(memory_mb=700, cpu_s=100))
    assert (limits.memory_bytes, limits.cpu_s, limits.wait_s) == (700_000_000, 100, 300.0)
    assert ReaderLimits.build(ReaderSettings()) == ReaderLimits()


def test_a_reader_that_is_held_up_by_its_machine_leaves_a_doubt() -> None:
    async def work(reader: IsolatedReader) -> None:
        await reader.read(suspect())
        assert reader.pid is not None
        os.kill(reader.pid, signal.SIGSTOP)
        assert isinstance(await reader.read(suspect()), ReadResult)

    use(work, ReaderLimits(wait_s=1.0))


def test_a_reader_that_cannot_be_started_says_nothing_about_the_document(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def work(reader: IsolatedReader) -> None:
        monkeypatch.setattr(sys, "executable", "/nowhere/python")
        with pytest.raises(FileNotFoundError):
            await reader.read(suspect())
        monkeypatch.setattr(sys, "executable", "/bin/false")
        assert await reader.read(suspect()) == Undecided(how="its reader was gone before it started")

    use(work)


def test_what_cannot_be_read_is_said_as_it_would_be_here() -> None:
    with pytest.raises(ContentError, match="built to exhaust"):
        parse_answer(format_fault("content", "built to exhaust"))
    with pytest.raises(ReaderError):
        parse_answer(format_fault("bug", "Traceback"))


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        *map(
            frame,
            [b"", b"[]", b"{}", b'{"reading": {}}', b'{"reading": {"page": {"x": 1}, "sizes": [0, 0]}}'],
        ),
    ],
)
def test_nonsense_is_never_taken_for_a_reading(answer: bytes) -> None:
    with pytest.raises((ValueError, KeyError, TypeError, struct.error)):
        parse_answer(answer)


LARGE = PAGE + b"<p>words " * 20_000
WAIT_S = 6.0  # a reader that waits for its turn says so every five seconds


@pytest.fixture
def own_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Nobody else reads large documents on it; returns the file of turns."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    return find_file()


def test_two_readers_of_a_machine_read_one_large_document_at_a_time(
    own_machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first one is stopped in the middle of its document, and then killed."""
    monkeypatch.setenv("TENAX_FAILPOINT", "reader.body@/deadly!SIGSTOP")

    async def work(first: IsolatedReader) -> None:
        async with IsolatedReader() as second:
            stopped = asyncio.create_task(first.read(suspect(LARGE, DEADLY)))
            await wait_for(lambda: first.pid is not None and find_holder(own_machine) == first.pid)
            waiting = asyncio.create_task(second.read(suspect(LARGE)))
            small = IsolatedReader()
            async with small:
                assert isinstance(await small.read(suspect()), ReadResult), "small ones wait for nobody"
            await wait_for(lambda: second.pid is not None)
            assert not waiting.done()
            assert first.pid is not None
            os.kill(first.pid, signal.SIGKILL)
            assert isinstance(await waiting, ReadResult)
            assert find_holder(own_machine) in (first.pid, second.pid)
            stopped.cancel()
            await asyncio.gather(stopped, return_exceptions=True)

    use(work)


def find_holder(file: Path) -> int:
    """Who had the last turn; 0: nobody."""
    return int.from_bytes(file.read_bytes()[:8], "little") if file.exists() else 0


async def wait_for(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def test_a_reader_that_is_killed_while_it_waits_for_its_turn_says_nothing_about_its_document(
    own_machine: Path,
) -> None:
    own_machine.parent.mkdir()

    async def work(reader: IsolatedReader) -> None:
        with own_machine.open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            reading = asyncio.create_task(reader.read(suspect(LARGE)))
            await wait_for(lambda: reader.pid is not None)
            first = reader.pid
            assert first is not None
            os.kill(first, signal.SIGKILL)
            await wait_for(lambda: reader.pid not in (None, first))
        assert isinstance(await reading, ReadResult)

    use(work)


def test_the_wait_for_a_turn_is_no_lack_of_headway(
    own_machine: Path,
) -> None:
    """It takes longer than a reader may be silent, but it is not."""
    own_machine.parent.mkdir()

    async def work(reader: IsolatedReader) -> None:
        with own_machine.open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            reading = asyncio.create_task(reader.read(suspect(LARGE)))
            await wait_for(lambda: reader.pid is not None)
            first = reader.pid
            await asyncio.sleep(2.5 * WAIT_S)
            assert (reading.done(), reader.pid) == (False, first)
        assert isinstance(await reading, ReadResult)

    use(work, ReaderLimits(wait_s=WAIT_S))


ORPHANS = """
import asyncio, sys
from tests.processes.crawl.reading.test_isolation import suspect
from tenax.crawl.reading.isolation import IsolatedReader

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
    wait_until(lambda: not is_running(reader), "the reader is gone", 60)
