"""The process behind `Crawler.run`: forked by the program, so that it has the live parsers. It has one
thread, starts the crawl in a process of its own (session.py) and sends the items that it commits. When the
program stops, closes its end or dies, the crawl is stopped and everything is saved.
"""

import contextlib
import os
import select
import signal
import socket
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final, NoReturn

from tenax.crawler.definition import CrawlPlan
from tenax.crawler.items import format_item
from tenax.crawler.messages import format_message
from tenax.crawler.notes import NOTHING_NEW
from tenax.crawler.session import CrawlSession, OpenedCrawl, open_crawl
from tenax.errors import StoreError, TenaxError
from tenax.records.jobs import Recrawl
from tenax.stores.change_log import LogPosition, find_end
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import read_store
from tenax.stores.queries.filters import get_source_id
from tenax.stores.queries.item_log import (
    DeliveredItem,
    find_beginning,
    has_hidden,
    iter_items,
    read_changes,
)
from tenax.workers.process import STOP_SIGNALS, signals_blocked

POLL_S: Final = 0.1
RETRY_S: Final = 1.0
# For what is committed, but waits behind other transactions of the server; or for a store that is away.
DRAIN_S: Final = 60.0
_HIDDEN: Final = (
    "The run is over and its items are stored, but a transaction of the database server that has been open"
    " for more than {seconds:g} s holds back the last ones. End it, and read them with"
    " items(after='{cursor}')."
)
_OWN_SIGNALS: Final = (signal.SIGCHLD, signal.SIGALRM, signal.SIGUSR1, signal.SIGUSR2, signal.SIGPIPE)

Work = Callable[["Program"], None]


class ProgramGone(Exception):
    """The program does not want any more."""


class Program:
    """The program as the process sees it."""

    def __init__(self, channel: socket.socket, pid: int) -> None:
        self.channel = channel
        self.has_items = False  # that were sent to it
        self._pid = pid

    def send(self, message: dict[str, Any]) -> None:
        """Wait until it has room. Raises ProgramGone, also if it wants to stop."""
        self.check()
        try:
            self.channel.sendall(format_message(message))
        except OSError:
            raise ProgramGone from None

    def send_items(self, items: Iterable[DeliveredItem]) -> None:
        for item in items:
            self.send({"item": format_item(item)})
            self.has_items = True

    def check(self, wait_s: float = 0.0) -> None:
        """Raises ProgramGone if it wants to stop, has closed its end or is dead."""
        # A process that the program has forked may hold a copy of its end.
        if os.getppid() != self._pid or select.select([self.channel], [], [], wait_s)[0]:
            raise ProgramGone


def start_process(work: Work) -> tuple[int, socket.socket]:
    """Fork a process that works for this program; returns its id and our end of a channel. This process may
    have threads and a running event loop: the new one has neither."""
    ours, theirs = socket.socketpair()
    parent = os.getpid()
    # What is in their buffers now would be written twice.
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    with signals_blocked(), warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # about threads, which the child does not use
        pid = os.fork()
        if not pid:
            ours.close()
            _become_process(Program(theirs, parent), work)
    theirs.close()
    return pid, ours


def _become_process(program: Program, work: Work) -> NoReturn:
    try:
        _forget_signals()
        work(program)
    except ProgramGone:
        pass
    except BaseException as error:
        with contextlib.suppress(ProgramGone):
            program.send({"error": _explain(error)})
    finally:
        # Skip the exit handlers of the program: they must not run twice.
        os._exit(0)
    raise AssertionError


def _forget_signals() -> None:
    """Handlers of the program must not run here. Ctrl-C reaches all processes: the program handles it."""
    signal.set_wakeup_fd(-1)
    for number in _OWN_SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    for number in STOP_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


def _explain(error: BaseException) -> str:
    if isinstance(error, TenaxError):
        return str(error)
    traceback.print_exception(error)
    return f"An internal error ended the crawl ({type(error).__name__}: {error})."


def send_stored(plan: CrawlPlan, after: LogPosition | None, program: Program) -> None:
    """Send what the store holds: the changes after a position, or all items."""

    def send(connection: Connection) -> None:
        source_id = get_source_id(connection, plan.name)
        if after is None:
            program.send_items(iter_items(connection, source_id))
            return
        end, is_last = after, False
        while not is_last:
            found, end, is_last = read_changes(connection, end, source_id)
            connection.commit()
            program.send_items(found)

    read_store(plan.place, send)
    program.send({"ended": {}})


class CrawlProcess:
    """Runs a crawl and sends what it commits."""

    def __init__(
        self, plan: CrawlPlan, recrawl: Recrawl, after: LogPosition | None, program: Program
    ) -> None:
        self._place = plan.place
        self._program = program
        opened = open_crawl(plan, recrawl)
        self._source_id = opened.task.source_id
        self._position = after or read_store(plan.place, partial(_find_start, opened))
        # The store is not open now: a process that inherits an open file of SQLite may damage it.
        self._session = CrawlSession.start(opened.task, program.channel)

    def run(self) -> None:
        try:
            self._send_items()
            self._program.send(self._complete(self._session.result))
        except ProgramGone:
            self._session.stop()
        except BaseException:
            self._session.stop()
            raise

    def _complete(self, result: dict[str, Any]) -> dict[str, Any]:
        # A run that was interrupted after its last page has nothing to visit, but items.
        if result.get("is_idle") and not (result["notes"] or self._program.has_items):
            return result | {"notes": [NOTHING_NEW]}
        return result

    def _send_items(self) -> None:
        """Until the session is over and all that it has committed is sent."""
        retry_until: float | None = None
        while True:
            try:
                read_store(self._place, self._follow)
                return
            except StoreError as error:
                # The crawl waits for its store, and so do we; if the crawl has given up, only for a while.
                if not error.is_transient:
                    raise
                if self._session.is_over:
                    retry_until = retry_until or time.monotonic() + DRAIN_S
                    if time.monotonic() > retry_until:
                        raise
                self._program.check(RETRY_S)

    def _follow(self, connection: Connection) -> None:
        while not self._session.is_over:
            self._send_changes(connection)
            self._program.check(POLL_S)
        until = time.monotonic() + DRAIN_S
        self._send_changes(connection)
        while has_hidden(connection, self._position, self._source_id):
            connection.commit()
            if time.monotonic() > until:
                raise StoreError(_HIDDEN.format(seconds=DRAIN_S, cursor=self._position))
            self._program.check(POLL_S)
            self._send_changes(connection)

    def _send_changes(self, connection: Connection) -> None:
        is_last = False
        while not is_last:
            found, end, is_last = read_changes(connection, self._position, self._source_id)
            connection.commit()
            for item in found:
                self._program.send_items([item])
                self._position = item.position
            self._position = end


def _find_start(opened: OpenedCrawl, connection: Connection) -> LogPosition:
    """A run that was interrupted is told from its first item on: nobody knows how far its reader came."""
    if opened.open_run_id is None:
        return find_end(connection)
    return find_beginning(connection, opened.task.source_id, opened.open_run_id)
