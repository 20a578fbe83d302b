"""Settling on PostgreSQL while others write the same rows: what is locked when, and what the loser leaves."""

import asyncio

import pytest

from tests.support.postgres import Console
from tests.support.postgres_store import make_work, open_worker, wait_until_blocked
from tests.support.store import find_wrong_counters, new_url

pytestmark = pytest.mark.usefixtures("runner")

A = "https://a.example/"
B = "https://b.example/"


async def test_a_lease_that_is_lost_while_its_batch_is_written_leaves_nothing(
    url: str, console: Console
) -> None:
    async with open_worker(url) as worker:
        await worker.add(A, B)
        lost, kept = sorted(await worker.claim(2), key=lambda lease: lease.domain)
        works = [await make_work(worker, lost, A + "x"), await make_work(worker, kept, B + "x")]
        console.execute("BEGIN; UPDATE domains SET version = version + 1 WHERE name = 'a.example'")
        settling = asyncio.create_task(worker.settle(*works))
        await wait_until_blocked(console)
        console.execute("COMMIT")
        assert (await settling).lost == {lost.domain_id}
    assert console.query("SELECT domain_id FROM pages") == [(kept.domain_id,)]
    assert console.query("SELECT domain_id FROM visits") == [(kept.domain_id,)]
    assert sorted(console.query("SELECT url FROM urls")) == [(A,), (B,), (B + "x",)]
    assert find_wrong_counters(console.query) == []


async def test_a_batch_that_has_lost_all_its_leases_leaves_nothing(url: str, console: Console) -> None:
    async with open_worker(url) as worker:
        await worker.add(A)
        lease = await worker.claim_one()
        work = await make_work(worker, lease, B)
        console.execute("UPDATE domains SET version = version + 1")
        settled = await worker.settle(work)
        assert (settled.lost, settled.run_pages) == (frozenset({lease.domain_id}), 0)
    assert console.query("SELECT url FROM urls") == [(A,)]
    assert console.query("SELECT name FROM domains") == [("a.example",)]


async def test_counters_that_others_move_while_a_batch_waits_are_kept(url: str, console: Console) -> None:
    async with open_worker(url) as worker:
        await worker.add(A, B)
        lease = next(lease for lease in await worker.claim(2) if lease.domain == "a.example")
        work = await make_work(worker, lease, A + "x", B + "x")
        console.execute("BEGIN; UPDATE domains SET requests = requests + 10, queued = queued + 10")
        settling = asyncio.create_task(worker.settle(work))
        await wait_until_blocked(console)
        console.execute("COMMIT")
        assert not (await settling).lost
    # Of a.example one url was visited and one is new, of b.example one waits and one is new.
    assert console.query("SELECT requests, queued FROM domains ORDER BY name") == [(11, 11), (10, 12)]


async def test_no_domain_is_held_while_a_batch_writes_its_pages(url: str, console: Console) -> None:
    async with open_worker(url) as worker, open_worker(url) as other:
        await worker.add(A)
        work = await make_work(worker, await worker.claim_one())
        console.execute("BEGIN; LOCK TABLE pages IN SHARE MODE")
        settling = asyncio.create_task(worker.settle(work))
        await wait_until_blocked(console)
        async with asyncio.timeout(20):
            await other.frontier.add_urls([new_url(A + "x")], other.clock.now())
        console.execute("ROLLBACK")
        assert not (await settling).lost
    assert find_wrong_counters(console.query) == []


async def test_a_url_that_two_workers_find_at_once_is_kept_and_counted_once(
    url: str, console: Console
) -> None:
    async with open_worker(url) as one, open_worker(url) as two:
        await one.add(A, B)
        works = [await make_work(worker, await worker.claim_one(), A + "x", B + "x") for worker in (one, two)]
        await asyncio.gather(*(worker.settle(work) for worker, work in zip((one, two), works, strict=True)))
    assert console.query("SELECT count(*) FROM urls") == [(4,)]
    assert find_wrong_counters(console.query) == []
