"""When a machine that waits for work joins a run."""

import os
import signal
from pathlib import Path

import pytest

from tenax.config.crawl import LimitSettings
from tenax.config.settings import Settings
from tenax.records.runs import RunState
from tenax.stores.contracts.runs import LastRun, Run
from tenax.stores.place import Place
from tenax.workers import run_finder
from tenax.workers.process import ORPHANED, signals_blocked
from tenax.workers.run_finder import RunFinder, may_join


class IdleHost:
    has_room = True

    def find_active(self) -> set[int]:
        return set()

    def notify(self, message: str) -> None: ...

    def quit(self) -> None:
        pytest.fail("one signal does not make it quit")


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


def test_an_active_run_is_joined() -> None:
    assert may_join(make_last(), exhausted=())
    assert may_join(make_last(), exhausted={2})


def test_a_run_whose_workers_are_gone_is_joined() -> None:
    assert may_join(make_last(live=0), exhausted=())


def test_a_run_that_has_ended_is_not_joined() -> None:
    assert not may_join(make_last(state=RunState.STOPPED, live=0, can_claim=True), exhausted=())


def test_an_exhausted_run_is_left_to_its_workers() -> None:
    assert not may_join(make_last(), exhausted={3})


def test_an_exhausted_run_is_joined_again_when_a_domain_is_free() -> None:
    assert may_join(make_last(can_claim=True), exhausted={3})


def test_an_exhausted_run_without_workers_is_joined_to_close_it() -> None:
    assert may_join(make_last(live=0), exhausted={3})


def test_a_run_that_has_all_its_pages_is_left_alone() -> None:
    assert not may_join(make_last(can_claim=True, max_pages=10, pages=10), exhausted={3})
    assert may_join(make_last(can_claim=True, max_pages=10, pages=9), exhausted={3})


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, ORPHANED])
def test_a_signal_that_arrives_while_a_run_is_found_is_handled(
    number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def find_run(place: Place) -> list[LastRun]:
        os.kill(os.getpid(), number)
        return [make_last()]

    monkeypatch.setattr(run_finder, "list_open_runs", find_run)
    finder = RunFinder(Place(folder=Path(), url=None), IdleHost(), until_idle=False)
    with signals_blocked():
        assert finder.find() is None
    assert finder.is_stopped
