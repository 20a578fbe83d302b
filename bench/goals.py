"""The goals of the benchmark, and whether a run meets them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bench.measure import Result
from bench.startup import Startup


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    goal: str
    measured: str
    is_met: bool | None  # None: not measured in this run

    @property
    def word(self) -> str:
        return "–" if self.is_met is None else "met" if self.is_met else "not met"


def get_cost(result: Result) -> float:
    return result.cpu_ms_per_page


def get_speed(result: Result) -> float:
    return result.pages_per_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """A figure of one crawler over the same figure of another, on one web, in one run."""

    web: str
    of: str
    to: str
    limit: float
    text: str
    figure: Callable[[Result], float] = get_cost
    is_least: bool = False  # the limit is a minimum, not a maximum


RATIOS = (
    Ratio(web="small", of="tenax", to="spider-rs", limit=1.25, text="CPU at most 1.25 × that of spider-rs"),
    Ratio(web="small", of="tenax", to="scrapy", limit=1 / 20, text="CPU at most 1/20 of Scrapy"),
    Ratio(web="small", of="tenax", to="floor", limit=4.2, text="CPU at most 4.2 × the floor"),
    Ratio(web="heavy", of="tenax", to="spider-rs", limit=1 / 5, text="CPU at most 1/5 of spider-rs"),
    Ratio(web="heavy", of="tenax", to="scrapy", limit=1 / 15, text="CPU at most 1/15 of Scrapy"),
    *(
        Ratio(
            web=web,
            of="tenax ×2",
            to="tenax, two stores",
            limit=0.92,
            text="two workers on one store: at least 0.92 of the pages/s of two crawls on two stores",
            figure=get_speed,
            is_least=True,
        )
        for web in ("small", "heavy")
    ),
)
HELP_CPU_S = 0.3
FIRST_REQUEST_S = 1.0


def find_ratio(
    results: Sequence[Result], web: str, of: str, to: str, figure: Callable[[Result], float]
) -> float | None:
    """None if one of the two was not measured."""
    figures = {
        result.crawler: figure(result) for result in results if result.web == web and not result.problem
    }
    return figures[of] / figures[to] if of in figures and to in figures else None


def judge(results: Sequence[Result], startup: Startup) -> list[Verdict]:
    return [*(_judge_ratio(results, ratio) for ratio in RATIOS), *_judge_startup(startup)]


def _judge_ratio(results: Sequence[Result], ratio: Ratio) -> Verdict:
    goal = f"{ratio.web} pages: {ratio.text}"
    found = find_ratio(results, ratio.web, ratio.of, ratio.to, ratio.figure)
    if found is None:
        return Verdict(goal=goal, measured="not measured", is_met=None)
    is_met = found >= ratio.limit if ratio.is_least else found <= ratio.limit
    return Verdict(goal=goal, measured=format_ratio(found), is_met=is_met)


def _judge_startup(startup: Startup) -> list[Verdict]:
    return [
        Verdict(
            goal=f"`tenax --help` within {HELP_CPU_S} s of CPU",
            measured=f"{startup.help_cpu_s:.2f} s",
            is_met=startup.help_cpu_s <= HELP_CPU_S,
        ),
        Verdict(
            goal=f"first request of a crawl within {FIRST_REQUEST_S:g} s of its start",
            measured=f"{startup.first_request_s:.2f} s",
            is_met=startup.first_request_s <= FIRST_REQUEST_S,
        ),
    ]


def format_ratio(ratio: float) -> str:
    """Format a ratio; less than a third reads better as a fraction."""
    return f"1/{1 / ratio:.1f}" if ratio < 1 / 3 else f"{ratio:.2f}"
