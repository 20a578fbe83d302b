"""When there is something to do in a run for a machine that waits."""

import os
import signal
from pathlib import Path

import pytest

from tenax.config import LimitSettings, Settings
from tenax.records import RunState
from tenax.stores.contracts.runs import LastRun, Run
from tenax.stores.place import Place
from tenax.workers import run_finder as waiting
from tenax.workers.process import ORPHANED, signals_held_back
from tenax.workers.run_finder import RunFinder, may_join


def make_last(
    *,
    state: RunState = RunState.RUNNING,
    pages: int = 0,
    live: int = 1,
    can_claim: bool = False,
    max_pages: int | None = None,
) -> LastRun:
    return LastRun(
        run=Run(id=3, state=state, started_at=0.0, pages=pages, is_resumed=True),
        settings_json=Settings(limits=LimitSettings(max_pages=max_pages)).model_dump_json(),
        live_workers=live,
        can_claim=can_claim,
        is_sources=False,
    )


def test_a_run_under_way_is_joined() -> None:
    assert may_join(make_last(), left=())
    assert may_join(make_last(), left={2})


def test_a_run_whose_workers_are_gone_is_joined() -> None:
    assert may_join(make_last(live=0), left=())


def test_a_run_that_is_over_is_not() -> None:
    assert not may_join(make_last(state=RunState.STOPPED, live=0, can_claim=True), left=())


def test_a_run_that_was_left_is_left_to_those_who_are_at_it() -> None:
    assert not may_join(make_last(), left={3})


def test_a_run_that_was_left_is_joined_again_when_a_domain_is_free() -> None:
    assert may_join(make_last(can_claim=True), left={3})


def test_a_run_that_was_left_is_closed_when_nobody_is_at_it() -> None:
    assert may_join(make_last(live=0), left={3})


def test_a_run_that_has_all_its_pages_is_left_alone() -> None:
    assert not may_join(make_last(can_claim=True, max_pages=10, pages=10), left={3})
    assert may_join(make_last(can_claim=True, max_pages=10, pages=9), left={3})


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, ORPHANED])
def test_a_signal_that_comes_while_a_run_is_found_is_heard(
    number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def find_run(place: Place) -> list[LastRun]:
        os.kill(os.getpid(), number)
        return [make_last()]

    monkeypatch.setattr(waiting, "list_open_runs", find_run)
    looking = RunFinder(
        Place(folder=Path(), url=None),
        until_idle=False,
        say=lambda sentence: None,
        leave_at_once=lambda: pytest.fail("it was told once"),
        find_busy=set,
        has_room=lambda: True,
    )
    with signals_held_back():
        assert looking.find() is None
    assert looking.is_stopped
