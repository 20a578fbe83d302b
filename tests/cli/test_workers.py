"""`tenax workers`, for a directory and for a database."""

import asyncio
import json
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pysqlite3 import dbapi2 as sqlite

from tenax.clock import SystemClock
from tenax.config.settings import Settings
from tenax.exits import Exit
from tenax.policy.stalls import Stall, StallCause
from tenax.records.domains import BreakerState, DomainState, DomainStatus
from tenax.records.runs import RunState
from tenax.records.urls import RefusalReason
from tenax.runtime.backends import find_backend
from tenax.stores.contracts.runs import LOST_AFTER_S
from tenax.stores.contracts.vitals import BackingService, LongestVisit, ServiceBreaker, Vitals
from tenax.stores.contracts.workers import DeadWorker
from tenax.stores.place import Place
from tenax.stores.presence import Presence
from tests.support.command import Ended, run_tenax
from tests.support.postgres import Console, fresh_database
from tests.support.store import LEASE_S, StoreWorker

HOSTILE = "box\x1b[31m"


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    place: Place
    options: tuple[str | Path, ...]
    execute: Callable[[str], object]  # past the contract

    def run(self, work: Callable[[StoreWorker], Any], workers: int = 1) -> list[StoreWorker]:
        return asyncio.run(self._run(work, workers))

    async def _run(self, work: Callable[[StoreWorker], Any], count: int) -> list[StoreWorker]:
        clock = SystemClock()
        found = []
        async with find_backend(self.place).open_stores(self.place, clock) as stores:
            run = await stores.runs.open_run(Settings().model_dump_json())
            for number in range(count):
                worker = StoreWorker(stores.frontier, stores.runs, clock)
                worker.run_id, worker.uuid = run.id, str(uuid.uuid4())
                pid = 4000 + number
                added = await stores.runs.add_worker(run.id, worker.uuid, HOSTILE, pid, LEASE_S)
                assert added is not None
                worker.id = added
                await work(worker)
                found.append(worker)
        return found

    def show(self, *options: str) -> str:
        return self._tenax("workers", *options).out

    def list(self, *options: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self._tenax("workers", "--json", *options).out.splitlines()]

    def status(self, *options: str) -> str:
        return self._tenax("status", *options).out

    def age(self, seconds: float) -> None:
        """Everything that happened happened so much earlier."""
        self.execute(f"UPDATE workers SET heartbeat_at = heartbeat_at - {seconds}")
        self.execute(f"UPDATE domains SET claim_expires_at = claim_expires_at - {seconds}")

    def _tenax(self, *arguments: str) -> Ended:
        ended = run_tenax(*arguments, *self.options)
        assert ended.code == 0, ended.err
        return ended


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    if request.param == "sqlite":
        place = Place(folder=tmp_path)
        find_backend(place).migrate(place)
        with closing(sqlite.connect(tmp_path / "tenax.db", isolation_level=None)) as connection:
            yield Store(place=place, options=("--data", tmp_path), execute=connection.executescript)
    else:
        with fresh_database() as url, closing(Console(url)) as console:
            options = ("--store", url, "--data", tmp_path)
            yield Store(place=Place(folder=tmp_path, url=url), options=options, execute=console.execute)


async def hold_five(worker: StoreWorker) -> None:
    await worker.add(*[f"https://d{number}.example/" for number in range(5)])
    assert len(await worker.claim()) == 5
    vitals = Vitals(pages=1234, pages_per_min=56.78)
    await worker.frontier.renew(worker.id, worker.run_id, [], LEASE_S, vitals)


async def do_nothing(worker: StoreWorker) -> None:
    pass


def test_a_worker_is_shown_with_its_numbers_and_some_of_its_domains(store: Store) -> None:
    store.run(hold_five)
    header, line = store.show().splitlines()
    assert header.split()[:5] == ["WORKER", "HOST", "PROCESS", "RUN", "STATE"]
    assert line.split()[:8] == ["1", "box\\x1b[31m", "4000", "1", "working", "5", "1,234", "56.8"]
    assert line.count(".example") == 3
    assert line.endswith(" and 2 more")


def test_domains_that_do_not_answer_are_shown(store: Store) -> None:
    async def wait_without_response(worker: StoreWorker) -> None:
        await hold_five(worker)
        await worker.frontier.renew(worker.id, worker.run_id, [], LEASE_S, Vitals(silent_domains=4))

    store.run(wait_without_response)
    assert "4 domains silent" in store.show().splitlines()[-1]
    assert store.list()[0]["silent_domains"] == 4


def test_the_longest_visit_is_shown_once_it_takes_long(store: Store) -> None:
    async def visit(worker: StoreWorker) -> None:
        for lasts_s in (0.0, 25.0):
            longest = LongestVisit(
                url=f"https://a.example/{lasts_s:g}\x1b[31m", started_at=worker.clock.now() - lasts_s
            )
            await worker.frontier.renew(worker.id, worker.run_id, [], LEASE_S, Vitals(longest=longest))

    store.run(visit)
    assert "longest visit: https://a.example/25\\x1b[31m for 2" in store.show().splitlines()[-1]
    found = store.list()[0]["longest"]
    assert found["url"].startswith("https://a.example/25")
    assert found["started_at"].endswith("Z")


def test_a_short_visit_is_not_worth_a_line(store: Store) -> None:
    async def visit(worker: StoreWorker) -> None:
        longest = LongestVisit(url="https://a.example/", started_at=worker.clock.now() + 60)
        await worker.frontier.renew(worker.id, worker.run_id, [], LEASE_S, Vitals(longest=longest))

    store.run(visit)
    assert "longest" not in store.show()


def test_a_stall_is_shown_with_its_cause_here_and_in_the_status(store: Store) -> None:
    async def stall(worker: StoreWorker) -> None:
        found = Stall(cause=StallCause.DNS, sentence="No name server answers.", began_at=worker.clock.now())
        await worker.frontier.renew(worker.id, worker.run_id, [], LEASE_S, Vitals(stall=found))

    store.run(stall)
    assert "stall detected (dns) for " in store.show()
    assert "1 stalled (dns; 'tenax doctor' says what to do)" in store.status()
    assert store.list()[0]["stall"]["cause"] == "dns"


def test_a_worker_that_ended_itself_is_shown_with_its_exit_code(store: Store) -> None:
    async def end(worker: StoreWorker) -> None:
        dead = DeadWorker(uuid=worker.uuid, last_alive_at=0.0, reading_url_id=None, exit_code=Exit.MEMORY)
        await worker.runs.end_dead_workers([dead])

    store.run(end)
    assert "it ended itself (exit code 72: too much memory)" in store.show("--all")


def test_json_has_everything(store: Store) -> None:
    (worker,) = store.run(hold_five)
    (found,) = store.list()
    assert (found["uuid"], found["host"], found["run_id"]) == (worker.uuid, HOSTILE, worker.run_id)
    assert (found["domains"], found["pages"], found["pages_per_min"]) == (5, 1234, 56.78)
    assert found["started_at"].endswith("Z")
    assert 0 <= found["heartbeat_age_s"] < 10
    assert found["leases_until"] > found["heartbeat_at"]


def test_one_that_holds_nothing_is_idle(store: Store) -> None:
    store.run(do_nothing)
    assert [each["state"] for each in store.list()] == ["idle"]


def test_one_that_has_less_than_its_share_is_hungry(store: Store) -> None:
    async def claim(worker: StoreWorker) -> None:
        if worker.id == 1:
            await worker.add("https://a.example/", "https://b.example/")
        await worker.claim()

    store.run(claim, workers=2)
    store.execute(
        "UPDATE domains SET claimed_by = 1, claim_expires_at = (SELECT max(claim_expires_at) FROM domains)"
    )
    store.execute("UPDATE workers SET is_hungry = 1 WHERE id = 2")
    assert [each["state"] for each in store.list()] == ["working", "hungry"]


def test_one_whose_heartbeat_is_overdue_is_silent_and_its_leases_end(store: Store) -> None:
    store.run(hold_five)
    store.age(45)
    shown = store.show()
    assert " silent " in shown
    assert "└─ silent; its leases end in 1" in shown
    assert "56.8" not in shown, "its rate is of the past"
    store.age(45)
    assert "└─ silent; its leases have ended" in store.show()


def test_one_whose_process_is_gone_is_dead_for_those_on_its_machine(store: Store) -> None:
    (worker,) = store.run(hold_five)
    with pytest.raises(KeyboardInterrupt), Presence(store.place.folder / "workers", worker.uuid):
        raise KeyboardInterrupt  # leaves the file, unlocked
    assert [each["state"] for each in store.list()] == ["dead"]
    assert "its process is gone" in store.show()


def test_one_that_was_silent_for_long_and_holds_nothing_is_lost(store: Store) -> None:
    store.run(do_nothing)
    store.age(LOST_AFTER_S + 1)
    assert store.list() == []
    assert store.show() == "No active workers.\n"
    assert [each["state"] for each in store.list("--all")] == ["lost"]


def test_those_that_have_ended_are_shown_with_all(store: Store) -> None:
    async def leave(worker: StoreWorker) -> None:
        await hold_five(worker)
        await worker.runs.end_run(worker.run_id, RunState.DONE, worker.id)

    store.run(leave)
    assert store.list() == []
    (ended,) = store.list("--all")
    assert (ended["state"], ended["pages"], ended["ended_at"] is not None) == ("ended", 1234, True)


def test_status_names_few_workers_and_counts_many(store: Store) -> None:
    store.run(do_nothing, workers=4)
    assert "4 active (process 4000 with 0 domains, process 4001" in store.status()
    store.run(do_nothing, workers=1)
    assert "5 active (on 1 host; 'tenax workers' lists them)" in store.status()


# --- breakers ------------------------------------------------------------------------------------


async def miss_redis(worker: StoreWorker) -> None:
    now = SystemClock().now()
    breaker = ServiceBreaker(
        service=BackingService.REDIS,
        state=BreakerState.OPEN,
        retry_at=now + 100,
        reason="Redis \x1b[31m is away",
    )
    await worker.frontier.renew(worker.id, worker.run_id, [], LEASE_S, Vitals(breakers=(breaker,)))


async def run_short(worker: StoreWorker) -> None:
    breaker = ServiceBreaker(
        service=BackingService.MACHINE,
        state=BreakerState.HALF_OPEN,
        retry_at=None,
        reason="this machine has no memory left; 5 of 100 requests at a time",
    )
    await worker.frontier.renew(worker.id, worker.run_id, [], LEASE_S, Vitals(breakers=(breaker,)))


def test_breakers_are_closed_without_trouble(store: Store) -> None:
    store.run(hold_five)
    assert "breakers  store closed, robots closed\n" in store.status()
    found = json.loads(store.status("--json"))["breakers"]
    assert [(each["service"], each["state"]) for each in found] == [
        ("store", "closed"),
        ("redis", "closed"),
        ("machine", "closed"),
        ("robots", "closed"),
    ]


def test_a_worker_whose_machine_is_short_of_something_says_of_what(store: Store) -> None:
    store.run(run_short)
    assert "machine half open: this machine has no memory left" in store.show()
    assert "machine half open (1 worker: this machine has no memory left" in store.status()


def test_a_worker_without_its_redis_says_until_when(store: Store) -> None:
    store.run(miss_redis)
    assert "  └─ redis open, next try in 1 min" in store.show()
    assert "Redis \\x1b[31m is away" in store.show()


def test_status_counts_the_workers_without_their_redis(store: Store) -> None:
    store.run(miss_redis, workers=2)
    assert "redis open, next try in 1 min" in store.status()
    assert "(2 workers: Redis \\x1b[31m is away)" in store.status()
    found = json.loads(store.status("--json"))["breakers"][1]
    assert (found["service"], found["state"], found["count"]) == ("redis", "open", 2)
    assert found["retry_at"].endswith("Z")


def test_the_last_report_of_a_silent_worker_is_not_trusted(store: Store) -> None:
    store.run(miss_redis)
    store.age(LEASE_S + 1)
    assert "redis" not in store.status()


def test_status_counts_domains_that_rest_for_their_robots_txt(store: Store) -> None:
    async def rest(worker: StoreWorker) -> None:
        await worker.add("https://a.example/")
        state = DomainState(
            status=DomainStatus.UNREACHABLE,
            block_code=RefusalReason.ROBOTS_UNREACHABLE,
            next_crawl_after=SystemClock().now() + 3600,
        )
        await worker.release(await worker.claim_one(), state=state)

    store.run(rest)
    assert "robots open, next try in " in store.status()
    assert "(1 domain: robots.txt failed three times)" in store.status()


def test_a_server_that_is_away_gets_one_sentence(tmp_path: Path) -> None:
    for command in ("workers", "status"):
        ended = run_tenax(command, "--store", "postgresql://u@127.0.0.1:1/d", "--data", tmp_path)
        assert (ended.code, ended.out, ended.err.count("\n")) == (1, "", 1)
        assert "does not answer" in ended.err
