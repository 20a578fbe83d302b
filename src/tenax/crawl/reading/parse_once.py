"""Runs one parser on one page in a forked process with the limits of a crawl: for commands, which have no
readers. Whatever the parser does becomes a value, and nothing that it starts is left.
"""

import contextlib
import ctypes
import os
import signal
import socket
import struct
import sys
import time
from collections.abc import Iterable
from typing import Final, NoReturn

from tenax.config.settings import Settings
from tenax.crawl.reading.deadline import deadline
from tenax.crawl.reading.messages import LENGTH, frame
from tenax.crawl.reading.parse_messages import format_parsed, parse_parsed
from tenax.crawl.reading.parser_host import find_children, kill_with_group
from tenax.crawl.reading.parser_limits import PoolLimits
from tenax.crawl.reading.parser_process import PR_SET_CHILD_SUBREAPER, Printer, adopt_orphans, silence
from tenax.crawl.reading.parser_reader import describe_code
from tenax.crawl.reading.process import limit_memory
from tenax.items.faults import build_fault
from tenax.items.page import Page
from tenax.items.running import ParsedPage, PreparedParser, describe_timeout, run_parser
from tenax.parent_death import signal_on_death_of
from tenax.records.items import LoggedError, Parsing

_BAD: Final = (ValueError, KeyError, TypeError, struct.error)


def parse_once(page: Page, prepared: PreparedParser, settings: Settings) -> ParsedPage:
    """Call this where no other thread runs. Raises OSError: the machine cannot start a process."""
    limits = PoolLimits.build(settings)
    earlier = set(find_children())
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    sys.stdout.flush()
    sys.stderr.flush()
    ours, theirs = socket.socketpair()
    parent = os.getpid()
    pid = os.fork()
    if not pid:
        ours.close()
        _become_child(parent, theirs, page, prepared, limits)
    with ours:
        theirs.close()
        try:
            answer = _receive(ours, limits)
            if answer is None:
                # It is exiting, unless it has closed its end: either way it is over.
                error = _describe_end(pid, prepared.name)
            elif answer:
                return parse_parsed(answer)
            else:
                error = describe_timeout(limits.parser, prepared.name)
        except _BAD:
            error = build_fault("ReaderDied", "It sent an invalid answer.", prepared.name)
        finally:
            _end(pid, earlier)
    return ParsedPage(parsing=_fail(prepared, error))


def _fail(prepared: PreparedParser, error: LoggedError) -> Parsing:
    return Parsing(parser=prepared.name, version=prepared.version, error=error)


def _receive(channel: socket.socket, limits: PoolLimits) -> bytes | None:
    """Empty: it took too long. None: the process is gone, or says more than it may."""
    until = time.monotonic() + limits.parser_s
    received = bytearray()
    wanted = LENGTH.size
    while len(received) < wanted:
        channel.settimeout(max(until - time.monotonic(), 0.001))
        try:
            part = channel.recv(1 << 18)
        except TimeoutError:
            return b""
        except ConnectionError:
            part = b""
        received += part
        if len(received) >= LENGTH.size:
            wanted = LENGTH.size + LENGTH.unpack_from(received)[0]
        if not part or wanted > limits.parsed_bytes:
            return None
    return bytes(received[LENGTH.size : wanted])


def _describe_end(pid: int, parser: str) -> LoggedError:
    until = time.monotonic() + 1.0
    how = "closed its channel"
    while time.monotonic() < until:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            how = describe_code(os.waitstatus_to_exitcode(status))
            break
        time.sleep(0.01)
    return build_fault("ReaderDied", f"It ended the process that ran it, which {how}.", parser)


def _end(pid: int, earlier: Iterable[int]) -> None:
    """With all that it has started: what it left behind became a child of this process."""
    kill_with_group(pid)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, 0)
    kept = set(earlier)
    while left := set(find_children()) - kept:
        for orphan in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(orphan, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(orphan, 0)


def _become_child(
    parent: int, channel: socket.socket, page: Page, prepared: PreparedParser, limits: PoolLimits
) -> NoReturn:
    own = os.getpid()
    try:
        # Ctrl-C is for the command, which ends this process.
        os.setpgid(0, 0)
        sys.stdout = sys.stderr = Printer(os.dup(2))
        silence()
        adopt_orphans()
        limit_memory(limits.memory_bytes, is_forked=True)
        if signal_on_death_of(parent, signal.SIGKILL):
            parsed = run_parser(page, prepared, limits.parser, deadline)
            if os.getpid() == own:
                channel.sendall(frame(format_parsed(parsed)))
    finally:
        os._exit(0)
    raise AssertionError
