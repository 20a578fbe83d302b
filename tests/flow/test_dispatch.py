"""Runs that reach workers through a real RabbitMQ: lost, repeated and mixed-up messages change nothing."""

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import run_tenax
from tests.support.crawler import Process, assert_asked_once, assert_complete, wait_until
from tests.support.dispatching import Fleet
from tests.support.invariants import assert_whole
from tests.support.network import Network, lead
from tests.support.rabbitmq import find_broker, find_own_broker
from tests.support.service import open_client
from tests.support.web import TestWeb

STOPPED = 3
DELAY_S = 0.2


@pytest.fixture(params=["sqlite", "postgres"])
def fleet(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Fleet]:
    url = request.getfixturevalue("url") if request.param == "postgres" else None
    fleet = Fleet(tmp_path, url, find_broker())
    yield fleet
    fleet.close()


@pytest.fixture
def postgres_fleet(tmp_path: Path, url: str) -> Iterator[Fleet]:
    fleet = Fleet(tmp_path, url, find_broker())
    yield fleet
    fleet.close()


def test_a_run_is_published_crawled_and_completed(fleet: Fleet) -> None:
    with TestWeb(hosts=3, pages_per_host=6) as web:
        fleet.serve()
        worker = fleet.work()
        fleet.open_run(web)
        fleet.wait_for("crawling")
        fleet.wait_for("completed")
        assert_complete(fleet.where, web)
        assert_asked_once(web.requests())
        worker.send(signal.SIGTERM)
        assert worker.wait().code == STOPPED
        assert fleet.count_messages() == 0


def test_the_run_of_a_job_goes_through_the_broker_and_is_concluded(fleet: Fleet) -> None:
    quick = {
        "TENAX_JOBS__POLL_S": "0.5",
        "TENAX_FETCH__ALLOW_PRIVATE": "true",
        "TENAX_FETCH__RESOLVE": '["*:127.0.0.1"]',
    }
    with TestWeb(hosts=2, pages_per_host=6) as web:
        fleet.serve(**quick)
        fleet.work()
        options = ("--max-depth", "20", "--delay", "0.05", *fleet.options)
        assert run_tenax("sources", "add", "papers", *web.seeds(), *options).code == 0
        wait_until(lambda: fleet.query("SELECT state FROM executions") == [("completed",)], "it is done")
        assert fleet.query("SELECT state, error FROM tasks") == [("completed", None)]
        assert fleet.query("SELECT state FROM jobs") == [("completed",)]
        assert_complete(fleet.where, web)
        assert_asked_once(web.requests())


def test_a_run_without_a_task_gets_one(postgres_fleet: Fleet) -> None:
    fleet = postgres_fleet
    with TestWeb(hosts=2, pages_per_host=3) as web:
        fleet.serve()
        fleet.work()
        fleet.open_run(web, has_task=False)
        wait_until(lambda: fleet.query("SELECT state FROM tasks") == [("completed",)], "it is done")
        assert_complete(fleet.where, web)


def test_messages_that_come_again_and_in_another_order_change_nothing(postgres_fleet: Fleet) -> None:
    fleet = postgres_fleet
    with TestWeb(hosts=3, pages_per_host=12) as web:
        fleet.serve()
        workers = [fleet.work(name) for name in ("one", "two")]
        run = fleet.open_run(web, DELAY_S)
        wait_until(lambda: web.requests(), "it asks")
        ((task,),) = fleet.query("SELECT id FROM tasks")
        for _ in range(3):
            fleet.publish(task, run)
        wait_until(lambda: fleet.count_messages() == 0, "all are taken")
        fleet.wait_for("completed")
        for _ in range(3):
            fleet.publish(task, run)
        wait_until(lambda: fleet.count_messages() == 0, "all are taken")
        assert sum(worker.stdout.count("Joining run") for worker in workers) == 1
        assert fleet.query("SELECT count(*) FROM workers") == [(1,)]
        assert fleet.query("SELECT state, error FROM tasks") == [("completed", None)]
        assert fleet.list_dead() == []
        assert_whole(fleet.where, web, delay_s=DELAY_S)


def test_a_server_that_dies_before_it_could_note_what_it_published_does_it_again(
    postgres_fleet: Fleet,
) -> None:
    fleet = postgres_fleet
    with TestWeb(hosts=2, pages_per_host=6) as web:
        dying = fleet.serve(TENAX_FAILPOINT="outbox.published")
        fleet.open_run(web)
        assert dying.wait().code == 137
        assert fleet.find_state() == "pending"
        assert fleet.count_messages() == 1
        # The dead one held the task; nobody need wait for the end of that here.
        fleet.query("UPDATE tasks SET publish_after = 0 RETURNING id")
        fleet.serve()
        wait_until(lambda: fleet.count_messages() == 2, "it is published again")
        fleet.work()
        fleet.wait_for("completed")
        wait_until(lambda: fleet.count_messages() == 0, "the second one is taken")
        assert fleet.query("SELECT count(*) FROM workers") == [(1,)]
        assert_asked_once(web.requests())
        assert_complete(fleet.where, web)


def test_a_run_whose_worker_is_killed_is_given_to_another(postgres_fleet: Fleet) -> None:
    fleet = postgres_fleet
    with TestWeb(hosts=3, pages_per_host=25) as web:
        fleet.serve()
        victim = fleet.work("victim")
        fleet.open_run(web, DELAY_S)
        wait_until(lambda: len(web.requests()) > 10, "it asks")
        heir = fleet.work("heir")
        victim.send(signal.SIGKILL)
        programs_end = victim.kill()
        fleet.wait_for("completed")
        assert "Joining run 1" in heir.stdout
        # The victim's crew hears of its death, ends its requests and gives everything back.
        assert_whole(fleet.where, web, delay_s=DELAY_S, losses=[programs_end])


def test_a_worker_that_dies_before_it_could_acknowledge_has_joined_all_the_same(
    postgres_fleet: Fleet,
) -> None:
    fleet = postgres_fleet
    with TestWeb(hosts=3, pages_per_host=12) as web:
        fleet.serve()
        fleet.open_run(web, DELAY_S)
        dying = fleet.work("dying", TENAX_FAILPOINT="consumer.joined")
        assert dying.wait().code == 137
        fleet.work("heir")
        fleet.wait_for("completed")
        assert fleet.list_dead() == []
        assert_complete(fleet.where, web)


def test_a_worker_that_is_stopped_leaves_its_run_to_others(postgres_fleet: Fleet) -> None:
    fleet = postgres_fleet
    with TestWeb(hosts=3, pages_per_host=20) as web:
        fleet.serve()
        leaving = fleet.work("leaving")
        fleet.open_run(web, DELAY_S)
        wait_until(lambda: len(web.requests()) > 10, "it asks")
        fleet.work("heir")
        leaving.send(signal.SIGTERM)
        assert leaving.wait().code == STOPPED
        fleet.wait_for("completed")
        assert_whole(fleet.where, web, delay_s=DELAY_S)


@pytest.mark.parametrize("said", ["Waiting for runs", "Joining run"])
def test_a_worker_without_a_database_puts_its_message_back(
    postgres_fleet: Fleet, url: str, said: str
) -> None:
    """`said`: what the worker has come to when its database is out of reach."""
    fleet = postgres_fleet
    with Network() as network, TestWeb(hosts=3, pages_per_host=8) as web:
        fleet.serve()
        worker = fleet.work("far", "--store", lead(url, network))
        if said == "Waiting for runs":
            network.hold()
        fleet.open_run(web, DELAY_S)
        wait_until(lambda: said in worker.stdout, "it has come so far")
        network.hold()
        wait_until(lambda: "Waiting for it." in worker.stdout, "it misses its database")
        network.resume()
        fleet.wait_for("completed")
        assert_whole(fleet.where, web, delay_s=DELAY_S)
        assert fleet.list_dead() == []


def test_a_broker_that_is_killed_holds_up_new_runs_and_loses_nothing(tmp_path: Path, url: str) -> None:
    broker = find_own_broker()
    fleet = Fleet(tmp_path, url, broker.url)
    with TestWeb(hosts=4, pages_per_host=8) as web:
        try:
            server = fleet.serve()
            fleet.work()
            fleet.open_run(web, DELAY_S, seeds=web.seeds()[:2])
            fleet.wait_for("crawling")
            broker.kill()
            fleet.wait_for("completed")
            wait_until(lambda: ask_health(server)["broker"] == "down", "the server says so")
            assert ask_health(server)["status"] == "degraded"
            fleet.open_run(web, DELAY_S, seeds=web.seeds()[2:])
            wait_until(lambda: "broker_lost" in server.stderr, "it says so in its log, too")
            assert fleet.find_state() == "pending"
        finally:
            broker.start()
        fleet.wait_for("crawling")
        fleet.wait_for("completed")
        assert ask_health(server) == {**ask_health(server), "status": "ok", "broker": "ok"}
        assert fleet.query("SELECT count(*) FROM workers") == [(2,)]
        assert_whole(fleet.where, web, delay_s=DELAY_S)
        fleet.close()


def ask_health(server: Process) -> dict[str, Any]:
    with open_client(server) as client:
        health: dict[str, Any] = client.get("/health").json()
        return health


def test_useless_messages_become_dead_letters_and_block_nothing(postgres_fleet: Fleet) -> None:
    fleet = postgres_fleet
    with TestWeb(hosts=2, pages_per_host=3) as web:
        fleet.work()
        run = fleet.open_run(web)
        ((task,),) = fleet.query("SELECT id FROM tasks")
        crawl_run = {"task": "tenax.crawl_run", "id": "x"}
        fleet.publish_raw(b"{", "application/json", **crawl_run)
        fleet.publish_raw(b"\x80\x04.", "application/x-python-serialize", **crawl_run)
        fleet.publish_raw(b"hello", "text/plain")
        fleet.publish_raw(b"[[], {}, {}]", "application/json", **crawl_run)
        fleet.publish_raw(
            b'[[], {"task_id": "1", "run_id": 1, "store": 2}, {}]', "application/json", **crawl_run
        )
        fleet.publish_raw(b"[[], {}, {}]", "application/json", task="tenax.other", id="y")
        fleet.publish(task, run, store="another")
        fleet.publish(task + 1, run)
        fleet.publish(task, run + 1)
        wait_until(lambda: len(fleet.list_dead()) == 9, "they are dead letters")
        assert fleet.find_state() == "pending", "none of them was about our task"
        fleet.serve()
        fleet.wait_for("completed")
        assert_complete(fleet.where, web)


def test_a_run_that_cannot_be_joined_fails_with_a_dead_letter_and_may_be_replayed(
    postgres_fleet: Fleet,
) -> None:
    fleet = postgres_fleet
    with TestWeb(hosts=2, pages_per_host=3) as web:
        fleet.serve()
        fleet.open_run(web)
        ((settings,),) = fleet.query("SELECT settings FROM runs")
        fleet.query('UPDATE runs SET settings = \'{"another": {"version": 9}}\' RETURNING id')
        # Four others have tried before.
        fleet.query("UPDATE tasks SET deliveries = 4 RETURNING id")
        fleet.work()
        fleet.wait_for("failed")
        ((error,),) = fleet.query("SELECT error FROM tasks")
        assert "another version" in error
        wait_until(lambda: len(fleet.list_dead()) == 1, "the message is a dead letter")
        assert fleet.query("SELECT state FROM runs") == [("running",)]
        escaped = settings.replace("'", "''")
        fleet.query(f"UPDATE runs SET settings = '{escaped}' RETURNING id")
        ended = run_tenax("tasks", "replay", "1", "--store", fleet.where)
        assert ended.code == 0, ended.err
        fleet.wait_for("completed")
        assert_complete(fleet.where, web)
