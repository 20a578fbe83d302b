"""What was found, as a table, and whether it is good enough."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.document import format_markdown_table
from bench.machine import Machine
from tests.soak.measuring import EVERY_S, LISTENERS, POLITE_HOSTS, READERS, Load
from tests.support.load_clients import PATHS, Findings

DOCUMENT = Path(__file__).parents[2] / "docs" / "soak.md"
KEPT_AT_LEAST = 0.9
SLOWER_AT_MOST = 20.0
# Five connections to the file keep 8 MB of it each, as it grows.
GROWTH_AT_MOST, CACHES_BYTES = 1.1, 40_000_000
FDS_AT_MOST = 4
HEADER = ("", "idle", "polite crawl", "crawl at full speed")

_TEXT = """# Under load

Written by `make soak`; edit tests/soak, not this page.
{machine}

`tenax serve` with one worker crawls a local web. It is measured for {length_s:.0f} s alone, and for as
long while {readers} clients read {paths} every {every_s:.0f} s
and {listeners} of them also listen to the events of the crawl. The columns:

- *idle*: nothing is crawled, and one client asks;
- *polite crawl*: {hosts} hosts, one request a second to each, which is what a service does all day;
- *crawl at full speed*: without any delay. Server, worker, web and clients then share the {cores} cores, so
  whatever a client costs is taken from the crawl.

{table}

Demanded: no error; the polite crawl keeps {kept:.0%} of its rate; the 99th percentile of a read beside it is
at most {slower:.0f} times the idle one; the server's memory beside it ends at most a tenth above what it was
after 20 s. At full speed the store grows fast, and the caches of five connections with it: 40 MB at most.
Descriptors go back to what they were.

{verdict}"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    idle: Findings
    polite: Load
    full: Load
    length_s: float


def list_rows(figures: Figures) -> list[tuple[str, ...]]:
    loads = (figures.polite, figures.full)
    every = (figures.idle, figures.polite.found, figures.full.found)
    return [
        ("reads", *(str(len(each.waits_s)) for each in every)),
        ("errors", *(str(each.errors.total()) for each in every)),
        ("read, p50", *(_format_ms(each.percentile_s(0.5)) for each in every)),
        ("read, p99", *(_format_ms(each.percentile_s(0.99)) for each in every)),
        ("p99 beside idle", "1", *(f"{_slow(figures, load):.1f}" for load in loads)),
        ("events heard by each, least", "–", *(str(min(load.found.events.values())) for load in loads)),
        ("requests/s of the crawl, alone", "–", *(f"{load.alone_per_s:.1f}" for load in loads)),
        ("requests/s of the crawl, watched", "–", *(f"{load.loaded_per_s:.1f}" for load in loads)),
        ("of its rate it keeps", "–", *(f"{load.kept:.0%}" for load in loads)),
        ("CPU of the server, cores", "–", *(f"{load.cpu_share:.2f}" for load in loads)),
        ("memory after 20 s, MB", "–", *(f"{load.rss_bytes[0] / 1e6:.0f}" for load in loads)),
        ("memory in the end, MB", "–", *(f"{load.rss_bytes[1] / 1e6:.0f}" for load in loads)),
        ("descriptors more, afterwards", "–", *(str(load.fds_left) for load in loads)),
    ]


def judge(figures: Figures) -> list[str]:
    """What is not good enough."""
    complaints = []
    for name, load in (("polite", figures.polite), ("full speed", figures.full)):
        if load.found.errors:
            complaints.append(f"{name}: errors {dict(load.found.errors)}")
        if len(load.found.events) < LISTENERS:
            complaints.append(f"{name}: only {len(load.found.events)} listeners heard something")
        if load.rss_bytes[1] - load.rss_bytes[0] > CACHES_BYTES:
            complaints.append(f"{name}: the server's memory grows")
        if load.fds_left > FDS_AT_MOST:
            complaints.append(f"{name}: {load.fds_left} descriptors are left open")
    if figures.polite.rss_bytes[1] > GROWTH_AT_MOST * figures.polite.rss_bytes[0]:
        complaints.append("the server's memory is not flat")
    if figures.polite.kept < KEPT_AT_LEAST:
        complaints.append(f"the crawl keeps {figures.polite.kept:.0%} of its rate")
    if _slow(figures, figures.polite) > SLOWER_AT_MOST:
        complaints.append(f"a read takes {_slow(figures, figures.polite):.1f} times the idle time")
    return complaints


def save(figures: Figures, machine: Machine, complaints: Sequence[str]) -> None:
    rows: Sequence[Sequence[str]] = list_rows(figures)
    DOCUMENT.write_text(
        _TEXT.format(
            machine=machine.describe(),
            cores=machine.cores,
            length_s=figures.length_s,
            readers=READERS,
            listeners=LISTENERS,
            every_s=EVERY_S,
            hosts=POLITE_HOSTS,
            paths=", ".join(f"`{path}`" for path in PATHS),
            table=format_markdown_table(HEADER, rows),
            kept=KEPT_AT_LEAST,
            slower=SLOWER_AT_MOST,
            verdict="".join(f"- Not kept in this run: {each}.\n" for each in complaints)
            or "All of it was kept.\n",
        )
    )


def _slow(figures: Figures, load: Load) -> float:
    return load.found.percentile_s(0.99) / figures.idle.percentile_s(0.99)


def _format_ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"
