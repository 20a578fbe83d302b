import pytest

from tenax.config.worker import WorkerSettings
from tenax.crawl.visits.unsettled import SHORT_BATCH_S, UnsettledVisits

NOW = 1_000.0
SETTINGS = WorkerSettings(batch_pages=10, batch_s=1.0)


@pytest.fixture
def backlog() -> UnsettledVisits:
    return UnsettledVisits(SETTINGS, 1_000, NOW)


def is_due(backlog: UnsettledVisits, now: float) -> bool:
    return backlog.is_due(now, backlog.due_at(None, is_busy=False))


def test_what_ended_is_due_after_the_time_of_a_batch(backlog: UnsettledVisits) -> None:
    backlog.add()
    assert not is_due(backlog, NOW + 0.9)
    assert is_due(backlog, NOW + 1.0)


@pytest.mark.parametrize(("visits", "weight"), [(10, 0), (1, 500)])
def test_a_whole_batch_is_due_at_once(backlog: UnsettledVisits, visits: int, weight: int) -> None:
    for _ in range(visits):
        backlog.add(weight)
    assert is_due(backlog, NOW)


def test_an_urgent_backlog_is_due_even_without_visits(backlog: UnsettledVisits) -> None:
    assert not is_due(backlog, NOW)
    backlog.is_urgent = True
    assert not backlog.is_empty
    assert is_due(backlog, NOW)


def test_a_domain_that_needs_it_makes_it_due_earlier(backlog: UnsettledVisits) -> None:
    assert backlog.due_at(NOW + 0.01, is_busy=False) == NOW + 0.01
    assert backlog.due_at(NOW + 0.01, is_busy=True) == NOW + SHORT_BATCH_S
    assert backlog.due_at(NOW + 9, is_busy=False) == NOW + 1.0


def test_what_is_being_settled_weighs_until_it_is_durable(backlog: UnsettledVisits) -> None:
    backlog.add(700, is_page=True)
    backlog.begin_settling(NOW)
    backlog.add(400, is_page=True)
    assert (backlog.possible_pages, backlog.bytes, backlog.is_heavy) == (2, 1_100, True)
    backlog.end_settling(NOW + 1)
    assert (backlog.possible_pages, backlog.bytes, backlog.is_heavy) == (1, 400, False)
    assert backlog.due_at(None, is_busy=False) == NOW + 2


def test_documents_that_wait_leave_half_of_the_room() -> None:
    backlog = UnsettledVisits(SETTINGS, 10_000_000, NOW)
    assert [backlog.keep(2_000_000) for _ in range(3)] == [True, True, False]
    assert (backlog.is_empty, backlog.is_heavy) == (True, False)
    backlog.add(6_000_000)
    assert (backlog.is_empty, backlog.is_heavy) == (False, True)
    backlog.let_go(2_000_000)
    assert backlog.keep(2_000_000)


def test_there_is_room_for_one_document_that_waits_however_large() -> None:
    backlog = UnsettledVisits(SETTINGS, 1_000, NOW)
    assert backlog.keep(5_000_000)
    assert not backlog.keep(0)
    backlog.let_go(5_000_000)
    assert backlog.bytes == 0


def test_the_store_may_be_behind_by_two_batches(backlog: UnsettledVisits) -> None:
    for _ in range(19):
        backlog.add()
    assert not backlog.is_too_long
    backlog.add()
    assert backlog.is_too_long
