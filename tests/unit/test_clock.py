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
    assert clock.now() == 1_005


def test_set_back_it_goes_on_at_its_pace(machine: Machine, clock: SystemClock) -> None:
    machine.pass_time(5)
    machine.wall -= 3_600
    assert clock.now() == 1_005
    machine.pass_time(5)
    assert clock.now() == 1_010


def test_set_forward_it_follows_and_does_not_return(machine: Machine, clock: SystemClock) -> None:
    machine.wall += 3_600
    assert clock.now() == 4_600
    machine.wall -= 3_600
    machine.pass_time(1)
    assert clock.now() == 4_601


def test_set_back_and_right_again_it_is_right(machine: Machine, clock: SystemClock) -> None:
    machine.wall -= 60
    machine.pass_time(1)
    clock.now()
    machine.wall += 60
    assert clock.now() == 1_001
