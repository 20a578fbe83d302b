"""Reads a suspect document in a child process, so that a crash in native code kills only the child."""

import asyncio
import multiprocessing
import resource
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial

from tenax.crawl.reading import Reading, read_page

MEMORY_BYTES = 2 * 1024**3
DEADLINE_S = 60.0


async def read_isolated(
    body: bytes, *, url: str, content_type: str | None, robots_tag: str | None, max_links: int
) -> Reading | None:
    """None: the document crashed the child, or held it for longer than the deadline."""
    work = partial(
        read_page,
        body,
        url=url,
        content_type=content_type,
        robots_tag=robots_tag,
        max_links=max_links,
    )
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(1, mp_context=context, initializer=_limit_child)
    try:
        loop = asyncio.get_running_loop()
        return await asyncio.wait_for(loop.run_in_executor(pool, work), DEADLINE_S)
    except (BrokenProcessPool, TimeoutError, MemoryError):
        return None
    finally:
        for process in list((pool._processes or {}).values()):
            process.kill()
        pool.shutdown(wait=False, cancel_futures=True)


def _limit_child() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
