"""Where the time of a crawl went: as a JSON file, and as a short table."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from tenax import __version__
from tenax.cli.show.output import open_output
from tenax.cli.show.render import NOTHING, format_table
from tenax.errors import UsageError
from tenax.part_files import try_replacing
from tenax.profiling import InFlight, Total, WorkerProfile, sum_profiles
from tenax.visible import clean
from tenax.wording import count_of
from tenax.workers.session import CrawlResult

FORMAT = 1  # increase it when a field changes its meaning or goes away
STAGES_SHOWN = 10
OPERATIONS_SHOWN = 6


def check_target(path: Path) -> None:
    """Raise UsageError unless a profile can be written there, before hours are spent on it."""
    try:
        if path.exists() and not path.is_file():
            kind = "a directory" if path.is_dir() else "not a regular file"
            raise UsageError(f"Cannot write the profile to {path}: it is {kind}.")
        try_replacing(path)
    except OSError as error:
        raise UsageError(f"Cannot write the profile to {path}: {error.strerror or error}.") from error


def save_profile(path: Path, result: CrawlResult) -> None:
    """Raises TenaxError if it cannot be written."""
    with open_output(path) as file:
        file.write(orjson.dumps(build_profile(result), option=orjson.OPT_INDENT_2) + b"\n")


def build_profile(result: CrawlResult) -> dict[str, Any]:
    profiles = result.profiles
    return {
        "format": FORMAT,
        "tenax": __version__,
        "run": result.ended.run.id,
        "seconds": round(result.duration_s, 3),
        "pages": result.tally.pages,
        "workers": {
            "started": result.processes,
            "profiled": len(profiles),
            "whole": sum(each.is_whole for each in profiles),
        },
        **_build_figures(sum_profiles(profiles)),
        "by_worker": [
            {"pid": each.pid, "is_whole": each.is_whole, "pages": each.pages, **_build_figures(each)}
            for each in profiles
        ],
    }


def _build_figures(profile: WorkerProfile) -> dict[str, Any]:
    seconds = ("start_s", "crawl_s", "cpu_s", "loop_cpu_s", "core_wait_s", "busy_s", "other_s", "idle_s")
    return {
        **{name: round(getattr(profile, name), 6) for name in seconds},
        "stages": {
            name: {
                "count": total.count,
                "busy_s": round(total.seconds, 6),
                "share": _divide(total.seconds, profile.crawl_s),
                "us_per_page": _divide(1e6 * total.seconds, profile.pages),
            }
            for name, total in _sort(profile.stages)
        },
        "operations": {
            name: {
                "count": total.count,
                "wall_s": round(total.seconds, 6),
                "share": _divide(total.seconds, profile.crawl_s),
                "mean_ms": _divide(1e3 * total.seconds, total.count),
            }
            for name, total in _sort(profile.operations)
        },
        "in_flight": _build_in_flight(profile.in_flight),
    }


def _build_in_flight(found: InFlight) -> dict[str, float | None]:
    return {
        "mean": _divide(found.request_s, found.sampled_s),
        "none_share": _divide(found.none_s, found.sampled_s),
    }


def format_profile(path: Path, result: CrawlResult) -> str:
    """A table of the stages that take most of the time, and one of the longest operations."""
    profile = sum_profiles(result.profiles)
    workers = count_of(len(result.profiles), "worker")
    missing = result.processes - sum(each.is_whole for each in result.profiles)
    lines = [f"Where the time of {workers} went; all figures are in {clean(str(path))}."]
    if missing:
        lines.append(f"  {count_of(missing, 'worker')} died, and what they did last is missing.")
    lines += _format_stages(profile)
    lines += _format_operations(profile)
    flight = _build_in_flight(profile.in_flight)
    if flight["mean"] is not None and flight["none_share"] is not None:
        none = _format_share(flight["none_share"])
        lines.append(f"  requests in flight: {flight['mean']:.1f} per worker on average, none for {none}")
    if profile.core_wait_s:
        waited = _format_share(_divide(profile.core_wait_s, profile.crawl_s))
        lines.append(f"  no core was free for {waited}, which the stages include")
    return "\n".join(lines)


def _format_stages(profile: WorkerProfile) -> Iterator[str]:
    stages = [(name, total.seconds) for name, total in _sort(profile.stages)]
    rest_s = profile.other_s + sum(seconds for _, seconds in stages[STAGES_SHOWN:])
    rows = [*stages[:STAGES_SHOWN], ("other", rest_s), ("idle", profile.idle_s)]
    yield from _indent(
        ("stage", "µs/page", "share"),
        [
            (name, _format_per_page(seconds, profile), _format_share(_divide(seconds, profile.crawl_s)))
            for name, seconds in rows
        ],
    )


def _format_operations(profile: WorkerProfile) -> Iterator[str]:
    yield from _indent(
        ("operation", "ms each", "share"),
        [
            (
                name,
                f"{1e3 * total.seconds / total.count:,.1f}",
                _format_share(_divide(total.seconds, profile.crawl_s)),
            )
            for name, total in _sort(profile.operations)[:OPERATIONS_SHOWN]
        ],
    )


def _indent(headers: tuple[str, ...], rows: list[tuple[str, ...]]) -> Iterator[str]:
    yield from (f"  {line}" for line in format_table(headers, rows, right=frozenset((1, 2))))


def _format_per_page(seconds: float, profile: WorkerProfile) -> str:
    return f"{1e6 * seconds / profile.pages:,.1f}" if profile.pages else NOTHING


def _format_share(share: float | None) -> str:
    return NOTHING if share is None else f"{100 * share:.1f} %"


def _sort(totals: Mapping[str, Total]) -> list[tuple[str, Total]]:
    return sorted(totals.items(), key=lambda item: -item[1].seconds)


def _divide(amount: float, by: float) -> float | None:
    """None: there is nothing to divide by."""
    return round(amount / by, 6) if by else None
