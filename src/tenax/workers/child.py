"""What runs in a worker process: an engine that obeys its supervisor and reports to it."""

import asyncio
import contextlib
import socket
from collections.abc import Sequence

import uvloop

from tenax.config import Settings
from tenax.crawl.engine import Engine, EngineResult
from tenax.crawl.insight.progress import WorkerSnapshot
from tenax.errors import TenaxError
from tenax.job_records import NO_SOURCE, Recrawl
from tenax.record import record
from tenax.runtime.engine import open_engine
from tenax.stores.contracts.runs import Run
from tenax.stores.place import Place
from tenax.web.urls import domain_of
from tenax.workers.costs import read_peak_rss_bytes
from tenax.workers.messages import ASK_WITH_STORE, END_RUN, WorkerProcessReport, format_report


@record
class WorkerTask:
    """What the workers of a crawl are to do."""

    place: Place
    settings: Settings
    seeds: Sequence[str] = ()
    recrawl: Recrawl = Recrawl.NEW
    reopens: bool = True  # False: they join a run while it is under way, and never one that is over
    source_id: int = NO_SOURCE  # whose run it is: a source's, or a crawl's
    name: str = ""  # of the crawl, where a person has started it
    # True: when they are stopped, the run waits for others. False: it is a person's, and ends with them.
    keeps_open: bool = False

    @property
    def is_refresh(self) -> bool:
        return self.recrawl is not Recrawl.NEW

    @property
    def domains(self) -> set[str]:
        """Those of its seeds."""
        return {domain_of(seed) for seed in self.seeds}


def run_worker(order: WorkerTask, run: Run | None, channel: socket.socket) -> None:
    """Work until the run is over or the supervisor closes its side. `run` None: open it first."""
    uvloop.run(_run_worker(order, run, channel))


async def _run_worker(order: WorkerTask, run: Run | None, channel: socket.socket) -> None:
    reader, writer = await asyncio.open_unix_connection(sock=channel)
    link = SupervisorChannel(reader, writer, run)
    try:
        ended = await _work(order, link)
    except TenaxError as error:
        await link.report_end(error=error)
    else:
        await link.report_end(ended=ended)


async def _work(order: WorkerTask, link: "SupervisorChannel") -> EngineResult:
    async with open_engine(order.place, order.settings, source_id=order.source_id) as engine:
        link.engine = engine
        obeying = asyncio.create_task(link.obey())
        try:
            if link.run is None:
                link.run = await engine.open(order.seeds, recrawl=order.recrawl)
                await link.report(at_store=True)
            return await engine.work(link.run, reopens=order.reopens)
        finally:
            obeying.cancel()
            await asyncio.gather(obeying, return_exceptions=True)


class SupervisorChannel:
    """The worker's end of the pair of sockets."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, run: Run | None) -> None:
        self._reader = reader
        self._writer = writer
        self.run = run
        self.engine: Engine | None = None

    async def obey(self) -> None:
        assert self.engine is not None
        with contextlib.suppress(ConnectionError):
            while asked := await self._reader.read(1):
                if asked == END_RUN:
                    self.engine.stop(ends_run=True)
                else:
                    await self.report(at_store=asked == ASK_WITH_STORE)
        # Told to leave, or the supervisor is dead.
        self.engine.stop(ends_run=False)

    async def report(self, *, at_store: bool) -> None:
        assert self.engine is not None
        await self._send(
            WorkerProcessReport(
                snapshot=await self.engine.look(at_store=at_store),
                run=self.run,
                peak_rss_bytes=read_peak_rss_bytes(),
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
        )
        await self._send(report)
        # The process ends without waiting for what is still to be sent.
        self._writer.close()
        with contextlib.suppress(ConnectionError):
            await self._writer.wait_closed()

    async def _send(self, report: WorkerProcessReport) -> None:
        self._writer.write(format_report(report))
        # Without a supervisor there is nobody to tell; `obey` hears of that.
        with contextlib.suppress(ConnectionError):
            await self._writer.drain()
