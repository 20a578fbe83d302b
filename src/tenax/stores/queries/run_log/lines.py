"""Lines of a run's log, as text and as fields for JSON. Pure."""

from enum import StrEnum
from typing import Any

from tenax.clock import Instant, format_instant
from tenax.record import record


class LogKind(StrEnum):
    VISIT = "visit"
    DOMAIN = "domain"  # its status changed
    WORKER = "worker"  # it joined, left or died
    RUN = "run"


@record
class LogLine:
    at: Instant
    kind: LogKind
    event: str  # the outcome of a visit, the new status of a domain or run, or what a worker did
    domain: str | None = None
    url: str | None = None  # None for a visit: robots.txt
    status: int | None = None
    duration_ms: int | None = None
    wire_bytes: int | None = None
    detail: str | None = None  # why
    worker: int | None = None


def format_log_line(line: LogLine) -> str:
    """One line of plain text. Unprintable characters are escaped, as urls and details come from the web."""
    if line.kind is LogKind.VISIT:
        where = line.url or f"robots.txt of {line.domain}"
        size = f"{line.duration_ms} ms {line.wire_bytes} B"
        words = [line.event, str(line.status or "-"), size, where]
    else:
        words = [line.kind, line.domain or str(line.worker or ""), line.event]
    if line.detail:
        words.append(f"({line.detail})")
    text = " ".join(word for word in words if word)
    return f"{format_instant(line.at)} {_escape(text)}"


def list_fields(line: LogLine) -> dict[str, Any]:
    """The fields of a line for JSON."""
    return {
        "at": format_instant(line.at),
        "kind": line.kind,
        "event": line.event,
        "domain": line.domain,
        "url": line.url,
        "status": line.status,
        "duration_ms": line.duration_ms,
        "wire_bytes": line.wire_bytes,
        "detail": line.detail,
        "worker": line.worker,
    }


def _escape(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text
    )
