"""How a crawl has ended: for a person, for a program, and as an exit code."""

from pathlib import Path
from typing import Any

from tenax.cli.exits import Exit
from tenax.cli.render import clean, format_bytes, format_duration, format_moment
from tenax.cli.session import Result
from tenax.records import RunState

_ENDINGS = {
    RunState.DONE: "Done",
    RunState.BUDGET: "Page limit reached",
    RunState.STOPPED: "Stopped",
    RunState.FAILED: "Failed",
}


def choose_exit(result: Result) -> Exit:
    if result.ended.state is RunState.STOPPED:
        return Exit.STOPPED
    return Exit.DONE if result.summary.pages else Exit.NOTHING


def build_json(result: Result, data: Path) -> dict[str, Any]:
    tally, summary = result.tally, result.summary
    return {
        "run": result.ended.run.id,
        "state": result.ended.state,
        "is_resumed": result.ended.run.is_resumed,
        "data": str(data),
        "pages": tally.pages,
        "requests": tally.requests,
        "bytes": tally.wire_bytes,
        "outcomes": dict(tally.outcomes),
        "statuses": {str(status): count for status, count in sorted(tally.statuses.items())},
        "fates": summary.fates,
        "pages_stored": summary.pages,
        "queued": summary.queued,
        "duration_s": round(result.duration_s, 3),
        "cpu_s": round(result.cpu_s, 3),
        "peak_rss_bytes": result.peak_rss_bytes,
    }


def format_report(result: Result, data: Path) -> str:
    tally, summary = result.tally, result.summary
    ending = _ENDINGS[result.ended.state]
    lines = [
        f"{ending} after {format_duration(result.duration_s)}: {tally.pages:,} pages,"
        f" {tally.requests:,} requests, {format_bytes(tally.wire_bytes)}."
    ]
    fates = "   ".join(f"{fate} {count:,}" for fate, count in summary.fates.items())
    lines.append(f"  urls     {fates or 'none'}")
    lines.append(f"  stored   {summary.pages:,} pages in {data}")
    lines += [_format_troubled(troubled) for troubled in summary.troubled]
    lines.append(f"  next     {_choose_advice(result, data)}")
    return "\n".join(lines)


def _format_troubled(troubled: Any) -> str:
    until = f"; not before {format_moment(troubled.until)}" if troubled.until else "; next run"
    return f"  waiting  {troubled.queued:,} urls of {clean(troubled.domain)}: {clean(troubled.reason)}{until}"


def _choose_advice(result: Result, data: Path) -> str:
    if not result.ended.is_run_over:
        return "other processes go on with this crawl"
    if result.summary.queued:
        return "run the same command to go on"
    if not result.summary.pages:
        return f"tenax explain URL --data {data} says why nothing was fetched"
    return f"tenax status, explain URL, domains, export pages  (with --data {data})"
