"""Which transfers may receive more of a body, and which have to wait."""

from tenax.fetch.body_budget import BodyBudget


class Transfer:
    """Receives what it is given unless it has to wait."""

    def __init__(self, budget: BodyBudget) -> None:
        self._budget = budget
        self.is_waiting = False
        self.held_bytes = 0

    def write(self, count: int = 10) -> bool:
        if self._budget.must_wait(self):
            self.is_waiting = True
            self._budget.wait(self, self._resume)
            return False
        self._budget.held_bytes += count
        self.held_bytes += count
        return True

    def end(self) -> None:
        self._budget.leave(self, self.held_bytes)
        self.held_bytes = 0
        self._budget.wake()

    def _resume(self) -> None:
        self.is_waiting = False
        self.write()


def test_within_the_budget_no_transfer_waits() -> None:
    budget = BodyBudget(100)
    assert all(Transfer(budget).write() for _ in range(10))


def test_beyond_the_budget_one_transfer_continues_and_the_others_wait() -> None:
    budget = BodyBudget(100)
    first, second = Transfer(budget), Transfer(budget)
    first.write(100)
    assert second.write()
    assert not first.write()
    assert second.write()


def test_a_waiting_transfer_continues_when_another_has_ended() -> None:
    budget = BodyBudget(100)
    runner, waiting = Transfer(budget), Transfer(budget)
    runner.write(100)
    runner.write()
    assert not waiting.write()
    runner.end()
    assert (waiting.is_waiting, waiting.held_bytes) == (False, 10)


def test_a_transfer_that_has_ended_is_not_resumed() -> None:
    budget = BodyBudget(100)
    runner, waiting = Transfer(budget), Transfer(budget)
    runner.write(100)
    runner.write()
    waiting.write()
    budget.leave(waiting, 0)
    runner.end()
    assert waiting.is_waiting


def test_while_the_budget_is_closed_all_transfers_wait() -> None:
    budget = BodyBudget(100)
    runner, other = Transfer(budget), Transfer(budget)
    runner.write(100)
    runner.write()
    budget.is_closed = True
    assert (runner.write(), other.write()) == (False, False)
    budget.wake()
    assert runner.is_waiting
    budget.is_closed = False
    budget.wake()
    assert (runner.is_waiting, other.is_waiting) == (False, True)


def test_beyond_the_budget_no_transfer_continues_before_complete_bodies_are_delivered() -> None:
    budget = BodyBudget(100)
    waiting = Transfer(budget)
    budget.keep(100)
    assert not waiting.write()
    budget.wake()
    assert waiting.is_waiting
    budget.hand_over(100)
    budget.wake()
    assert not waiting.is_waiting


def test_all_transfers_complete_one_after_the_other() -> None:
    budget = BodyBudget(15)
    transfers = [Transfer(budget) for _ in range(20)]
    for transfer in transfers:
        transfer.write()
    while left := [transfer for transfer in transfers if transfer.held_bytes]:
        left[0].end()
    assert budget.held_bytes == 0
    assert not any(transfer.is_waiting for transfer in transfers)
