"""What a worker process and its supervisor say to each other, over a pair of sockets.

The supervisor sends a byte whenever it wants a report, and closes its side to end the worker; so its death
ends the worker as well. That a person wants the run to end is said before: whoever dies says nothing. The
worker answers with a line of JSON, and says by itself that a run is open, that it has ended and what it
failed of.
"""

from functools import cache

from pydantic import TypeAdapter

from tenax.crawl.engine import EngineResult
from tenax.crawl.insight.progress import WorkerSnapshot
from tenax.record import record
from tenax.stores.contracts.runs import Run

ASK = b"?"
ASK_WITH_STORE = b"!"
END_RUN = b"."


@record
class WorkerProcessReport:
    """Everything a worker has to say; the newest replaces those before."""

    snapshot: WorkerSnapshot
    run: Run | None  # None: not open yet
    peak_rss_bytes: int
    ended: EngineResult | None = None  # its part in the run is over
    error: str | None = None  # the sentence that it failed with
    is_transient: bool = False  # what it failed with may pass


@cache
def _get_adapter() -> TypeAdapter[WorkerProcessReport]:
    """Built when it is needed: 5 ms that a crawl with one worker need not spend."""
    return TypeAdapter(WorkerProcessReport)


def format_report(report: WorkerProcessReport) -> bytes:
    return _get_adapter().dump_json(report) + b"\n"


def parse_report(line: bytes) -> WorkerProcessReport:
    return _get_adapter().validate_json(line)
