"""What the contracts promise when PostgreSQL's connections break and its rows are held by strangers."""

import asyncio
import random
import statistics
import time
from contextlib import AsyncExitStack
from typing import Any
from urllib.parse import urlsplit

import pytest

from tenax.errors import StoreBusy, StoreError, StoreUnreachable
from tenax.records.runs import RunState
from tenax.stores.contracts.batches import Release
from tenax.stores.postgres.connection.connection import connect
from tenax.stores.postgres.frontier.frontier import PostgresFrontier
from tenax.stores.postgres.runs import PostgresRuns
from tenax.stores.postgres.seeds import PostgresSeeds
from tests.support.lossy_proxy import LossyProxy
from tests.support.postgres import Console, name_database
from tests.support.postgres_store import make_work, open_database, open_worker
from tests.support.store import ACTIVE, LEASE_S, StoreWorker, find_wrong_counters, new_url

pytestmark = pytest.mark.usefixtures("runner")

A = "https://a.example/"
B = "https://b.example/"


# --- answers and connections get lost ------------------------------------------------------------


async def test_a_batch_whose_commit_went_unheard_is_counted_once(url: str, console: Console) -> None:
    parts = urlsplit(url)
    assert parts.hostname is not None
    assert parts.port is not None
    async with LossyProxy(parts.hostname, parts.port) as proxy:
        way = parts._replace(netloc=f"{parts.username}@127.0.0.1:{proxy.port}").geturl()
        async with open_worker(way) as worker:
            await worker.add(A)
            lease = await worker.claim_one()
            batch = worker.make_batch(await make_work(worker, lease, A + "x"))
            proxy.arm(b"COMMIT")
            settled = await worker.frontier.settle(batch)
            assert (proxy.cuts, settled.lost, settled.run_pages) == (1, frozenset(), 1)
            assert console.query("SELECT count(*) FROM visits") == [(1,)]
            assert find_wrong_counters(console.query) == []


async def test_after_its_sessions_were_ended_the_store_goes_on(url: str, console: Console) -> None:
    async with open_worker(url) as worker:
        await worker.add(A)
        lease = await worker.claim_one()
        await worker.head(lease)
        console.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        await worker.settle(await make_work(worker, lease))
        assert console.query("SELECT count(*) FROM pages") == [(1,)]


async def renew(worker: StoreWorker) -> None:
    await worker.frontier.renew(worker.id, worker.run_id, [], LEASE_S)


async def test_a_domain_of_a_worker_that_was_cut_off_within_a_statement_comes_free(
    url: str, console: Console
) -> None:
    """For the server such a session is neither idle nor slow."""
    way = f"{url}?idle_in_transaction_session_timeout=1s"
    async with open_worker(url) as cut_off, open_worker(way) as other:
        await cut_off.add(A)
        lease = await cut_off.claim_one()
        console.execute("UPDATE domains SET claim_expires_at = 0, avail_at = 0")
        stuck: Any = await connect(way, {})
        await stuck.execute("BEGIN; SELECT 1 FROM domains FOR UPDATE")
        await stuck.prepare("SELECT 42")  # parsed, and then nothing more comes
        await renew(cut_off)  # for whom such a session has 30 s
        assert await other.claim() == []
        await asyncio.sleep(1.1)
        await renew(other)
        async with asyncio.timeout(30):
            # Its session takes a moment to end.
            while not (claimed := await other.claim()):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        assert [each.domain_id for each in claimed] == [lease.domain_id]
        stuck.terminate()


async def test_a_caller_that_leaves_does_not_break_the_transaction(url: str, console: Console) -> None:
    async with open_worker(url) as worker:
        await worker.add(A)
        work = await make_work(worker, await worker.claim_one())
        task = asyncio.create_task(worker.settle(work))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await worker.frontier.renew(worker.id, worker.run_id, [], 60)
        assert console.query("SELECT count(*) FROM pages") == [(1,)]


# --- strangers hold rows and snapshots -----------------------------------------------------------


async def test_a_row_that_a_stranger_holds_is_passed_over_by_claims(url: str, console: Console) -> None:
    async with open_worker(url) as worker:
        await worker.add(A, B)
        console.execute("BEGIN; SELECT 1 FROM domains WHERE name = 'a.example' FOR UPDATE")
        async with asyncio.timeout(20):
            assert [lease.domain for lease in await worker.claim()] == ["b.example"]
        console.execute("ROLLBACK")
        assert [lease.domain for lease in await worker.claim()] == ["a.example"]


async def test_settling_waits_for_a_row_that_a_stranger_holds_and_then_says_so(
    url: str, console: Console
) -> None:
    async with open_worker(f"{url}?lock_timeout=200ms") as worker:
        await worker.add(A)
        batch = worker.make_batch(await make_work(worker, await worker.claim_one()))
        console.execute("BEGIN; SELECT 1 FROM domains FOR UPDATE")
        with pytest.raises(StoreBusy, match="another session"):
            await worker.frontier.settle(batch)
        console.execute("ROLLBACK")
        assert (await worker.frontier.settle(batch)).run_pages == 1
        assert find_wrong_counters(console.query) == []


async def test_a_long_transaction_of_a_stranger_stops_nobody(url: str, console: Console) -> None:
    console.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM domains")
    async with open_worker(url) as worker, asyncio.timeout(20):
        await worker.add(A)
        for number in range(30):
            lease = await worker.claim_one()
            await worker.settle(await make_work(worker, lease, f"{A}{number}"))
            await worker.release(lease)
        await worker.frontier.renew(worker.id, worker.run_id, [], 60)
    console.execute("ROLLBACK")
    assert console.query("SELECT count(*) FROM pages") == [(30,)]


async def test_claims_stay_quick_while_a_long_transaction_is_open(url: str, console: Console) -> None:
    """The server can clear away no old place of a domain in its indexes: a claim has to pass them all."""
    async with open_worker(url) as worker:
        await worker.add(*(f"https://d{number}.example/" for number in range(40)))
        before_s = await time_claims(worker, 50)
        console.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM domains")
        await time_claims(worker, 150)
        assert await time_claims(worker, 50) < 5 * before_s + 0.005
        console.execute("ROLLBACK")


async def time_claims(worker: StoreWorker, times: int) -> float:
    """Claim ten domains again and again; the median of what it took."""
    took = []
    for _ in range(times):
        asked_at = time.perf_counter()
        leases = await worker.claim(10)
        took.append(time.perf_counter() - asked_at)
        assert len(leases) == 10
        releases = [Release(lease=lease, state=ACTIVE, ready_at=worker.clock.now()) for lease in leases]
        await worker.frontier.release(releases)
    return statistics.median(took)


# --- workers meet --------------------------------------------------------------------------------


async def test_workers_that_find_urls_of_each_others_domains_do_not_deadlock(
    url: str, console: Console
) -> None:
    hosts = [f"https://d{number}.example/" for number in range(12)]
    async with AsyncExitStack() as stack:
        workers = [await stack.enter_async_context(open_worker(url)) for _ in range(4)]
        await workers[0].add(*hosts)
        await asyncio.gather(
            *(settle_links(worker, hosts, random.Random(seed)) for seed, worker in enumerate(workers))
        )
    assert find_wrong_counters(console.query) == []
    assert console.query("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()") == [
        (0,)
    ]
    assert console.query("SELECT count(*) - count(DISTINCT url_id) FROM visits") == [(0,)]


async def settle_links(worker: StoreWorker, hosts: list[str], dice: random.Random) -> None:
    leases = await worker.claim(3)
    for _ in range(20):
        works = [
            await make_work(
                worker,
                lease,
                f"https://{lease.domain}/{dice.randrange(10_000)}",
                *(f"{dice.choice(hosts)}{dice.randrange(200)}" for _ in range(10)),
                *(f"https://new{dice.randrange(40)}.example/" for _ in range(2)),
            )
            for lease in leases
        ]
        assert not (await worker.settle(*works)).lost


async def test_a_url_that_comes_while_its_domain_is_given_back_wakes_it(url: str, console: Console) -> None:
    async with open_worker(url) as owner, open_database(url) as elsewhere:
        finder = PostgresFrontier(elsewhere)
        await owner.add(A)
        for number in range(30):
            lease = await owner.claim_one()
            await owner.settle(await make_work(owner, lease))
            await asyncio.gather(
                owner.release(lease), finder.add_urls([new_url(f"{A}{number}")], owner.clock.now())
            )
            assert console.query("SELECT avail_at IS NOT NULL FROM domains") == [(True,)]


async def test_of_workers_that_open_a_run_at_once_one_starts_it(url: str, console: Console) -> None:
    async with AsyncExitStack() as stack:
        databases = [await stack.enter_async_context(open_database(url)) for _ in range(4)]
        runs = await asyncio.gather(*(PostgresRuns(database).open_run("{}") for database in databases))
    assert len({run.id for run in runs}) == 1
    assert console.query("SELECT count(*) FROM runs") == [(1,)]


async def test_of_workers_that_leave_at_once_the_last_closes_the_run(url: str, console: Console) -> None:
    async with AsyncExitStack() as stack:
        workers = [await stack.enter_async_context(open_worker(url)) for _ in range(4)]
        closed = await asyncio.gather(
            *(worker.runs.end_run(worker.run_id, RunState.DONE, worker.id) for worker in workers)
        )
    assert sorted(closed) == [False, False, False, True]
    assert console.query("SELECT state FROM runs") == [("done",)]


async def test_no_seed_becomes_visible_after_a_later_one(url: str, console: Console) -> None:
    async with (
        open_worker(url) as one,
        open_worker(url) as two,
        open_database(url) as database,
    ):
        store = PostgresSeeds(database)
        console.execute("BEGIN; SELECT 1 FROM domains")
        seen: list[str] = []
        last = 0
        adding = [
            asyncio.create_task(worker.add_seeds(*(f"{A}{name}{number}" for number in range(200))))
            for name, worker in (("one", one), ("two", two))
        ]
        while not all(task.done() for task in adding):
            found, last = await store.load_seeds(last, 1000)
            seen += found
            await asyncio.sleep(0)
        seen += (await store.load_seeds(last, 1000))[0]
        console.execute("ROLLBACK")
        assert len(seen) == 400


# --- what cannot be used -------------------------------------------------------------------------


async def test_a_database_that_does_not_exist_gets_one_sentence() -> None:
    with pytest.raises(StoreError, match="does not exist") as caught:
        async with open_worker(name_database("nowhere")):
            pass
    assert not caught.value.is_transient


async def test_a_server_that_is_not_there_is_unreachable() -> None:
    with pytest.raises(StoreUnreachable, match="Is the server running"):
        async with open_worker("postgresql://tenax:secret@127.0.0.1:1/tenax"):
            pass
