"""What the contracts promise, with SQLite, when statements fail and processes compete and die."""

import asyncio
import multiprocessing
import random
import time
from collections.abc import Iterator
from contextlib import closing
from multiprocessing.context import SpawnProcess
from pathlib import Path

import pytest
from pysqlite3 import dbapi2 as sqlite

from tenax.clock import SystemClock
from tenax.errors import StoreError
from tenax.stores.base import DeadWorker
from tenax.stores.sqlite.database import Database
from tenax.stores.sqlite.frontier import SqliteFrontier
from tenax.stores.sqlite.runs import SqliteRuns
from tests.support.clock import START
from tests.support.store import (
    Rows,
    StoreUnderTest,
    StoreWorker,
    find_wrong_counters,
    make_fetched,
    make_visit,
    new_url,
)
from tests.support.store_process import DOMAINS, PARTIAL_BATCHES, claim_everything, crawl_until_killed

A = "https://a.example/"
SPAWN = multiprocessing.get_context("spawn")
ROUNDS = 5


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "tenax.db"


def query(path: Path, sql: str) -> Rows:
    with closing(sqlite.connect(path)) as connection:
        rows: Rows = connection.execute(sql).fetchall()
        connection.commit()
        return rows


# --- a statement fails -----------------------------------------------------------------------

TABLES = ("domains", "urls", "pages", "visits", "robots", "runs", "seeds")
STEPS = {
    "a new url": "INSERT ON urls",
    "the fate of a url": "UPDATE OF fate ON urls",
    "a page": "INSERT ON pages",
    "a visit": "INSERT ON visits",
    "the state of a domain": "UPDATE OF status ON domains",
    "the heartbeat": "UPDATE ON workers",
    "the counters of the run": "UPDATE OF pages ON runs",
}


@pytest.mark.parametrize("step", STEPS.values(), ids=list(STEPS))
async def test_a_batch_that_fails_at_any_step_leaves_nothing_and_can_be_repeated(
    step: str, worker: StoreWorker, store: StoreUnderTest, path: Path
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    target = (await worker.head(lease)).targets[0]
    visit = make_visit(target, make_fetched(), at=START, discovered=[new_url(A + "x")])
    before = [store.query(f"SELECT * FROM {table}") for table in TABLES]
    query(path, f"CREATE TRIGGER fault AFTER {step} BEGIN SELECT raise(ABORT, 'fault'); END")
    with pytest.raises(StoreError, match="fault"):
        await worker.settle_visits(lease, [visit])
    assert [store.query(f"SELECT * FROM {table}") for table in TABLES] == before
    query(path, "DROP TRIGGER fault")
    await worker.settle_visits(lease, [visit])
    assert find_wrong_counters(store.query) == []


# --- processes -------------------------------------------------------------------------------


@pytest.fixture
def children() -> Iterator[list[SpawnProcess]]:
    children: list[SpawnProcess] = []
    yield children
    for child in children:
        child.kill()
        child.join()


def test_processes_that_claim_at_once_never_share_a_domain(path: Path, children: list[SpawnProcess]) -> None:
    names = [f"d{number}.example" for number in range(60)]
    asyncio.run(add_urls(path, [f"https://{name}/" for name in names]))
    gate = SPAWN.Barrier(2)
    answers = []
    for _ in range(2):
        ours, theirs = SPAWN.Pipe()
        children.append(SPAWN.Process(target=claim_everything, args=(path, gate, theirs)))
        children[-1].start()
        answers.append(ours)
    assert all(answer.poll(30) for answer in answers)
    claimed = [answer.recv() for answer in answers]
    assert sorted(claimed[0] + claimed[1]) == sorted(names)


async def add_urls(path: Path, urls: list[str]) -> None:
    async with Database(path, SystemClock()) as database:
        await SqliteFrontier(database).add_urls([new_url(url) for url in urls], SystemClock().now())


def test_killing_processes_in_the_middle_of_settling_leaves_a_true_store(
    path: Path, children: list[SpawnProcess]
) -> None:
    dice = random.Random(1)
    for _ in range(ROUNDS):
        uuids = start_two(path, children)
        time.sleep(dice.uniform(0.02, 0.3))
        for child in children:
            child.kill()
            child.join()
        children.clear()
        assert query(path, "PRAGMA integrity_check") == [("ok",)]
        assert find_wrong_counters(lambda sql: query(path, sql)) == []
        assert query(path, PARTIAL_BATCHES) == []
        assert asyncio.run(bury(path, uuids)) <= 2 * 4
        assert query(path, "SELECT count(*) FROM domains WHERE claimed_by IS NOT NULL") == [(0,)]
    ((domains, visits, repeated),) = query(
        path,
        "SELECT count(DISTINCT domain_id), count(*), count(*) - count(DISTINCT url_id) FROM visits",
    )
    assert (domains, repeated) == (DOMAINS, 0)
    assert visits > 100


def start_two(path: Path, children: list[SpawnProcess]) -> list[str]:
    pipes = []
    for _ in range(2):
        ours, theirs = SPAWN.Pipe()
        children.append(SPAWN.Process(target=crawl_until_killed, args=(path, theirs)))
        children[-1].start()
        pipes.append(ours)
    assert all(pipe.poll(30) for pipe in pipes)
    return [pipe.recv() for pipe in pipes]


async def bury(path: Path, uuids: list[str]) -> int:
    dead = [DeadWorker(uuid=uuid, last_alive_at=time.time(), reading_url_id=None) for uuid in uuids]
    async with Database(path, SystemClock()) as database:
        return await SqliteRuns(database).bury(dead)
