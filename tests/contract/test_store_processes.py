"""What the contracts promise when processes compete for one store and are killed."""

import asyncio
import multiprocessing
import random
import time
from collections.abc import Iterator
from multiprocessing.context import SpawnProcess

import pytest

from tenax.clock import SystemClock
from tenax.runtime import find_backend
from tenax.stores.base import DeadWorker
from tenax.stores.place import Place
from tests.support.store import SharedStore, find_wrong_counters, new_url
from tests.support.store_process import DOMAINS, PARTIAL_BATCHES, claim_everything, crawl_until_killed

SPAWN = multiprocessing.get_context("spawn")
ROUNDS = 5


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
    for _ in range(ROUNDS):
        uuids = start_two(shared.place, children)
        time.sleep(dice.uniform(0.02, 0.3))
        for child in children:
            child.kill()
            child.join()
        children.clear()
        shared.check_file()
        assert find_wrong_counters(shared.query) == []
        assert shared.query(PARTIAL_BATCHES) == []
        assert asyncio.run(bury(shared.place, uuids)) <= 2 * 4
        assert shared.query("SELECT count(*) FROM domains WHERE claimed_by IS NOT NULL") == [(0,)]
    ((domains, visits, repeated),) = shared.query(
        "SELECT count(DISTINCT domain_id), count(*), count(*) - count(DISTINCT url_id) FROM visits",
    )
    assert (domains, repeated) == (DOMAINS, 0)
    assert visits > DOMAINS


def start_two(place: Place, children: list[SpawnProcess]) -> list[str]:
    pipes = []
    for _ in range(2):
        ours, theirs = SPAWN.Pipe()
        children.append(SPAWN.Process(target=crawl_until_killed, args=(place, theirs)))
        children[-1].start()
        pipes.append(ours)
    assert all(pipe.poll(30) for pipe in pipes)
    return [pipe.recv() for pipe in pipes]


async def bury(place: Place, uuids: list[str]) -> int:
    dead = [DeadWorker(uuid=uuid, last_alive_at=time.time(), reading_url_id=None) for uuid in uuids]
    async with find_backend(place).open_stores(place, SystemClock()) as stores:
        return await stores.runs.bury(dead)
