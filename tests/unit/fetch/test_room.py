"""Who may take in more of a body, and who has to wait."""

from tenax.fetch.room import BodyRoom


class Transfer:
    """Takes in what it is given, unless it is told to wait."""

    def __init__(self, room: BodyRoom) -> None:
        self._room = room
        self.is_waiting = False
        self.held_bytes = 0

    def write(self, count: int = 10) -> bool:
        if self._room.is_full_for(self):
            self.is_waiting = True
            self._room.wait(self, self._go_on)
            return False
        self._room.held_bytes += count
        self.held_bytes += count
        return True

    def end(self) -> None:
        self._room.leave(self, self.held_bytes)
        self.held_bytes = 0
        self._room.wake()

    def _go_on(self) -> None:
        self.is_waiting = False
        self.write()


def test_while_there_is_room_nobody_waits() -> None:
    room = BodyRoom(100)
    assert all(Transfer(room).write() for _ in range(10))


def test_in_a_full_room_one_goes_on_and_the_others_wait() -> None:
    room = BodyRoom(100)
    first, second = Transfer(room), Transfer(room)
    first.write(100)
    assert second.write()
    assert not first.write()
    assert second.write()


def test_who_waits_goes_on_when_another_has_ended() -> None:
    room = BodyRoom(100)
    runner, waiting = Transfer(room), Transfer(room)
    runner.write(100)
    runner.write()
    assert not waiting.write()
    runner.end()
    assert (waiting.is_waiting, waiting.held_bytes) == (False, 10)


def test_who_has_ended_is_not_called() -> None:
    room = BodyRoom(100)
    runner, waiting = Transfer(room), Transfer(room)
    runner.write(100)
    runner.write()
    waiting.write()
    room.leave(waiting, 0)
    runner.end()
    assert waiting.is_waiting


def test_in_a_closed_room_all_wait_until_it_opens() -> None:
    room = BodyRoom(100)
    runner, other = Transfer(room), Transfer(room)
    runner.write(100)
    runner.write()
    room.is_closed = True
    assert (runner.write(), other.write()) == (False, False)
    room.wake()
    assert runner.is_waiting
    room.is_closed = False
    room.wake()
    assert (runner.is_waiting, other.is_waiting) == (False, True)


def test_in_a_full_room_nobody_goes_on_before_what_is_whole_was_handed_over() -> None:
    room = BodyRoom(100)
    waiting = Transfer(room)
    room.keep(100)
    assert not waiting.write()
    room.wake()
    assert waiting.is_waiting
    room.hand_over(100)
    room.wake()
    assert not waiting.is_waiting


def test_one_after_the_other_all_get_through() -> None:
    room = BodyRoom(15)
    transfers = [Transfer(room) for _ in range(20)]
    for transfer in transfers:
        transfer.write()
    while left := [transfer for transfer in transfers if transfer.held_bytes]:
        left[0].end()
    assert room.held_bytes == 0
    assert not any(transfer.is_waiting for transfer in transfers)
