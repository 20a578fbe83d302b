from dataclasses import dataclass

import pytest

from tenax.clock import SystemClock


@dataclass
class Machine:
    wall: float = 1_000.0
    uptime: float = 50.0

    def pass_time(self, seconds: float) -> None:
        self.wall += seconds
        self.uptime += seconds


@pytest.fixture
def machine() -> Machine:
    return Machine()


@pytest.fixture
def clock(machine: Machine) -> SystemClock:
    return SystemClock(lambda: machine.wall, lambda: machine.uptime)


def test_it_says_what_the_machine_says(machine: Machine, clock: SystemClock) -> None:
    assert clock.now() == 1_000
    machine.pass_time(5)
    assert (clock.now(), clock.wall()) == (1_005, 1_005)


@pytest.mark.parametrize("by_s", [3_600, -3_600])
def test_setting_the_machines_clock_does_not_affect_it(
    machine: Machine, clock: SystemClock, by_s: float
) -> None:
    machine.pass_time(5)
    machine.wall += by_s
    assert clock.now() == 1_005
    machine.pass_time(5)
    assert (clock.now(), clock.wall()) == (1_010, 1_010 + by_s)


def test_the_boot_id_is_the_same_until_the_next_boot() -> None:
    assert SystemClock().boot == SystemClock().boot != ""
