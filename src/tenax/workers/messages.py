"""The protocol between a worker process and its supervisor, over a pair of sockets.

The supervisor sends a byte to request a report, and closes its side to stop the worker; so its death stops
the worker as well. A request to end the run is sent before that: a supervisor that dies sends nothing, and
the run stays open. The worker answers with a line of JSON. Unasked, it reports that the run is open, that it
has ended, and the error it failed with.
"""

from functools import cache

from pydantic import TypeAdapter

from tenax.crawl.engine import EngineResult
from tenax.crawl.insight.progress import WorkerSnapshot
from tenax.profiling import WorkerProfile
from tenax.record import record
from tenax.stores.contracts.runs import Run

REQUEST = b"?"
REQUEST_WITH_STORE = b"!"
END_RUN = b"."


@record
class WorkerProcessReport:
    """Everything a supervisor knows of a worker; the newest replaces the ones before."""

    snapshot: WorkerSnapshot
    run: Run | None  # None: not open yet
    peak_rss_bytes: int
    ended: EngineResult | None = None  # its part in the run is over
    error: str | None = None  # the sentence that it failed with
    is_transient: bool = False  # what it failed with may pass
    exit_code: int = 0  # what it exits with, if it failed
    profile: WorkerProfile | None = None  # if one is wanted


@cache
def _get_adapter() -> TypeAdapter[WorkerProcessReport]:
    """Build it on first use: it takes 5 ms, and a crawl with one worker does not need it."""
    return TypeAdapter(WorkerProcessReport)


def format_report(report: WorkerProcessReport) -> bytes:
    return _get_adapter().dump_json(report) + b"\n"


def parse_report(line: bytes) -> WorkerProcessReport:
    return _get_adapter().validate_json(line)
