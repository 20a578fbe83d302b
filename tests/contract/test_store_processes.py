"""What the contracts promise when processes compete for one store and are killed."""

import asyncio
import contextlib
import multiprocessing
import random
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess

import pytest

from tenax.clock import SystemClock
from tenax.runtime.backends import find_backend
from tenax.stores.contracts.workers import DeadWorker
from tenax.stores.place import Place
from tests.support.items import find_untrue_items
from tests.support.store import SharedStore, find_wrong_counters, new_url
from tests.support.store_process import FOLLOWED_IDS, PARTIAL_BATCHES, claim_everything, crawl_until_killed

SPAWN = multiprocessing.get_context("spawn")
ROUNDS = 5
BATCHES = 3  # of each process, in every round
PATIENCE_S = 120.0


@pytest.fixture
def children() -> Iterator[list[SpawnProcess]]:
    children: list[SpawnProcess] = []
    yield children
    for child in children:
        child.kill()
        child.join()


def test_processes_that_claim_at_once_never_share_a_domain(
    shared: SharedStore, children: list[SpawnProcess]
) -> None:
    names = [f"d{number}.example" for number in range(60)]
    asyncio.run(add_urls(shared.place, [f"https://{name}/" for name in names]))
    gate = SPAWN.Barrier(2)
    answers = []
    for _ in range(2):
        ours, theirs = SPAWN.Pipe()
        children.append(SPAWN.Process(target=claim_everything, args=(shared.place, gate, theirs)))
        children[-1].start()
        answers.append(ours)
    assert all(answer.poll(30) for answer in answers)
    claimed = [answer.recv() for answer in answers]
    assert sorted(claimed[0] + claimed[1]) == sorted(names)


async def add_urls(place: Place, urls: list[str]) -> None:
    async with find_backend(place).open_stores(place, SystemClock()) as stores:
        await stores.frontier.add_urls([new_url(url) for url in urls], SystemClock().now())


def test_killing_processes_in_the_middle_of_settling_leaves_a_true_store(
    shared: SharedStore, children: list[SpawnProcess]
) -> None:
    dice = random.Random(1)
    reported = 0
    for _ in range(ROUNDS):
        reports = start_two(shared.place, children)
        uuids = [report.recv() for report in reports]
        reported += sum(hear(report) for report in reports for _ in range(BATCHES))
        time.sleep(dice.uniform(0.0, 0.1))
        for child in children:
            child.kill()
            child.join()
        children.clear()
        reported += sum(map(hear_last_words, reports))
        shared.check_file()
        assert find_wrong_counters(shared.query) == []
        assert find_untrue_items(shared.query) == []
        assert shared.query(PARTIAL_BATCHES) == []
        assert asyncio.run(end_dead_workers(shared.place, uuids)) <= 2 * 4
        assert shared.query("SELECT count(*) FROM domains WHERE claimed_by IS NOT NULL") == [(0,)]
        ((kept,),) = shared.query("SELECT count(*) FROM visits")
        assert kept >= reported, "a batch that was settled is gone"
    assert reported >= ROUNDS * 2 * BATCHES
    once = f"SELECT count(*) - count(DISTINCT url_id) FROM visits WHERE url_id NOT IN ({FOLLOWED_IDS})"
    assert shared.query(once) == [(0,)]


def start_two(place: Place, children: list[SpawnProcess]) -> list[Connection]:
    """Two that crawl; returns where they report."""
    pipes = []
    for _ in range(2):
        ours, theirs = SPAWN.Pipe()
        children.append(SPAWN.Process(target=crawl_until_killed, args=(place, theirs)))
        children[-1].start()
        # Closed here: the end of the process is then the end of the pipe.
        theirs.close()
        pipes.append(ours)
    assert all(pipe.poll(PATIENCE_S) for pipe in pipes)
    return pipes


def hear(report: Connection) -> int:
    """Of the next batch: how many visits it had."""
    assert report.poll(PATIENCE_S), "a process that settles nothing"
    visits: int = report.recv()
    return visits


def hear_last_words(report: Connection) -> int:
    """Of all batches that were reported and not heard before the process died."""
    visits = 0
    with contextlib.suppress(EOFError, ConnectionResetError):
        while True:
            visits += report.recv()
    return visits


async def end_dead_workers(place: Place, uuids: list[str]) -> int:
    dead = [DeadWorker(uuid=uuid, last_alive_at=time.time(), reading_url_id=None) for uuid in uuids]
    async with find_backend(place).open_stores(place, SystemClock()) as stores:
        return await stores.runs.end_dead_workers(dead)
