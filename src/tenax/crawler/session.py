"""The crawl itself, in a process that is forked by the one that sends its items (process.py)."""

import asyncio
import contextlib
import os
import signal
import socket
import traceback
from typing import Any, NoReturn, Self

import orjson

from tenax.crawler.definition import CrawlPlan
from tenax.crawler.notes import list_notes
from tenax.errors import TenaxError
from tenax.record import record
from tenax.records.jobs import Recrawl
from tenax.records.runs import RunState
from tenax.records.urls import RefusalReason
from tenax.runtime.crawls import explain_url, prepare_crawl
from tenax.wording import as_sentence
from tenax.workers.child import WorkerTask
from tenax.workers.process import ORPHANED, describe_death
from tenax.workers.run_processes import STOP_RUN_SIGNAL, stop_with_parent
from tenax.workers.session import CrawlResult, find_outdated, supervise_crawl

_ALLOWING = {"fetch": {"allow_private": True}}


@record
class OpenedCrawl:
    task: WorkerTask
    open_run_id: int | None  # the run that it continues; None: it starts one


def open_crawl(plan: CrawlPlan, recrawl: Recrawl) -> OpenedCrawl:
    """Raises TenaxError: the store cannot be used, or another run crawls these domains."""
    first_seed = None if plan.is_named else plan.seeds[0]
    prepared = asyncio.run(prepare_crawl(plan.place, plan.name, plan.seeds, first_seed=first_seed))
    last = prepared.last
    is_open = last is not None and last.run.state in (RunState.RUNNING, RunState.PAUSED)
    task = WorkerTask(
        place=plan.place,
        settings=plan.settings,
        seeds=plan.seeds,
        recrawl=recrawl,
        source_id=prepared.crawl.id,
        name=prepared.crawl.name,
        # However it is interrupted, the same program continues it.
        keeps_open=True,
        parsers=plan.parsers,
    )
    return OpenedCrawl(task=task, open_run_id=last.run.id if is_open and last is not None else None)


class CrawlSession:
    """The process that crawls, as its parent sees it."""

    def __init__(self, pid: int, channel: socket.socket) -> None:
        self._pid = pid
        self._channel = channel
        self._code: int | None = None  # what it has ended with

    @classmethod
    def start(cls, task: WorkerTask, inherited: socket.socket) -> Self:
        """`inherited`: a socket that must close with this process."""
        ours, theirs = socket.socketpair()
        parent = os.getpid()
        # A child that got the signal before it has a handler would die of it.
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, [STOP_RUN_SIGNAL])
        pid = os.fork()
        if not pid:
            ours.close()
            inherited.close()
            _become_session(parent, task, theirs)
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        theirs.close()
        return cls(pid, ours)

    @property
    def is_over(self) -> bool:
        if self._code is None:
            ended, status = os.waitpid(self._pid, os.WNOHANG)
            self._code = os.waitstatus_to_exitcode(status) if ended else None
        return self._code is not None

    @property
    def result(self) -> dict[str, Any]:
        """What it has said at its end, as a message for the program."""
        self._channel.setblocking(False)
        with contextlib.suppress(OSError):
            if said := self._channel.recv(1 << 20):
                message: dict[str, Any] = orjson.loads(said)
                return message
        death = describe_death(self._code or 0)
        return {"error": f"The process of the crawl died ({death}); run the same program to continue."}

    def stop(self) -> None:
        """Let it finish its requests and save everything; wait for that."""
        if not self.is_over:
            os.kill(self._pid, STOP_RUN_SIGNAL)
            self._code = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])


def _become_session(parent: int, task: WorkerTask, channel: socket.socket) -> NoReturn:
    try:
        # Handlers run in processes below this one: what they write to foreign sockets must not count as told.
        os.register_at_fork(after_in_child=channel.close)
        stop_with_parent(parent)
        channel.sendall(orjson.dumps(_crawl(task)))
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)
    raise AssertionError


def _crawl(task: WorkerTask) -> dict[str, Any]:
    try:
        result = supervise_crawl(task, (STOP_RUN_SIGNAL, ORPHANED))
        if result.fetched_nothing and result.ended.state is RunState.DONE:
            return {"error": _explain_nothing(result, task)}
        notes = list_notes(result.tally, task.place, find_outdated(result, task))
        is_idle = task.recrawl is Recrawl.NEW and not result.tally.outcomes
    except TenaxError as error:
        return {"error": str(error)}
    return {"ended": _describe(result), "notes": notes, "is_idle": is_idle}


def _describe(result: CrawlResult) -> dict[str, Any]:
    return {
        "run": result.ended.run.id,
        "state": result.ended.state,
        "pages": result.tally.pages,
        "items": result.tally.items,
        "invalid": result.tally.invalid_items,
        "errors": result.tally.parser_errors,
        "requests": result.tally.requests,
        "duration_s": round(result.duration_s, 3),
    }


def _explain_nothing(result: CrawlResult, task: WorkerTask) -> str:
    if result.summary.troubled:
        domain = result.summary.troubled[0]
        return as_sentence(f"Nothing could be fetched: {domain.domain}: {domain.reason}")
    seed = task.seeds[0]
    explained = asyncio.run(explain_url(task.place, seed, task.settings))
    said = as_sentence(f"Nothing could be fetched: {explained.url}: {explained.because}")
    if explained.reason == RefusalReason.PRIVATE_ADDRESS:
        said += f" In a program: tenax.Crawler(..., settings={_ALLOWING})."
    return said
