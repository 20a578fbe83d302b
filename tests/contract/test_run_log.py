"""The log of a run: everything once, in parts that can be resumed, from the store alone."""

from functools import partial

import pytest

from tenax.errors import UsageError
from tenax.records.domains import RobotsRecord
from tenax.records.requests import FailureKind
from tenax.records.runs import RunState
from tenax.stores.access import Access
from tenax.stores.contracts.batches import RobotsVisit
from tenax.stores.contracts.workers import DeadWorker
from tenax.stores.queries.run_log.lines import LogKind, LogLine
from tenax.stores.queries.run_log.log import HOLD_BACK_S, LogPart, find_late_start, iter_run_log, load_run_log
from tenax.stores.queries.run_log.tail import MISSED_S
from tests.support.clock import FakeClock
from tests.support.store import StoreUnderTest, StoreWorker, make_failed, make_fetched

A, B = "https://a.example/", "https://b.example/"


class Reader:
    """Somebody who follows the log."""

    def __init__(self, access: Access, clock: FakeClock, run_id: int, limit: int = 100) -> None:
        self._access = access
        self._clock = clock
        self._run_id = run_id
        self._limit = limit
        self.position: str | None = None

    async def read(self) -> LogPart:
        part = await self._access.read(
            lambda connection: load_run_log(
                connection, self._run_id, after=self.position, limit=self._limit, now=self._clock.now()
            )
        )
        assert part is not None
        self.position = part.position
        return part

    async def read_all(self) -> list[LogLine]:
        lines: list[LogLine] = []
        while True:
            part = await self.read()
            lines += part.lines
            if part.is_last:
                return lines


def list_visits(lines: list[LogLine]) -> list[str | None]:
    return [line.url for line in lines if line.kind is LogKind.VISIT]


async def crawl(worker: StoreWorker, clock: FakeClock, *urls: str) -> None:
    await worker.add(*urls)
    for lease in await worker.claim():
        while (await worker.head(lease)).targets:
            clock.advance(1)
            await worker.visit_next(lease, make_fetched())
        await worker.release(lease)


async def end(worker: StoreWorker, clock: FakeClock) -> None:
    await worker.runs.end_run(worker.run_id, RunState.DONE, worker.id)
    clock.advance(HOLD_BACK_S)


async def test_a_run_is_logged_from_its_start_to_its_end(
    worker: StoreWorker, access: Access, clock: FakeClock
) -> None:
    started_at = clock.now()
    await crawl(worker, clock, A)
    ended_at = clock.advance(1)
    await end(worker, clock)
    lines = await Reader(access, clock, worker.run_id).read_all()
    told = [(line.kind, line.event) for line in lines]
    assert told == [
        ("run", "started"),
        ("worker", "joined"),
        ("visit", "fetched"),
        ("domain", "exhausted"),
        ("run", "done"),
        ("worker", "left"),
    ]
    assert (lines[0].at, lines[-1].at) == (started_at, ended_at)
    visit = lines[2]
    assert (visit.url, visit.domain, visit.status, visit.wire_bytes) == (A, "a.example", 200, 100)
    assert (visit.duration_ms, visit.worker, visit.detail) == (250, worker.id, None)


async def test_failures_say_why_and_robots_whose(
    worker: StoreWorker, access: Access, clock: FakeClock
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    record = RobotsRecord(origin=A[:-1], status=200, body=b"", fetched_at=clock.now(), expires_at=1e10)
    robots = RobotsVisit(record=record, at=clock.now(), duration_s=0.1, wire_bytes=80, status=200, error=None)
    await worker.settle_robots(lease, robots)
    await worker.visit_next(lease, make_failed(kind=FailureKind.TIMEOUT))
    lines = await Reader(access, clock, worker.run_id).read_all()
    first, second = (line for line in lines if line.kind is LogKind.VISIT)
    assert (first.event, first.url, first.domain) == ("robots", None, "a.example")
    assert (second.event, second.detail) == ("failed", "timeout: the server answered 500")


async def test_a_worker_that_died_is_distinguished_from_one_that_left(
    worker: StoreWorker, access: Access, clock: FakeClock
) -> None:
    await worker.runs.end_dead_workers([DeadWorker(uuid=worker.uuid, last_alive_at=0.0, reading_url_id=None)])
    clock.advance(HOLD_BACK_S)
    lines = await Reader(access, clock, worker.run_id).read_all()
    assert [line.event for line in lines if line.kind is LogKind.WORKER] == ["joined", "died"]


@pytest.mark.parametrize("limit", [1, 2, 3, 7])
async def test_parts_of_any_size_show_everything_once(
    worker: StoreWorker, access: Access, clock: FakeClock, limit: int
) -> None:
    await crawl(worker, clock, *(f"{A}{number}" for number in range(9)), B)
    await end(worker, clock)
    whole = await Reader(access, clock, worker.run_id).read_all()
    parts = await Reader(access, clock, worker.run_id, limit).read_all()
    assert len(whole) == 10 + 2 + 4
    key = repr
    assert sorted(parts, key=key) == sorted(whole, key=key)


async def test_a_reader_that_returns_continues_where_it_was(
    worker: StoreWorker, access: Access, clock: FakeClock
) -> None:
    reader = Reader(access, clock, worker.run_id)
    await crawl(worker, clock, A)
    assert list_visits(await reader.read_all()) == [A]
    assert list_visits(await reader.read_all()) == []
    await crawl(worker, clock, B)
    assert list_visits(await reader.read_all()) == [B]


async def test_a_reader_of_the_newest_lines_continues_from_there(
    worker: StoreWorker, access: Access, clock: FakeClock
) -> None:
    await crawl(worker, clock, *(f"{A}{number}" for number in range(9)))
    reader = Reader(access, clock, worker.run_id)
    reader.position = await access.read(
        lambda connection: find_late_start(connection, worker.run_id, newest=3)
    )
    whole = list_visits(await Reader(access, clock, worker.run_id).read_all())
    assert list_visits(await reader.read_all()) == whole[-3:]
    await crawl(worker, clock, B)
    assert list_visits(await reader.read_all()) == [B]


async def test_a_short_log_has_no_late_start(worker: StoreWorker, access: Access, clock: FakeClock) -> None:
    await crawl(worker, clock, A)
    for run_id in (worker.run_id, worker.run_id + 1):
        found = await access.read(partial(find_late_start, run_id=run_id, newest=3))
        assert found is None


async def test_another_run_is_not_shown(
    worker: StoreWorker, access: Access, clock: FakeClock, store: StoreUnderTest
) -> None:
    await crawl(worker, clock, A)
    await end(worker, clock)
    other = await StoreWorker(store.frontier, store.runs, clock).start()
    await crawl(other, clock, B)
    await end(other, clock)
    assert list_visits(await Reader(access, clock, worker.run_id).read_all()) == [A]
    assert list_visits(await Reader(access, clock, other.run_id).read_all()) == [B]


async def test_visits_settled_after_the_next_run_was_opened_are_shown(
    worker: StoreWorker, access: Access, clock: FakeClock, store: StoreUnderTest
) -> None:
    await worker.add(A, A + "x")
    lease = await worker.claim_one()
    await worker.visit_next(lease, make_fetched())
    # Cancelled, and another run is opened before the worker has heard of it.
    store.query("UPDATE runs SET state = 'stopped', ended_at = started_at RETURNING 1")
    clock.advance(1)
    other = await StoreWorker(store.frontier, store.runs, clock).start()
    assert other.run_id != worker.run_id
    await worker.visit_next(lease, make_fetched())
    await end(worker, clock)
    found = list_visits(await Reader(access, clock, worker.run_id).read_all())
    assert sorted(map(str, found)) == [A, A + "x"]


async def test_a_visit_that_becomes_visible_late_is_shown(
    worker: StoreWorker, access: Access, clock: FakeClock, store: StoreUnderTest
) -> None:
    """Its batch got its ids before another one and was committed after it."""
    reader = Reader(access, clock, worker.run_id)
    await crawl(worker, clock, A, A + "x")
    store.query("UPDATE visits SET id = id + 10 WHERE id = (SELECT max(id) FROM visits) RETURNING id")
    assert len(list_visits(await reader.read_all())) == 2
    store.query("UPDATE visits SET id = 5 WHERE id = (SELECT min(id) FROM visits) RETURNING id")
    assert len(list_visits(await reader.read_all())) == 1, "it is in the gap"
    assert list_visits(await reader.read_all()) == []


async def test_ids_that_stay_missing_are_not_looked_for_forever(
    worker: StoreWorker, access: Access, clock: FakeClock, store: StoreUnderTest
) -> None:
    reader = Reader(access, clock, worker.run_id)
    await crawl(worker, clock, A, A + "x")
    store.query("UPDATE visits SET id = id + 10 WHERE id = (SELECT max(id) FROM visits) RETURNING id")
    await reader.read_all()
    with_gap = len(reader.position or "")
    clock.advance(MISSED_S + 1)
    await reader.read_all()
    assert len(reader.position or "") < with_gap


async def test_a_forged_position_is_refused(worker: StoreWorker, access: Access, clock: FakeClock) -> None:
    for word in ("x", "!!", "W10", "WzEsMiwzXQ", "A" * 100_000):
        reader = Reader(access, clock, worker.run_id)
        reader.position = word
        with pytest.raises(UsageError):
            await reader.read()


async def test_a_run_that_is_not_known_has_no_log(access: Access, clock: FakeClock) -> None:
    part = await access.read(lambda connection: load_run_log(connection, 9, limit=5, now=clock.now()))
    assert part is None


async def test_the_whole_log_is_read_in_parts(worker: StoreWorker, access: Access, clock: FakeClock) -> None:
    await crawl(worker, clock, *(f"{A}{number}" for number in range(5)))
    await end(worker, clock)
    lines = await access.read(
        lambda connection: list(iter_run_log(connection, worker.run_id, limit=2, now=clock.now()))
    )
    assert len(list_visits(lines)) == 5
