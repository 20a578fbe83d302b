"""The process behind a crawler, and what it does when its program leaves."""

import contextlib
import os
import signal
import socket

import pytest

from tenax.crawler.messages import STOP, receive_message
from tenax.crawler.process import Program, ProgramGone, start_process
from tenax.errors import ConfigError


def wait_for(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def test_a_process_works_and_ends() -> None:
    pid, channel = start_process(lambda program: program.send({"pid": os.getpid()}))
    with channel:
        assert receive_message(channel) == {"pid": pid}
        assert receive_message(channel) is None
    assert wait_for(pid) == 0


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (ConfigError("The setting is wrong."), "The setting is wrong."),
        (ValueError("x"), "An internal error ended the crawl (ValueError: x)."),
        (SystemExit(3), "An internal error ended the crawl (SystemExit: 3)."),
    ],
)
def test_its_error_is_told(error: BaseException, sentence: str, capfd: pytest.CaptureFixture[str]) -> None:
    def fail(program: Program) -> None:
        raise error

    pid, channel = start_process(fail)
    with channel:
        assert receive_message(channel) == {"error": sentence}
    assert wait_for(pid) == 0


def send_forever(program: Program) -> None:
    while True:
        program.send({"item": "x" * 10_000})


def test_a_program_that_stops_is_told_no_more() -> None:
    pid, channel = start_process(send_forever)
    with channel:
        assert receive_message(channel) is not None
        channel.send(STOP)
        # It ends without reading what we sent.
        with contextlib.suppress(ConnectionResetError):
            while channel.recv(1 << 16):
                pass
    assert wait_for(pid) == 0


def test_a_program_that_closes_its_end_is_gone() -> None:
    pid, channel = start_process(send_forever)
    channel.close()
    assert wait_for(pid) == 0


def test_a_process_without_its_program_does_not_wait() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        stranger = Program(theirs, os.getpid())  # the parent of this process is another one
        with pytest.raises(ProgramGone):
            stranger.check()


def test_handlers_of_signals_are_not_inherited() -> None:
    def report(program: Program) -> None:
        program.send({"default": signal.getsignal(signal.SIGUSR1) is signal.SIG_DFL})

    earlier = signal.signal(signal.SIGUSR1, lambda number, frame: None)
    try:
        pid, channel = start_process(report)
    finally:
        signal.signal(signal.SIGUSR1, earlier)
    with channel:
        assert receive_message(channel) == {"default": True}
    assert wait_for(pid) == 0
