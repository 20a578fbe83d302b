"""What was measured at one size of the store, and its column of a table."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bench.document import format_text_table
from bench.frontier.steps import Figures
from bench.goals import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    filled: Figures
    crawl: Figures
    first_claim_s: float  # from the start of the process, after a kill -9

    @property
    def urls(self) -> int:
        return int(self.filled["urls"])

    @property
    def urls_per_s(self) -> float:
        return self.filled["urls"] / self.filled["seconds"]

    @property
    def extra_bytes_per_url(self) -> float:
        """On disk, beyond the url itself."""
        return (self.filled["file_bytes"] - self.filled["url_bytes"]) / self.filled["urls"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The goals, for the largest size."""

    cpu_growth: float  # compared with the smallest
    rss_mb: int
    extra_bytes: int
    first_claim_s: float
    urls_per_s: int  # when it is filled


_ROWS: Sequence[tuple[str, Callable[[Size], str]]] = (
    ("urls", lambda size: f"{size.urls:,}"),
    ("fill, s", lambda size: f"{size.filled['seconds']:,.0f}"),
    ("fill, urls/s", lambda size: f"{size.urls_per_s:,.0f}"),
    ("fill, urls/s in the slowest twentieth", lambda size: f"{size.filled['slowest_per_s']:,.0f}"),
    ("CPU per page, ms", lambda size: f"{size.crawl['cpu_ms_per_page']:.3f}"),
    ("peak RSS, MB", lambda size: f"{size.crawl['peak_rss_mb']:,.0f}"),
    ("bytes per url on disk beyond the url", lambda size: f"{size.extra_bytes_per_url:.0f}"),
    ("kill -9, start to first claim, s", lambda size: f"{size.first_claim_s:.2f}"),
    ("claim of 64 domains by an idle worker, ms", lambda size: f"{size.crawl['claim_ms_first']:.1f}"),
    ("claim by a busy worker, median, ms", lambda size: f"{size.crawl['claim_ms_median']:.1f}"),
    ("claim by a busy worker, worst, ms", lambda size: f"{size.crawl['claim_ms_worst']:.1f}"),
    ("load of the claimed domains, median, ms", lambda size: f"{size.crawl['load_ms_median']:.1f}"),
    ("settle per page, ms of wall time", lambda size: f"{size.crawl['settle_ms_per_page']:.3f}"),
    ("read from the disk per page, kB", lambda size: f"{size.crawl['read_kb_per_page']:.0f}"),
    ("written per page, kB", lambda size: f"{size.crawl['written_kb_per_page']:.0f}"),
    ("domains claimed", lambda size: f"{size.crawl['domains']:,.0f}"),
    ("pages per batch", lambda size: f"{size.crawl['pages_per_batch']:.0f}"),
    ("overview for the live view, ms", lambda size: f"{size.crawl['overview_ms']:.1f}"),
)


def list_rows(sizes: Sequence[Size]) -> list[list[str]]:
    return [[name, *(show(size) for size in sizes)] for name, show in _ROWS]


def judge(sizes: Sequence[Size], limits: Limits) -> list[Verdict]:
    smallest, largest = sizes[0], sizes[-1]
    names = f"{largest.urls:,} urls", f"{smallest.urls:,}"
    growth = largest.crawl["cpu_ms_per_page"] / smallest.crawl["cpu_ms_per_page"]
    rss_mb = max(size.crawl["peak_rss_mb"] for size in sizes)
    extra, claim_s = largest.extra_bytes_per_url, largest.first_claim_s
    return [
        Verdict(
            goal=f"CPU per page at {names[0]} at most {limits.cpu_growth} × that at {names[1]}",
            measured=f"{growth:.2f}",
            is_met=growth <= limits.cpu_growth,
        ),
        Verdict(
            goal=f"RSS at most {limits.rss_mb} MB",
            measured=f"{rss_mb:.0f} MB",
            is_met=rss_mb <= limits.rss_mb,
        ),
        Verdict(
            goal=f"at most {limits.extra_bytes} bytes per url on disk beyond the url",
            measured=f"{extra:.0f}",
            is_met=extra <= limits.extra_bytes,
        ),
        Verdict(
            goal=f"first claim within {limits.first_claim_s:g} s of the start at {names[0]}",
            measured=f"{claim_s:.2f} s",
            is_met=claim_s <= limits.first_claim_s,
        ),
        Verdict(
            goal=f"at least {limits.urls_per_s:,} urls/s while it is filled",
            measured=f"{largest.urls_per_s:,.0f}",
            is_met=largest.urls_per_s >= limits.urls_per_s,
        ),
    ]


def format_verdicts(verdicts: Sequence[Verdict]) -> str:
    goals = [(verdict.goal, verdict.measured, verdict.word) for verdict in verdicts]
    return format_text_table(("goal", "measured", ""), goals)
