"""What runs in a reader: a process that reads one document after the other for its worker, those that are too
large for it and those that one died over.

    python -P -m tenax.crawl.reader_process PARENT MEMORY_BYTES CPU_S WAIT_S     its channel is standard input

It may crash, and it never outlives its worker: the system kills it, and elsewhere than on Linux it hears the
end of its channel.
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
    parse_order,
)
from tenax.crawl.reading.page import ReadPage, read_page
from tenax.crawl.reading.turn_lock import ReaderLock
from tenax.errors import ContentError, ParserError
from tenax.parent_death import signal_on_death_of
from tenax.stores.hot.packing import unpack_body
from tenax.web.hrefs import Hrefs
from tenax.web.markup import estimate_memory

# Should the machine run out of memory, the worker is the last to go.
FIRST_TO_GO = "1000"
# A worker ends a reader that takes longer; then its turn is over as well.
BEYOND_S = 60.0
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
    """One document; whether this process may be trusted with another."""
    order = parse_order(receive(channel))
    if order.is_large:
        turns.take(lambda: channel.sendall(frame(WAIT)))
    failpoints.reach("reader.turn", order.url)
    channel.sendall(frame(GO))
    body = receive(channel)
    failpoints.reach("reader.body", order.url)
    limit_cpu(cpu_s)
    answer, is_sound = read(order, body)
    failpoints.reach("reader.answer", order.url)
    channel.sendall(frame(answer))
    if order.is_large:
        del answer, body
        give_memory_back()
        turns.end()
    return is_sound


def read(order: ReadRequest, packed: bytes) -> tuple[bytes, bool]:
    """The answer, and whether this process may be trusted with another document."""
    try:
        return format_reading(_read(order, unpack_body(packed, order.body_bytes))), True
    except (MemoryError, ParserError):
        pass  # what the document has taken is free only after this
    except ContentError as error:
        return format_fault("content", str(error)), True
    except Exception:
        return format_fault("bug", traceback.format_exc()), False
    return format_fault("memory", estimate(order, packed)), False


def _read(order: ReadRequest, body: bytes) -> ReadPage:
    return read_page(
        body,
        url=order.url,
        content_type=order.content_type,
        robots_tag=order.robots_tag,
        max_links=order.max_links,
        hrefs=Hrefs(keep=order.keep),
        profile=order.profile,
        memory_bytes=None,
    )


def estimate(order: ReadRequest, packed: bytes) -> int:
    """How much memory would do, for this process and the document; 0: even to find that out takes more."""
    gc.collect()
    try:
        return find_sizes()[1] + estimate_memory(unpack_body(packed, order.body_bytes))
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
    poll.register(channel, 0)  # to be told of its end alone
    poll.poll()
    os._exit(0)


def limit_memory(memory_bytes: int) -> None:
    """Of what the process takes, not of what it has reserved: libraries reserve a lot that nobody uses."""
    reserved, taken = find_sizes()
    limit = reserved + max(memory_bytes - taken, 0)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as score:
        score.write(FIRST_TO_GO)


def find_sizes() -> tuple[int, int]:
    """Bytes of address space and of memory that this process has; zero where only the system knows."""
    try:
        reserved, taken, *_ = Path("/proc/self/statm").read_text().split()
    except OSError:
        return 0, 0
    return int(reserved) * _PAGE_BYTES, int(taken) * _PAGE_BYTES


def give_memory_back() -> None:
    """A parser's heap stays with its process otherwise, of which every worker of a machine may have one."""
    gc.collect()
    with contextlib.suppress(AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def limit_cpu(cpu_s: int) -> None:
    """For one document: SIGXCPU ends the process."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    limit = int(usage.ru_utime + usage.ru_stime) + 1 + cpu_s
    resource.setrlimit(
        resource.RLIMIT_CPU, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard)
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
