"""Timers are put around the functions of a worker, and taken away again."""

import inspect
from typing import Any

import pytest

from tenax.crawl.worker.loop import Worker
from tenax.runtime.profiled import COROUTINES, OPERATIONS, STAGES, measuring


def read_functions() -> list[Any]:
    places = [(owner, name) for owner, name, _ in (*STAGES, *COROUTINES, *OPERATIONS)]
    return [getattr(owner, name) for owner, name in [*places, (Worker, "run")]]


def test_nothing_changes_if_no_profile_is_wanted() -> None:
    before = read_functions()
    with measuring(is_wanted=False) as profiler:
        assert profiler is None
        assert read_functions() == before


def test_every_function_has_a_timer_until_the_end() -> None:
    before = read_functions()
    with measuring(is_wanted=True):
        assert not set(read_functions()) & set(before)
    assert read_functions() == before


def test_the_timers_go_away_after_an_exception() -> None:
    before = read_functions()
    with pytest.raises(KeyboardInterrupt), measuring(is_wanted=True):
        raise KeyboardInterrupt
    assert read_functions() == before


@pytest.mark.parametrize(("owner", "name"), [place[:2] for place in (*STAGES, *OPERATIONS)])
def test_a_stage_does_not_wait(owner: Any, name: str) -> None:
    assert inspect.isfunction(getattr(owner, name))
    assert not inspect.iscoroutinefunction(getattr(owner, name))


@pytest.mark.parametrize(("owner", "name"), [place[:2] for place in COROUTINES])
def test_a_coroutine_may_wait(owner: Any, name: str) -> None:
    assert inspect.iscoroutinefunction(getattr(owner, name))


def test_a_function_has_one_timer() -> None:
    places = [(owner, name) for owner, name, _ in (*STAGES, *COROUTINES, *OPERATIONS)]
    assert len(set(places)) == len(places)
