"""The program of a reader: a process that reads one document after the other for its worker, those that are
too large for it, those that a worker died over, and PDFs.

    python -P -m tenax.crawl.reading.process PARENT MEMORY_BYTES CPU_S WAIT_S    its channel is standard input

It may crash, and it never outlives its worker: the system kills it on Linux, and elsewhere it exits when its
channel is closed.
"""

import contextlib
import ctypes
import gc
import os
import resource
import select
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path

from tenax import failpoints
from tenax.crawl.reading.messages import (
    GO,
    LENGTH,
    READY,
    WAIT,
    ReadRequest,
    format_fault,
    format_reading,
    frame,
    parse_request,
)
from tenax.crawl.reading.page import ReadPage, read_page
from tenax.crawl.reading.pdf import read_pdf_page
from tenax.crawl.reading.turn_lock import ReaderLock
from tenax.errors import ContentError, ParserError
from tenax.extract.validation import Validator
from tenax.parent_death import signal_on_death_of
from tenax.stores.hot.packing import unpack_body
from tenax.web.hrefs import Hrefs
from tenax.web.markup import estimate_memory

# If the machine runs out of memory, the reader is killed before its worker.
FIRST_TO_GO = "1000"
# A worker kills a reader that takes longer; that also ends its turn.
BEYOND_S = 60.0
# A PDF of a megabyte takes 10. One that takes more than this waits for its turn, as large documents do.
LIGHT_BYTES = 128_000_000
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


def main(parent: int, memory_bytes: int, cpu_s: int, wait_s: int) -> None:
    if not signal_on_death_of(parent, signal.SIGKILL):
        return
    channel = socket.socket(fileno=sys.stdin.fileno())
    threading.Thread(target=_end_with, args=(channel,), daemon=True).start()
    limit_memory(memory_bytes)
    turns = ReaderLock(wait_s + BEYOND_S)
    channel.sendall(frame(READY))
    while serve(channel, turns, cpu_s):
        pass


def serve(channel: socket.socket, turns: ReaderLock, cpu_s: int) -> bool:
    """Read one document; returns whether this process can be trusted with another."""
    request = parse_request(receive(channel))
    if request.is_large:
        turns.take(lambda: channel.sendall(frame(WAIT)))
    failpoints.reach("reader.turn", request.url)
    channel.sendall(frame(GO))
    body = receive(channel)
    failpoints.reach("reader.body", request.url)
    limit_cpu(cpu_s)
    with lighten(LIGHT_BYTES) if request.is_light_pdf else contextlib.nullcontext():
        answer, is_sound = read(request, body)
    failpoints.reach("reader.answer", request.url)
    channel.sendall(frame(answer))
    if request.is_large:
        del answer, body
        give_memory_back()
        turns.end()
    return is_sound


def read(request: ReadRequest, packed: bytes) -> tuple[bytes, bool]:
    """The answer, and whether this process can be trusted with another document."""
    try:
        return format_reading(_read(request, unpack_body(packed, request.body_bytes))), True
    except (MemoryError, ParserError):
        pass  # the memory of the document is free only after this
    except ContentError as error:
        return format_fault("content", str(error)), True
    except Exception:
        return format_fault("bug", traceback.format_exc()), False
    return format_fault("memory", estimate(request, packed)), False


def _read(request: ReadRequest, body: bytes) -> ReadPage:
    if request.pdf_pages is not None:
        return read_pdf_page(
            body,
            url=request.url,
            headers=request.headers,
            max_links=request.max_links,
            hrefs=Hrefs(keep=request.keep),
            profile=request.profile,
            most_pages=request.pdf_pages,
            least_similar_chars=request.least_similar_chars,
        )
    return read_page(
        body,
        url=request.url,
        headers=request.headers,
        max_links=request.max_links,
        hrefs=Hrefs(keep=request.keep),
        profile=request.profile,
        least_similar_chars=request.least_similar_chars,
        validator=Validator.build(request.validation),
        memory_bytes=None,
    )


def estimate(request: ReadRequest, packed: bytes) -> int:
    """How much memory this process needs for the document; 0: nobody knows, or even the estimate needs more
    than it has."""
    if request.pdf_pages is not None:
        return 0
    gc.collect()
    try:
        return find_sizes()[1] + estimate_memory(unpack_body(packed, request.body_bytes))
    except MemoryError:
        return 0


def receive(channel: socket.socket) -> bytes:
    (length,) = LENGTH.unpack(_receive(channel, LENGTH.size))
    return _receive(channel, length)


def _receive(channel: socket.socket, length: int) -> bytes:
    received = bytearray()
    while len(received) < length:
        part = channel.recv(min(length - len(received), 1 << 20))
        if not part:
            os._exit(0)
        received += part
    return bytes(received)


def _end_with(channel: socket.socket) -> None:
    poll = select.poll()
    poll.register(channel, 0)  # only its end is reported
    poll.poll()
    os._exit(0)


def limit_memory(memory_bytes: int, *, is_forked: bool = False) -> None:
    """Limit what the process uses, not what it has reserved: libraries reserve much that is never used.
    `is_forked`: what it has already is that of the program it was forked from, which may be large."""
    reserved, taken = find_sizes()
    limit = reserved + (memory_bytes if is_forked else max(memory_bytes - taken, 0))
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as score:
        score.write(FIRST_TO_GO)


@contextlib.contextmanager
def lighten(memory_bytes: int) -> Iterator[None]:
    """Limit what the next document adds to what the process has."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (min(find_sizes()[0] + memory_bytes, soft), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def find_sizes() -> tuple[int, int]:
    """Bytes of address space and of memory of this process; zero where the system does not say."""
    try:
        reserved, taken, *_ = Path("/proc/self/statm").read_text().split()
    except OSError:
        return 0, 0
    return int(reserved) * _PAGE_BYTES, int(taken) * _PAGE_BYTES


def give_memory_back() -> None:
    """Otherwise the parser's heap stays with this process, and each worker of a machine may have a reader."""
    gc.collect()
    with contextlib.suppress(AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def limit_cpu(cpu_s: int) -> None:
    """Limit the CPU time of the next document: SIGXCPU ends the process."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    limit = int(usage.ru_utime + usage.ru_stime) + 1 + cpu_s
    resource.setrlimit(
        resource.RLIMIT_CPU, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard)
    )


def unlimit_cpu() -> None:
    """The next thing that this process does has a deadline of its own."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (hard, hard))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
