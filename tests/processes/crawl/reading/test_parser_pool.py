"""Parsers run in readers: whatever they do costs their own items, a bounded time, and never the page."""

import asyncio
import contextlib
import ctypes
import faulthandler
import os
import signal
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]
import pytest

from tenax.config.parsers import ParserSettings
from tenax.config.settings import Settings
from tenax.crawl.reading.parse_messages import ParseRequest
from tenax.crawl.reading.parser_host import ParserHost
from tenax.crawl.reading.parser_limits import PoolLimits
from tenax.crawl.reading.parser_pool import HostGone, ParseResult, ParserPool, Unread
from tenax.errors import ConfigError, ContentError
from tenax.items.page import Page
from tenax.items.parser import FunctionParser, Parser
from tenax.record import replace
from tenax.records.items import FollowUp, LoggedError
from tests.support.crawler import wait_until

URL = "http://shop.test/p/1"
BODY = b"<!doctype html><title>Kettle</title><p class=price>19.99</p><a href=/p/2>next</a>"
SETTINGS = Settings(parsers=ParserSettings(timeout_s=0.5, memory_mb=150, processes=2))

Use = Callable[[ParserPool], Awaitable[None]]


def product(page: Page) -> Iterator[Any]:
    price = page.css_first(".price")
    assert price is not None
    yield {"name": page.title, "price": price.text(), "data": page.data}
    yield page.follow("/p/2", "product", {"from": page.url})


def build(*functions: Callable[[Page], Any]) -> list[Parser]:
    return [FunctionParser(function) for function in functions]


def use(work: Use, parsers: Sequence[Parser], settings: Settings = SETTINGS) -> None:
    host = ParserHost.start(lambda: parsers, settings)

    async def run() -> None:
        async with ParserPool(host, PoolLimits.build(settings)) as pool:
            await work(pool)

    try:
        asyncio.run(run())
    finally:
        host.close()


def ask(*parsers: str, url: str = URL, body: bytes = BODY) -> ParseRequest:
    return ParseRequest(
        url=url,
        status=200,
        headers={"content-type": "text/html"},
        body=body,
        body_bytes=len(body),
        parsers=parsers,
    )


async def read(pool: ParserPool, *parsers: str, url: str = URL) -> ParseResult:
    found = await pool.read(ask(*parsers, url=url))
    assert isinstance(found, ParseResult)
    return found


def is_gone(pid: int) -> bool:
    with contextlib.suppress(psutil.NoSuchProcess):
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    return True


def fail(handler: Callable[[Page], Any], settings: Settings = SETTINGS) -> LoggedError:
    """The error of a hostile parser; the page, other parsers and the next page are as always."""
    errors = []

    async def work(pool: ParserPool) -> None:
        found = await read(pool, "handler", "product")
        assert found.page.unpack().page.title == "Kettle"
        bad, good = found.parsed
        assert bad.parsing.items == ()
        assert bad.parsing.error is not None
        errors.append(bad.parsing.error)
        assert len(good.parsing.items) == 1
        assert len((await read(pool, "product")).parsed) == 1

    use(work, [FunctionParser(handler, name="handler"), *build(product)], settings)
    return errors[0]


def test_a_page_is_read_and_parsed() -> None:
    async def work(pool: ParserPool) -> None:
        request = replace(ask("product"), follow_ups=(FollowUp(parser="product", data="[7]"),))
        found = await pool.read(request)
        assert isinstance(found, ParseResult)
        assert found.page.unpack().page.title == "Kettle"
        assert [link[0] for link in found.page.links.values()] == ["http://shop.test/p/2"]
        (parsed,) = found.parsed
        (item,) = parsed.parsing.items
        assert (item.kind, item.key) == ("product", URL)
        assert item.data == '{"data":[7],"name":"Kettle","price":"19.99"}'
        (follow,) = parsed.follows
        assert (follow.url, follow.follow_up.parser) == ("http://shop.test/p/2", "product")

    use(work, build(product))


def test_one_reader_serves_one_page_after_the_other() -> None:
    async def work(pool: ParserPool) -> None:
        pids = set()
        for number in range(5):
            await read(pool, "product", url=f"http://shop.test/p/{number}")
            pids |= set(pool.pids)
        assert len(pids) == 1

    use(work, build(product))


def test_more_readers_are_started_when_all_are_busy_for_long() -> None:
    def slow(page: Page) -> dict[str, Any]:
        time.sleep(0.4)
        return {"pid": os.getpid()}

    async def work(pool: ParserPool) -> None:
        found = await asyncio.gather(*(read(pool, "slow", url=f"http://shop.test/{n}") for n in range(6)))
        assert len({each.parsed[0].parsing.items[0].data for each in found}) == 2

    use(work, build(slow), Settings(parsers=ParserSettings(timeout_s=5, processes=2)))


def test_live_objects_of_the_program_are_there() -> None:
    seen = {"price": 7}

    def closure(page: Page) -> dict[str, Any]:
        return dict(seen)

    async def work(pool: ParserPool) -> None:
        assert (await read(pool, "closure")).parsed[0].parsing.items[0].data == '{"price":7}'

    use(work, build(closure))


def test_a_document_that_is_no_page_is_not_parsed() -> None:
    async def work(pool: ParserPool) -> None:
        found = await pool.read(ask("product", body=b"<h1>It works!</h1>"))
        assert isinstance(found, ParseResult)
        assert found.page.verdict is not None
        assert found.parsed == ()
        found = await pool.read(ask("product", body=BODY + b"<meta name=robots content=noindex>"))
        assert isinstance(found, ParseResult)
        assert found.parsed == ()
        assert len((await read(pool, "product")).parsed) == 1

    use(work, build(product))


def test_a_document_that_cannot_be_read() -> None:
    async def work(pool: ParserPool) -> None:
        with pytest.raises(ContentError):
            await pool.read(ask("product", body=b"<b><div>" * 400_000))
        assert len((await read(pool, "product")).parsed) == 1

    use(work, build(product), Settings(parsers=ParserSettings(memory_mb=1000)))


# --- hostile parsers -------------------------------------------------------------------------------


def test_a_parser_that_raises() -> None:
    def handler(page: Page) -> None:
        raise KeyError("price")

    assert fail(handler).type == "KeyError"


def test_a_parser_that_never_ends() -> None:
    def handler(page: Page) -> None:
        while True:
            pass

    assert fail(handler).message == "It took longer than 0.5 s: do less, or raise parsers.timeout_s."


def test_a_parser_that_catches_everything() -> None:
    def handler(page: Page) -> None:
        while True:
            with contextlib.suppress(BaseException):
                while True:
                    pass

    assert fail(handler).type == "Timeout"


def test_a_parser_that_blocks_in_native_code() -> None:
    def handler(page: Page) -> None:
        libc = ctypes.PyDLL(None)  # holds the interpreter's lock, so that no signal is handled
        while True:
            libc.usleep(100_000_000)

    started = time.monotonic()
    assert fail(handler).type == "Timeout"
    assert time.monotonic() < started + 30


def test_a_parser_that_does_not_listen_to_signals() -> None:
    def handler(page: Page) -> None:
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.Signals))
        while True:
            time.sleep(1)

    assert fail(handler).type == "Timeout"


def test_a_parser_that_changes_the_handling_of_signals_does_not_free_the_next_one() -> None:
    def handler(page: Page) -> None:
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
        signal.setitimer(signal.ITIMER_REAL, 0)

    def slow(page: Page) -> None:
        while True:
            pass

    async def work(pool: ParserPool) -> None:
        first, second = (await read(pool, "handler", "slow")).parsed
        assert first.parsing.error is None
        assert second.parsing.error is not None
        assert second.parsing.error.type == "Timeout"
        pids = pool.pids
        await read(pool, "handler")
        assert pool.pids == pids

    use(work, build(handler, slow))


def test_what_a_program_holds_is_not_held_against_its_readers() -> None:
    held = bytearray(b"x" * 200_000_000)  # more than a reader may use

    async def work(pool: ParserPool) -> None:
        (parsed,) = (await read(pool, "take")).parsed
        assert parsed.parsing.error is None
        assert len(parsed.parsing.items) == 1

    def take(page: Page) -> dict[str, Any]:
        return {"taken": len(bytearray(b"y" * 40_000_000))}

    use(work, build(take), Settings(parsers=ParserSettings(timeout_s=30, memory_mb=150)))
    assert held


def test_a_parser_that_takes_all_memory() -> None:
    def handler(page: Page) -> dict[str, Any]:
        held = []
        while True:
            held.append(bytearray(10_000_000))

    error = fail(handler, Settings(parsers=ParserSettings(timeout_s=10, memory_mb=150, processes=2)))
    assert error.type == "MemoryError"


def test_a_parser_that_ends_its_process() -> None:
    assert fail(lambda page: os._exit(3)).message == (
        "It ended the process that ran it, which ended with exit code 3."
    )


def test_a_parser_that_kills_its_process() -> None:
    error = fail(lambda page: os.kill(os.getpid(), signal.SIGKILL))
    assert error.message == "It ended the process that ran it, which was ended by SIGKILL."


def test_a_parser_that_crashes_in_native_code() -> None:
    def handler(page: Page) -> None:
        faulthandler.disable()  # pytest's
        ctypes.string_at(0)

    assert "SIGSEGV" in fail(handler).message


def test_a_parser_that_closes_all_files() -> None:
    assert fail(lambda page: os.closerange(3, 100)).type == "ReaderDied"


def test_a_parser_that_calls_exit() -> None:
    assert fail(lambda page: sys.exit(3)).type == "SystemExit"


def test_a_parser_that_returns_nonsense() -> None:
    assert fail(lambda page: object()).type == "Nonsense"


def test_what_a_parser_prints_is_cut(capfd: pytest.CaptureFixture[str]) -> None:
    def handler(page: Page) -> dict[str, Any]:
        print("begins")
        for _ in range(1_000):
            print("x" * 1_000)
        os.write(1, b"past the printer")
        return {"a": 1}

    async def work(pool: ParserPool) -> None:
        assert (await read(pool, "handler")).parsed[0].parsing.error is None

    use(work, build(handler))
    shown = capfd.readouterr()
    assert shown.err.startswith("begins\nxxx")
    assert len(shown.err) <= 20_000
    assert shown.out == ""


def test_a_parser_that_waits_for_input() -> None:
    assert fail(lambda page: input("your name? ")).type == "EOFError"


def fork_and_spin(page: Page) -> dict[str, Any]:
    """The copy goes on in its own session, out of reach of the group of its reader."""
    child = os.fork()
    if not child:
        os.setsid()
        while True:
            time.sleep(1)
    return {"child": child}


def test_a_parser_that_leaves_a_process_behind(tmp_path: Path) -> None:
    children = []

    async def work(pool: ParserPool) -> None:
        (parsed,) = (await read(pool, "fork_and_spin")).parsed
        children.append(int(parsed.parsing.items[0].data.split(":")[1].rstrip("}")))
        assert pool.pids == []
        await asyncio.to_thread(wait_until, lambda: is_gone(children[0]), "its process is gone")
        assert len((await read(pool, "product")).parsed) == 1

    use(work, build(fork_and_spin, product))
    assert children


def test_threads_that_a_parser_leaves_behind_end_with_its_reader() -> None:
    def leave(page: Page) -> dict[str, Any]:
        threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
        return {"pid": os.getpid()}

    async def work(pool: ParserPool) -> None:
        found = [(await read(pool, "leave", "product")).parsed for _ in range(2)]
        assert all(len(each.parsing.items) == 1 for parsed in found for each in parsed)
        assert len({parsed[0].parsing.items[0].data for parsed in found}) == 2

    use(work, build(leave, product))


def test_the_copy_of_a_parser_that_forks_says_nothing() -> None:
    def handler(page: Page) -> dict[str, Any]:
        os.fork()
        return {"a": 1}

    async def work(pool: ParserPool) -> None:
        for number in range(3):
            found = await read(pool, "handler", url=f"http://shop.test/{number}")
            assert found.parsed[0].parsing.items[0].key == f"http://shop.test/{number}"

    use(work, build(handler))


def test_a_page_that_kills_two_readers_is_left_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tenax.failpoints._name", "read")
    monkeypatch.setattr("tenax.failpoints._action", "SIGSEGV")

    async def work(pool: ParserPool) -> None:
        found = await pool.read(ask("product"))
        assert isinstance(found, Unread)
        (parsed,) = found.parsed
        assert parsed.parsing.error is not None
        assert parsed.parsing.error.message == (
            "It did not run: the process that read the page was ended by SIGSEGV."
        )

    use(work, build(product))


# --- the host --------------------------------------------------------------------------------------


def start(load: Callable[[], Sequence[Parser]]) -> None:
    ParserHost.start(load, SETTINGS).close()


def test_parsers_that_cannot_be_used_are_refused_in_one_sentence() -> None:
    with pytest.raises(ConfigError, match="Two parsers are called product"):
        start(lambda: build(product, product))


def test_code_that_cannot_be_loaded_is_refused_in_one_sentence() -> None:
    def load() -> Sequence[Parser]:
        raise ImportError("No module named 'shop'")

    with pytest.raises(
        ConfigError, match="The parsers cannot be loaded: ImportError: No module named 'shop'"
    ):
        start(load)


def test_code_that_ends_the_host_while_it_is_loaded() -> None:
    with pytest.raises(ConfigError, match="ended their process while they were loaded"):
        start(lambda: os._exit(3))


def test_code_that_never_ends_while_it_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tenax.crawl.reading.parser_host.START_S", 0.5)

    def load() -> Sequence[Parser]:
        while True:
            time.sleep(1)

    with pytest.raises(ConfigError, match=r"took longer than 0\.5 s to load"):
        start(load)


def test_a_host_that_dies_takes_its_readers_along_and_is_noticed() -> None:
    async def work(pool: ParserPool) -> None:
        await read(pool, "product")
        (pid,) = pool.pids
        host = psutil.Process(pid).ppid()
        os.kill(host, signal.SIGKILL)
        await asyncio.to_thread(wait_until, lambda: is_gone(pid), "the reader is gone")
        with pytest.raises(HostGone):
            await pool.read(ask("product"))

    use(work, build(product))


def test_a_reader_that_is_killed_between_two_pages_is_replaced() -> None:
    async def work(pool: ParserPool) -> None:
        await read(pool, "product")
        (pid,) = pool.pids
        os.kill(pid, signal.SIGKILL)
        assert len((await read(pool, "product")).parsed[0].parsing.items) == 1
        assert pid not in pool.pids

    use(work, build(product))


def test_nothing_is_left_when_the_worker_closes_it() -> None:
    pids = []

    async def work(pool: ParserPool) -> None:
        await read(pool, "product")
        pids.extend(pool.pids)

    use(work, build(product))
    wait_until(lambda: all(map(is_gone, pids)), "all readers are gone")
