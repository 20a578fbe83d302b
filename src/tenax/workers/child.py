"""What runs in a worker process: an engine that obeys its supervisor and reports to it."""

import asyncio
import contextlib
import socket
from collections.abc import Sequence

import uvloop

from tenax.config.settings import Settings
from tenax.crawl.engine import Engine, EngineResult
from tenax.crawl.insight.progress import WorkerSnapshot
from tenax.crawl.reading.parser_host import ParserHost
from tenax.errors import ConfigError, TenaxError
from tenax.exits import Exit, find_exit
from tenax.items.parser import Parser
from tenax.profiling import Profiler, WorkerProfile
from tenax.record import record
from tenax.records.jobs import NO_SOURCE, Recrawl
from tenax.runtime.engine import open_engine
from tenax.runtime.parsers import open_parser_host
from tenax.runtime.profiled import measuring
from tenax.stores.contracts.runs import Run
from tenax.stores.place import Place
from tenax.web.urls import domain_of
from tenax.workers.costs import read_peak_rss_bytes
from tenax.workers.messages import END_RUN, REQUEST_WITH_STORE, WorkerProcessReport, format_report


@record
class WorkerTask:
    """What the workers of a crawl are to do."""

    place: Place
    settings: Settings
    seeds: Sequence[str] = ()
    recrawl: Recrawl = Recrawl.NEW
    reopens: bool = True  # False: they only join an active run, and never reopen one that has ended
    source_id: int = NO_SOURCE  # the source or crawl that the run belongs to
    name: str = ""  # of the crawl, if a user started it
    # True: the run stays open for other workers when these are stopped. False: it ends with them.
    keeps_open: bool = False
    is_profiled: bool = False  # they report where their time goes
    parsers: tuple[Parser, ...] = ()  # of a program; others are loaded by their names

    @property
    def is_refresh(self) -> bool:
        return self.recrawl is not Recrawl.NEW

    @property
    def domains(self) -> set[str]:
        """The domains of its seeds."""
        return {domain_of(seed) for seed in self.seeds}


def run_worker(task: WorkerTask, run: Run | None, fails_run: bool, channel: socket.socket) -> Exit:
    """Work until the run has ended or the supervisor closes its side. `run` None: open it first. `fails_run`:
    an internal error is the end of the run."""
    try:
        with (
            open_parser_host(task.settings, task.parsers, [channel]) as parsers,
            measuring(is_wanted=task.is_profiled) as profiler,
        ):
            return uvloop.run(_run_worker(task, run, fails_run, channel, profiler, parsers))
    except ConfigError as error:
        return uvloop.run(_report_error(channel, run, error))


async def _report_error(channel: socket.socket, run: Run | None, error: TenaxError) -> Exit:
    """The worker cannot even start."""
    reader, writer = await asyncio.open_unix_connection(sock=channel)
    await SupervisorChannel(reader, writer, run, None).report_end(error=error)
    return find_exit(error)


async def _run_worker(
    task: WorkerTask,
    run: Run | None,
    fails_run: bool,
    channel: socket.socket,
    profiler: Profiler | None,
    parsers: ParserHost | None,
) -> Exit:
    reader, writer = await asyncio.open_unix_connection(sock=channel)
    link = SupervisorChannel(reader, writer, run, profiler)
    try:
        ended = await _work(task, link, fails_run, parsers)
    except TenaxError as error:
        await link.report_end(error=error)
        return find_exit(error)
    await link.report_end(ended=ended)
    return Exit.DONE


async def _work(
    task: WorkerTask, link: "SupervisorChannel", fails_run: bool, parsers: ParserHost | None
) -> EngineResult:
    async with open_engine(task.place, task.settings, source_id=task.source_id, parsers=parsers) as engine:
        link.engine = engine
        obeying = asyncio.create_task(link.obey())
        try:
            if link.run is None:
                link.run = await engine.open(task.seeds, recrawl=task.recrawl)
                await link.report(at_store=True)
            return await engine.work(link.run, reopens=task.reopens, fails_run=fails_run)
        finally:
            obeying.cancel()
            await asyncio.gather(obeying, return_exceptions=True)


class SupervisorChannel:
    """The worker's end of the socket pair."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        run: Run | None,
        profiler: Profiler | None,
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._profiler = profiler
        self.run = run
        self.engine: Engine | None = None

    async def obey(self) -> None:
        assert self.engine is not None
        with contextlib.suppress(ConnectionError):
            while request := await self._reader.read(1):
                if request == END_RUN:
                    self.engine.stop(ends_run=True)
                else:
                    await self.report(at_store=request == REQUEST_WITH_STORE)
        # The supervisor has closed its side to stop this worker, or it is dead.
        self.engine.stop(ends_run=False)

    async def report(self, *, at_store: bool) -> None:
        assert self.engine is not None
        await self._send(
            WorkerProcessReport(
                snapshot=await self.engine.look(at_store=at_store),
                run=self.run,
                peak_rss_bytes=read_peak_rss_bytes(),
                profile=self._take_profile(is_whole=False),
            )
        )

    async def report_end(self, *, ended: EngineResult | None = None, error: TenaxError | None = None) -> None:
        report = WorkerProcessReport(
            snapshot=WorkerSnapshot(tally=self.engine.tally) if self.engine is not None else WorkerSnapshot(),
            run=self.run,
            peak_rss_bytes=read_peak_rss_bytes(),
            ended=ended,
            error=str(error) if error is not None else None,
            is_transient=error is not None and error.is_transient,
            exit_code=find_exit(error) if error is not None else 0,
            profile=self._take_profile(is_whole=True),
        )
        await self._send(report)
        # The process exits without flushing what is still in the buffer.
        self._writer.close()
        with contextlib.suppress(ConnectionError):
            await self._writer.wait_closed()

    def _take_profile(self, *, is_whole: bool) -> WorkerProfile | None:
        if self._profiler is None or self.engine is None:
            return None
        return self._profiler.take(self.engine.tally.pages, is_whole=is_whole)

    async def _send(self, report: WorkerProcessReport) -> None:
        self._writer.write(format_report(report))
        # If the supervisor is dead there is no reader; `obey` notices that.
        with contextlib.suppress(ConnectionError):
            await self._writer.drain()
