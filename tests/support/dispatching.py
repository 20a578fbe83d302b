"""Servers, workers and a broker, on one database and with a queue for each test."""

import asyncio
import uuid
from functools import partial
from pathlib import Path
from typing import Any

from kombu import Connection

from tenax.clock import SystemClock
from tenax.config.crawl import PolitenessSettings
from tenax.config.fetch import FetchSettings
from tenax.config.service import DispatchSettings
from tenax.config.settings import Settings
from tenax.config.worker import WorkerSettings
from tenax.jobs.dispatch.base import DeadLetter, TaskMessage
from tenax.jobs.dispatch.celery import CeleryBroker, make_queue
from tenax.runtime.backends import find_backend
from tenax.runtime.runs import start_run
from tenax.stores.databases.access import open_access
from tenax.stores.databases.reader import tell_time
from tenax.stores.jobs.tasks import add_task
from tenax.stores.place import Place
from tests.support.crawler import Process, query, wait_until
from tests.support.store import Rows
from tests.support.web import TestWeb

LEASE_S = 3.0


class Fleet:
    def __init__(self, folder: Path, store: str | None, broker: str) -> None:
        """`store`: the address of a database; None: a file, in a folder that all share."""
        self._folder = folder
        self._store = store
        self._broker = broker
        self._processes: list[Process] = []
        self.queue = f"crawl-{uuid.uuid4().hex[:8]}"
        self.place = Place(folder=folder / "server", url=store)
        self.where: Path | str = store or self.place.folder
        self.options = ("--data", str(self.place.folder), *(("--store", store) if store else ()))

    # --- processes -------------------------------------------------------------------------------

    def serve(self, **environment: str) -> Process:
        options = ("--dispatch", "celery", "--port", "0")
        process = self._start("serve", "server", *options, **environment)
        wait_until(lambda: "Serving" in process.stdout or not process.is_running, "it serves")
        return process

    def work(self, name: str = "worker", *options: str, workers: int = 1, **environment: str) -> Process:
        options = ("--queue", self.queue, "--workers", str(workers), *options)
        process = self._start("worker", name, *options, **environment)
        wait_until(lambda: "Waiting for runs" in process.stdout or not process.is_running, "it listens")
        return process

    def close(self) -> None:
        for process in self._processes:
            if process.is_running:
                process.kill()
        with Connection(self._broker) as connection, connection.channel() as channel:
            make_queue(self.queue)(channel).delete()

    def _start(self, command: str, name: str, *options: str, **environment: str) -> Process:
        folder = self._folder / (name if self._store else "server")
        store = ("--store", self._store) if self._store else ()
        arguments = ["--data", str(folder), "--broker", self._broker, *store, *options]
        environment = {"TENAX_DISPATCH__QUEUE": self.queue, **environment}
        self._processes.append(Process(arguments, environment, self._folder / f"{name}.outputs", command))
        return self._processes[-1]

    # --- runs ------------------------------------------------------------------------------------

    def open_run(
        self,
        web: TestWeb,
        delay_s: float = 0.05,
        *,
        seeds: list[str] | None = None,
        has_task: bool = True,
    ) -> int:
        """Open a run like a launcher does."""
        settings = Settings(
            fetch=FetchSettings(resolve=("*:127.0.0.1",), allow_private=True),
            politeness=PolitenessSettings(delay_s=delay_s, jitter=0),
            worker=WorkerSettings(lease_s=LEASE_S),
        )
        return asyncio.run(self._open_run(settings, web.seeds() if seeds is None else seeds, has_task))

    async def _open_run(self, settings: Settings, seeds: list[str], has_task: bool) -> int:
        async with find_backend(self.place).open_stores(self.place, SystemClock()) as stores:
            opened = await start_run(self.place, stores, settings, seeds)
            assert opened is not None
            run = opened.run
            if has_task:
                async with open_access(self.place, readers=1) as access:
                    await access.write(partial(self._add_task, run.id))
            return run.id

    def _add_task(self, run_id: int, connection: Any) -> None:
        add_task(connection, run_id, self.queue, 5, tell_time(self.place, connection))

    def identify(self) -> str:
        async def ask() -> str:
            async with find_backend(self.place).open_stores(self.place, SystemClock()) as stores:
                return await stores.identify()

        return asyncio.run(ask())

    def query(self, sql: str) -> Rows:
        return query(self.where, sql)

    def find_state(self) -> str:
        """Find the state of the last task."""
        return str(self.query("SELECT state FROM tasks ORDER BY id DESC")[0][0])

    def wait_for(self, state: str) -> None:
        wait_until(lambda: self.find_state() == state, f"the task is {state}")

    # --- messages --------------------------------------------------------------------------------

    def publish(self, task_id: int, run_id: int, store: str | None = None) -> None:
        """Publish a message like a server does; the ids may be wrong."""
        message = TaskMessage(
            task_id=task_id, run_id=run_id, store=store or self.identify(), queue=self.queue, priority=5
        )
        broker = CeleryBroker(DispatchSettings(broker=self._broker))
        broker.publish(message)
        broker.close()

    def publish_raw(self, body: bytes, content_type: str, **headers: str) -> None:
        """Publish an invalid message."""
        with Connection(self._broker) as connection, connection.Producer() as producer:
            producer.publish(
                body,
                routing_key=self.queue,
                exchange="",
                content_type=content_type,
                content_encoding="utf-8",
                headers=headers,
            )

    def count_messages(self) -> int:
        """Count the messages in the queue."""
        with Connection(self._broker) as connection, connection.channel() as channel:
            count: int = make_queue(self.queue)(channel).queue_declare().message_count
            return count

    def list_dead(self) -> list[DeadLetter]:
        """List the dead letters of this queue."""
        broker = CeleryBroker(DispatchSettings(broker=self._broker))
        found = [letter for letter in broker.list_dead(1000) if letter.queue == self.queue]
        broker.close()
        return found
