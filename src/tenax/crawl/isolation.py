"""Reads a suspect document in a child process, so that a crash in native code kills only the child."""

import asyncio
import contextlib
import resource
import signal
from collections.abc import Iterator
from functools import partial

from tenax.crawl.reading import Reading, read_page
from tenax.extract.profile import ExtractionProfile
from tenax.web.hrefs import Hrefs

MEMORY_BYTES = 2 * 1024**3
DEADLINE_S = 60.0


async def read_isolated(
    body: bytes,
    *,
    url: str,
    content_type: str | None,
    robots_tag: str | None,
    max_links: int,
    profile: ExtractionProfile,
) -> Reading | None:
    """None: the document crashed the child, or held it for longer than the deadline."""
    # Late: hardly any crawl needs them, and they would cost every start 25 ms.
    import multiprocessing
    from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor

    work = partial(
        read_page,
        body,
        url=url,
        content_type=content_type,
        robots_tag=robots_tag,
        max_links=max_links,
        hrefs=Hrefs(),
        profile=profile,
    )
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(1, mp_context=context, initializer=_limit_child)
    try:
        with _signals_held_back():
            future = pool.submit(work)
        return await asyncio.wait_for(asyncio.wrap_future(future), DEADLINE_S)
    except (BrokenProcessPool, TimeoutError, MemoryError):
        return None
    finally:
        for process in list((pool._processes or {}).values()):
            process.kill()
        pool.shutdown(wait=False, cancel_futures=True)


@contextlib.contextmanager
def _signals_held_back() -> Iterator[None]:
    """A child that is born meanwhile never hears these signals. Ctrl-C reaches the whole group, and a child
    that it ended would look like a crash."""
    earlier = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, earlier)


def _limit_child() -> None:
    # The child of a parent that was killed must not run for ever.
    resource.setrlimit(resource.RLIMIT_CPU, (round(DEADLINE_S), round(DEADLINE_S)))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
