"""Benchmarks refuse a machine that works for others."""

import sys
from contextlib import nullcontext
from dataclasses import replace
from importlib import import_module

import pytest

from bench.machine import Machine, count_busy_cores
from bench.quiet import require_quiet

QUIET = Machine(
    cores=2,
    processor="any",
    system="Linux",
    python="3.11",
    date="2026-01-01",
    load=7.0,  # of work that has ended
    busy_cores=0.05,
)
BUSY = replace(QUIET, load=0.0, busy_cores=1.2)

# user, nice, system, idle, iowait, irq, softirq, steal, guest, guest_nice
BEFORE = "cpu  100 0 50 1000 10 0 5 0 0 0\ncpu0 50 0 25 500 5 0 5 0 0 0\ncpu1 50 0 25 500 5 0 0 0 0 0\n"


def test_time_that_is_neither_idle_nor_waiting_for_the_disk_is_used() -> None:
    after = BEFORE.replace("cpu  100 0 50 1000 10 0 5 0 0 0", "cpu  140 0 80 1080 30 0 15 20 0 0")
    assert count_busy_cores(BEFORE, after) == pytest.approx(1.0)  # 100 of 200 ticks of two cores


def test_an_idle_machine_has_no_busy_cores() -> None:
    after = BEFORE.replace("cpu  100 0 50 1000 10 0 5 0 0 0", "cpu  100 0 50 1200 10 0 5 0 0 0")
    assert count_busy_cores(BEFORE, after) == 0


def test_a_guest_is_not_counted_twice() -> None:
    after = BEFORE.replace("cpu  100 0 50 1000 10 0 5 0 0 0", "cpu  200 0 50 1100 10 0 5 0 100 0")
    assert count_busy_cores(BEFORE, after) == pytest.approx(1.0)


def test_a_high_load_average_alone_is_no_reason_to_refuse() -> None:
    require_quiet(QUIET, is_load_allowed=False)


def test_a_busy_machine_is_refused_in_one_sentence() -> None:
    with pytest.raises(SystemExit) as refused:
        require_quiet(BUSY, is_load_allowed=False)
    assert str(refused.value) == (
        "Other processes use 1.20 of 2 cores, which would distort the figures; wait for them to end, or "
        "measure anyway with --loaded."
    )


def test_a_busy_machine_is_accepted_if_the_user_says_so() -> None:
    require_quiet(BUSY, is_load_allowed=True)


@pytest.mark.parametrize(
    "module",
    ["bench.run", "bench.guard", "bench.features", "bench.frontier.__main__", "bench.scale.__main__"],
)
def test_every_benchmark_looks_before_it_starts(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = import_module(module)
    monkeypatch.setattr(program, "describe_machine", lambda: BUSY)
    monkeypatch.setattr(program, "take_turn", nullcontext)
    monkeypatch.setattr(sys, "argv", [module])
    with pytest.raises(SystemExit, match="Other processes use"):
        program.main()
