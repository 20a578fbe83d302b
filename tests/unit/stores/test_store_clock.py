"""The clock of a store: for one machine, and for several that share a database."""

from dataclasses import dataclass, field

import pytest

from tenax.stores.clock import NOTE_EVERY_S, Calendar, StoreClock, begin
from tenax.stores.postgres.connection.clock import SILENT_S, ClockReading, ClockRow, DatabaseClock
from tests.support.clock import START, FakeClock

HOUR_S = 3_600.0


# --- on one machine ------------------------------------------------------------------------------


def test_a_new_store_goes_by_the_calendar_and_makes_nobody_wait() -> None:
    anchor = begin(wall=START, uptime=5.0, seen_at=None)
    assert (anchor.offset_s, anchor.since) == (START - 5, 0.0)


def test_after_a_start_of_the_machine_the_calendar_says_how_long_it_was_off() -> None:
    anchor = begin(wall=START + HOUR_S, uptime=5.0, seen_at=START)
    assert (anchor.offset_s + 5, anchor.since) == (START + HOUR_S, START + HOUR_S)


def test_a_calendar_that_went_back_does_not_set_the_clock_back() -> None:
    """What was written after the last note may be later than it."""
    anchor = begin(wall=START - HOUR_S, uptime=5.0, seen_at=START)
    assert anchor.since == anchor.offset_s + 5 == START + NOTE_EVERY_S


def test_a_calendar_that_was_wrong_by_decades_is_followed_at_the_next_start() -> None:
    """Rests that were planned in 1970 are over then; they do not last for 56 years."""
    assert begin(wall=START, uptime=5.0, seen_at=100.0).since == START


def test_a_calendar_that_is_set_changes_what_people_read_and_nothing_else() -> None:
    machine = FakeClock()
    clock = StoreClock(machine)
    machine.set_calendar(HOUR_S)
    machine.advance(5)
    assert (clock.now(), clock.wall(), clock.drift_s) == (START + 5, START + HOUR_S + 5, HOUR_S)
    assert Calendar(clock).now() == START + HOUR_S + 5


def test_a_part_of_a_second_is_no_difference() -> None:
    machine = FakeClock()
    clock = StoreClock(machine)
    machine.set_calendar(0.9)
    assert clock.wall() == clock.now()


# --- on several machines -------------------------------------------------------------------------


@dataclass
class Server:
    """A database as its clock is seen: a calendar, and a row that all agree on."""

    clock: FakeClock = field(default_factory=FakeClock)
    row: ClockRow | None = None
    others: bool = True
    boots: dict[str, ClockRow] = field(default_factory=dict)

    def tell(self, machine: FakeClock, process: DatabaseClock) -> None:
        """The process looks."""
        look = ClockReading(
            wall=self.clock.wall(),
            uptime=machine.uptime(),
            trip_s=0.0,
            server=self.row,
            others=self.others,
            heartbeat_at=None,
        )
        self.row = process.apply(look, self.boots.get(machine.boot))
        assert process._known is not None
        self.boots[machine.boot] = process._known


@pytest.fixture
def server() -> Server:
    return Server()


class Machine(FakeClock):
    """With an uptime and a calendar of its own, both far from the server's."""

    def __init__(self, boot: str, server: Server) -> None:
        super().__init__(now=77.0)
        self.boot = boot
        self.server = server

    def start(self) -> DatabaseClock:
        process = DatabaseClock(self)
        self.server.tell(self, process)
        return process

    def look(self, process: DatabaseClock) -> None:
        self.server.tell(self, process)


def pass_time(seconds: float, *clocks: FakeClock) -> None:
    for clock in clocks:
        clock.advance(seconds)


def test_workers_go_by_the_servers_clock(server: Server) -> None:
    one, two = Machine("one", server), Machine("two", server)
    first, second = one.start(), two.start()
    assert first.now() == second.now() == START


@pytest.mark.parametrize("by_s", [HOUR_S, -HOUR_S])
def test_a_server_whose_calendar_is_set_is_overruled(server: Server, by_s: float) -> None:
    one, two = Machine("one", server), Machine("two", server)
    first, second = one.start(), two.start()
    server.clock.set_calendar(by_s)
    pass_time(5, server.clock, one, two)
    one.look(first)
    two.look(second)
    assert first.now() == second.now() == START + 5
    assert first.wall() == second.wall() == START + 5 + by_s
    late = Machine("three", server)
    assert late.start().now() == pytest.approx(START + 5)


@pytest.mark.parametrize("by_s", [HOUR_S, -HOUR_S])
def test_the_next_process_on_a_machine_knows_what_the_last_one_knew(server: Server, by_s: float) -> None:
    server.others = False
    one = Machine("one", server)
    one.start()
    server.clock.set_calendar(by_s)
    pass_time(60, server.clock, one)
    heir = one.start()
    assert heir.now() == START + 60
    assert not heir.is_in_doubt


def test_a_machine_that_stood_still_follows_those_that_did_not(server: Server) -> None:
    """Its uptime does not count while it is moved from one host to another."""
    one, two = Machine("one", server), Machine("two", server)
    first, second = one.start(), two.start()
    for _ in range(6):
        pass_time(10, server.clock, two)
        two.look(second)
    pass_time(5, server.clock, one, two)
    one.look(first)
    two.look(second)
    assert first.now() == second.now() == START + 65


def test_two_machines_that_drift_apart_come_nearer_again_slowly(server: Server) -> None:
    one = Machine("one", server)
    first = one.start()
    pass_time(10, server.clock)
    pass_time(9.9, one)
    before = first.now()
    one.look(first)
    assert before < first.now() < before + 0.011


def test_a_machine_that_was_started_again_goes_by_the_calendar_if_nobody_is_at_work(server: Server) -> None:
    server.others = False
    Machine("one", server).start()
    pass_time(HOUR_S, server.clock)
    clock = Machine("one, later", server).start()
    assert clock.now() == clock.since == START + HOUR_S


def test_a_new_machine_waits_for_those_at_work_if_none_has_looked_lately(server: Server) -> None:
    """Perhaps the calendar was set a moment ago, and their leases only seem to have ended."""
    one, new = Machine("one", server), Machine("new", server)
    first = one.start()
    pass_time(5, server.clock, one, new)
    server.clock.set_calendar(HOUR_S)
    second = new.start()
    assert second.is_in_doubt
    one.look(first)
    pass_time(SILENT_S / 3, server.clock, one, new)
    new.look(second)
    assert second.now() == pytest.approx(first.now())
    pass_time(SILENT_S, server.clock, one, new)
    assert not second.is_in_doubt


def test_a_new_machine_beside_others_at_work_starts_at_once(server: Server) -> None:
    one, new = Machine("one", server), Machine("new", server)
    first = one.start()
    pass_time(NOTE_EVERY_S, server.clock, one, new)
    one.look(first)
    assert not new.start().is_in_doubt
