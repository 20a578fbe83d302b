"""The parser host: a process that is forked by a worker before its event loop starts, so that it has one
thread. It loads the parsers once, then forks readers for its worker, ends them and reports their exit codes.

    host     its cards, or why the parsers cannot be used
    worker   fork a reader (with its end of a channel) | end a reader
    host     forked | failed | exited
"""

import contextlib
import ctypes
import gc
import os
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NoReturn, Self

import orjson

from tenax.config.settings import Settings
from tenax.crawl.reading.parser_process import PR_SET_CHILD_SUBREAPER, ParserTools, run_reader
from tenax.errors import ConfigError, TenaxError
from tenax.items.faults import describe_exception
from tenax.items.page import parse_page
from tenax.items.parser import Parser, ParserCard, check_parsers
from tenax.items.running import prepare_parsers
from tenax.parent_death import outlive_parent, signal_on_death_of

START_S: Final = 60.0  # to load the parsers
CLOSE_S: Final = 4.0
POLL_S: Final = 0.01
FORK, END = b"F", b"E"
COMMAND: Final = struct.Struct("<cq")  # what to do, and a ticket or the id of a process
_HELD_BACK: Final = (signal.SIGINT, signal.SIGTERM)
_MAX_LINE: Final = 10_000_000  # the cards of a hundred parsers

Load = Callable[[], Sequence[Parser]]


class ParserHost:
    """The host as its worker sees it."""

    def __init__(self, pid: int, control: socket.socket, cards: tuple[ParserCard, ...], rest: bytes) -> None:
        self.pid = pid
        self.cards = cards
        self.control = control
        self.received = rest

    @classmethod
    def start(cls, load: Load, settings: Settings, inherited: Iterable[socket.socket] = ()) -> Self:
        """Fork it and wait until it has loaded the parsers. Call this before there is an event loop or a
        thread. `inherited`: sockets of this process that must close with it. Raises ConfigError in one
        sentence if the parsers cannot be used."""
        ours, theirs = socket.socketpair()
        parent = os.getpid()
        with _signals_held_back():
            pid = os.fork()
            if not pid:
                _become_host(parent, theirs, [ours, *inherited], load, settings)
        theirs.close()
        try:
            line, rest = _receive_line(ours)
            return cls(pid, ours, _read_cards(line), rest)
        except BaseException:
            ours.close()
            end_process(pid)
            raise

    @property
    def versions(self) -> dict[str, str]:
        """Of the parsers by name, without candidates."""
        return {card.name: card.version for card in self.cards if card.trial_of is None}

    def fork(self, ticket: int, channel: socket.socket) -> None:
        """Raises OSError: the host is gone or does not listen."""
        socket.send_fds(self.control, [COMMAND.pack(FORK, ticket)], [channel.fileno()])

    def end_reader(self, pid: int) -> None:
        with contextlib.suppress(OSError):
            self.control.send(COMMAND.pack(END, pid))

    def receive(self) -> list[dict[str, Any]] | None:
        """What it has reported since; None: it is gone. The control socket must not block."""
        try:
            data = self.control.recv(1 << 16)
        except BlockingIOError:
            return []
        except OSError:
            data = b""
        *lines, self.received = (self.received + data).split(b"\n")
        return [orjson.loads(line) for line in lines] if data or lines else None

    def close(self) -> None:
        """End it and its readers. Safe to call twice."""
        self.control.close()
        end_process(self.pid, CLOSE_S)


def end_process(pid: int, wait_s: float = 0.0) -> None:
    """`wait_s`: how long it may take to end by itself."""
    with contextlib.suppress(ProcessLookupError, ChildProcessError):
        deadline = time.monotonic() + wait_s
        while time.monotonic() < deadline:
            if os.waitpid(pid, os.WNOHANG)[0]:
                return
            time.sleep(POLL_S)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _receive_line(control: socket.socket) -> tuple[bytes, bytes]:
    control.settimeout(START_S)
    received = b""
    try:
        while b"\n" not in received and len(received) < _MAX_LINE:
            data = control.recv(1 << 16)
            if not data:
                raise ConfigError("The parsers ended their process while they were loaded.")
            received += data
    except TimeoutError:
        raise ConfigError(f"The parsers took longer than {START_S:g} s to load.") from None
    control.setblocking(False)
    line, _, rest = received.partition(b"\n")
    return line, rest


def _read_cards(line: bytes) -> tuple[ParserCard, ...]:
    said = orjson.loads(line)
    if "error" in said:
        raise ConfigError(said["error"])
    return tuple(
        ParserCard(
            name=card["name"],
            version=card["version"],
            patterns=None if card["patterns"] is None else tuple(card["patterns"]),
            kind=card["kind"],
            trial_of=card["trial_of"],
            share=card["share"],
            is_last_resort=card["is_last_resort"],
        )
        for card in said["cards"]
    )


# --- in the host ---------------------------------------------------------------------------------


def _become_host(
    parent: int, control: socket.socket, others: Iterable[socket.socket], load: Load, settings: Settings
) -> NoReturn:
    try:
        for other in others:
            other.close()
        signal.set_wakeup_fd(-1)
        # Ctrl-C reaches the whole process group, and a page has to be read while its worker saves everything.
        for number in _HELD_BACK:
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _HELD_BACK)
        if signal_on_death_of(parent, signal.SIGKILL):
            tools = _load(control, load, settings)
            # From here on the end of the control socket says that the worker is gone: that leaves time to end
            # what parsers have started.
            outlive_parent()
            _Host(control, tools).run()
    finally:
        # Skip the exit handlers of the worker: they must not run twice.
        os._exit(0)
    raise AssertionError


def _load(control: socket.socket, load: Load, settings: Settings) -> ParserTools:
    try:
        parsers = load()
        check_parsers(parsers)
        tools = ParserTools.build(settings, prepare_parsers(parsers))
        cards = [ParserCard.build(parser) for parser in parsers]
    except TenaxError as error:
        _send(control, {"error": str(error)})
        os._exit(0)
    except BaseException as error:
        # It is the code of a user that is loaded: whatever it raises is told, and ends nothing else.
        _send(control, {"error": _explain(error)})
        os._exit(0)
    _warm_up()
    _send(control, {"cards": cards})
    return tools


def _explain(error: BaseException) -> str:
    logged = describe_exception(error, "")
    *_, place, _ = ["", *(line.strip() for line in (logged.stack or "").splitlines() if "File" in line), ""]
    where = f" ({place})" if place else ""
    return f"The parsers cannot be loaded: {logged.type}: {logged.message}{where}"


def _warm_up() -> None:
    """What each reader would do on its first page is done once, here."""
    page = parse_page(b"<!doctype html><title>T</title><p class=a>x", url="http://localhost/")
    page.css("p.a")
    gc.collect()
    gc.freeze()


def _send(control: socket.socket, message: dict[str, Any]) -> None:
    with contextlib.suppress(OSError):
        control.sendall(orjson.dumps(message) + b"\n")


class _Host:
    """Its loop: commands of the worker, and deaths of readers."""

    def __init__(self, control: socket.socket, tools: ParserTools) -> None:
        self._control = control
        self._control.setblocking(True)
        self._tools = tools
        self._readers = set[int]()

    def run(self) -> None:
        wakeup, sender = socket.socketpair()
        wakeup.setblocking(False)
        sender.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.set_wakeup_fd(sender.fileno(), warn_on_full_buffer=False)
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
        while True:
            ready, _, _ = select.select([self._control, wakeup], [], [])
            if wakeup in ready:
                wakeup.recv(4096)
                self._reap()
            if self._control in ready and not self._obey([wakeup, sender]):
                break
        self._end_all()

    def _end_all(self) -> None:
        for pid in self._readers:
            kill_with_group(pid)
        self._readers.clear()
        deadline = time.monotonic() + CLOSE_S / 2
        with contextlib.suppress(ChildProcessError):
            while time.monotonic() < deadline:
                self._end_orphans()
                if not os.waitpid(-1, os.WNOHANG)[0]:
                    time.sleep(POLL_S)

    def _obey(self, own: list[socket.socket]) -> bool:
        """Follow one command. False: the worker is gone."""
        data, files, _, _ = socket.recv_fds(self._control, COMMAND.size, 1)
        while data and len(data) < COMMAND.size:
            data += self._control.recv(COMMAND.size - len(data))
        if len(data) < COMMAND.size:
            return False
        command, number = COMMAND.unpack(data)
        if command == FORK:
            with socket.socket(fileno=files[0]) as channel:
                self._fork(number, channel, own)
        elif number in self._readers:
            kill_with_group(number)
        return True

    def _fork(self, ticket: int, channel: socket.socket, own: list[socket.socket]) -> None:
        host = os.getpid()
        try:
            pid = os.fork()
        except OSError as error:
            _send(self._control, {"failed": ticket, "errno": error.errno})
            return
        if not pid:
            _become_reader(host, channel, [self._control, *own], self._tools)
        with contextlib.suppress(OSError):
            os.setpgid(pid, pid)
        self._readers.add(pid)
        _send(self._control, {"forked": ticket, "pid": pid})

    def _reap(self) -> None:
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                pid, status = ended
                if pid in self._readers:
                    self._readers.discard(pid)
                    _kill_group(pid)  # what it has left behind
                    _send(self._control, {"exited": pid, "code": os.waitstatus_to_exitcode(status)})
        self._end_orphans()

    def _end_orphans(self) -> None:
        """Processes that parsers left behind became children of this one."""
        for pid in find_children():
            if pid not in self._readers:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def kill_with_group(reader: int) -> None:
    """With all that it has started."""
    _kill_group(reader)
    with contextlib.suppress(ProcessLookupError):
        os.kill(reader, signal.SIGKILL)


def _kill_group(reader: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(reader, signal.SIGKILL)


def find_children() -> Iterator[int]:
    """Of this process; none where the system does not say."""
    with contextlib.suppress(OSError):
        yield from map(int, Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())


def _become_reader(
    host: int, channel: socket.socket, others: Iterable[socket.socket], tools: ParserTools
) -> NoReturn:
    code = 1
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for other in others:
            other.close()
        os.setpgid(0, 0)
        if signal_on_death_of(host, signal.SIGKILL):
            run_reader(channel, tools)
        code = 0
    finally:
        os._exit(code)
    raise AssertionError


@contextlib.contextmanager
def _signals_held_back() -> Iterator[None]:
    earlier = signal.pthread_sigmask(signal.SIG_BLOCK, _HELD_BACK)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, earlier)
