"""What runs in a reader: a process that reads one suspect document after the other for its worker.

    python -P -m tenax.crawl.reader_process PARENT MEMORY_BYTES CPU_S      with the channel as standard input

It may crash, and it never outlives its worker: the system kills it, and elsewhere than on Linux it hears the
end of its channel.
"""

import contextlib
import os
import resource
import select
import signal
import socket
import sys
import threading
import traceback

from tenax.crawl.parents import signal_on_death_of
from tenax.crawl.reader_messages import (
    LENGTH,
    READY,
    format_fault,
    format_reading,
    frame,
    parse_suspect,
)
from tenax.crawl.reading import read_page
from tenax.errors import ContentError
from tenax.web.hrefs import Hrefs

# Should the machine run out of memory, the worker is the last to go.
FIRST_TO_GO = "1000"


def main(parent: int, memory_bytes: int, cpu_s: int) -> None:
    if not signal_on_death_of(parent, signal.SIGKILL):
        return
    channel = socket.socket(fileno=sys.stdin.fileno())
    threading.Thread(target=_end_with, args=(channel,), daemon=True).start()
    limit_memory(memory_bytes)
    channel.sendall(frame(READY))
    while True:
        head, body = receive(channel), receive(channel)
        limit_cpu(cpu_s)
        answer, is_sound = read(head, body)
        channel.sendall(frame(answer))
        if not is_sound:
            return


def read(head: bytes, body: bytes) -> tuple[bytes, bool]:
    """The answer, and whether this process may be trusted with another suspect."""
    suspect = parse_suspect(head, body)
    try:
        reading = read_page(
            suspect.body,
            url=suspect.url,
            content_type=suspect.content_type,
            robots_tag=suspect.robots_tag,
            max_links=suspect.max_links,
            hrefs=Hrefs(keep=suspect.keep),
            profile=suspect.profile,
        )
        return format_reading(reading), True
    except ContentError as error:
        return format_fault("content", str(error)), True
    except MemoryError:
        return format_fault("memory"), False
    except Exception:
        return format_fault("bug", traceback.format_exc()), False


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
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as score:
        score.write(FIRST_TO_GO)


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
