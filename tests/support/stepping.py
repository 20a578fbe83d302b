"""Schedulers that run step by step: between two transactions another one may continue, or this one may
die."""

from collections.abc import Coroutine, Generator
from importlib import resources
from typing import Any, TypeVar

from pysqlite3 import dbapi2 as sqlite
from sqlalchemy import Connection, StaticPool, create_engine, event

from tenax.stores.access import Lane
from tenax.stores.reading import Work
from tenax.stores.secrets.sealing import Vault

T = TypeVar("T")


class _Gap:
    """A point at which the driver of the coroutine may leave it."""

    def __await__(self) -> Generator[None, None, None]:
        yield


class SteppedAccess:
    """A store in memory. See stores/access.py."""

    def __init__(self) -> None:
        self._engine = create_engine(
            "sqlite://",
            creator=lambda: sqlite.connect(":memory:", isolation_level=None, check_same_thread=False),
            module=sqlite,
            poolclass=StaticPool,
        )
        event.listen(self._engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
        schema = (resources.files("tenax.stores.sqlite.schema") / "schema.sql").read_text()
        raw = self._engine.raw_connection()
        raw.driver_connection.executescript(schema)  # type: ignore[union-attr]
        raw.close()

    @property
    def vault(self) -> Vault:
        raise AssertionError("no secrets are kept here")

    async def read(self, work: Work[T], lane: Lane = Lane.QUESTIONS) -> T:
        await _Gap()
        return self.do(work)

    async def write(self, work: Work[T]) -> T:
        await _Gap()
        done = self.do(work)
        await _Gap()
        return done

    def do(self, work: Work[T]) -> T:
        """At once."""
        with self._engine.begin() as connection:
            return work(connection)

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        def ask(connection: Connection) -> list[tuple[Any, ...]]:
            return [tuple(row) for row in connection.exec_driver_sql(sql)]

        return self.do(ask)

    def close(self) -> None:
        self._engine.dispose()


class Stepper:
    """A coroutine that is run step by step."""

    def __init__(self, coroutine: Coroutine[Any, Any, Any]) -> None:
        self._coroutine = coroutine
        self.is_done = False

    def step(self) -> bool:
        """Run to the next gap; False: it has ended."""
        try:
            self._coroutine.send(None)
        except StopIteration:
            self.is_done = True
        return not self.is_done

    def finish(self) -> None:
        while self.step():
            pass

    def die(self) -> None:
        self._coroutine.close()
        self.is_done = True


def finish(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run to the end without a loop: it waits only for the store."""
    while True:
        try:
            coroutine.send(None)
        except StopIteration as end:
            value: T = end.value
            return value
