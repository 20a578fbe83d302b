"""How a running crawl shows its progress: a live panel on a terminal, a line every few seconds elsewhere."""

import re
from typing import Any, TextIO

from tenax.cli.show.found_items import list_counts
from tenax.cli.show.render import format_bytes, format_duration
from tenax.crawl.insight.progress import Progress
from tenax.crawl.insight.waiting import describe_foreign
from tenax.visible import clean
from tenax.wording import count_of
from tenax.workers.views import ProgressView, QuietView

LINE_EVERY_S = 5.0
# A line that repeats the last one only shows that the crawl is alive, and logs are kept.
SAME_LINE_EVERY_S = 300.0

_SPAN = re.compile(r"[0-9.]+ (s|min|h|days?)\b")


def open_view(stream: TextIO, *, is_quiet: bool) -> ProgressView:
    if is_quiet:
        return QuietView()
    return LiveView(stream) if stream.isatty() else LineView(stream)


class LineView:
    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._last_s = 0.0
        self._last_shown: tuple[object, ...] = ()

    def show(self, progress: Progress) -> None:
        shown = list_shown(progress)
        pause_s = LINE_EVERY_S if shown != self._last_shown else SAME_LINE_EVERY_S
        if progress.elapsed_s - self._last_s >= pause_s:
            self._last_s, self._last_shown = progress.elapsed_s, shown
            self.notify(format_line(progress))

    def notify(self, message: str) -> None:
        print(message, file=self._stream, flush=True)

    def close(self) -> None:
        pass


class LiveView:
    """Imports Rich late: crawls without a terminal would spend 30 ms on it."""

    def __init__(self, stream: TextIO) -> None:
        from rich.console import Console
        from rich.live import Live

        self._console = Console(file=stream, highlight=False)
        # Without a refresh thread: a process with threads cannot fork workers.
        self._live = Live(console=self._console, auto_refresh=False, transient=True)
        self._live.start()

    def show(self, progress: Progress) -> None:
        self._live.update(build_panel(progress), refresh=True)

    def notify(self, message: str) -> None:
        self._console.print(message, markup=False, emoji=False)

    def close(self) -> None:
        self._live.stop()


def list_shown(progress: Progress) -> tuple[object, ...]:
    """What a line shows, except for rates, forecasts and waits: they change with time alone."""
    foreign = progress.foreign_transaction
    return (
        progress.pages,
        progress.items,
        progress.invalid_items,
        progress.parser_errors,
        progress.wire_bytes,
        progress.queued,
        progress.domains_silent,
        progress.outcomes.get("failed"),
        _SPAN.sub("", progress.waiting_for or ""),
        progress.notice,
        foreign and (foreign.session, foreign.is_blocking),
    )


def format_line(progress: Progress) -> str:
    parts = [
        format_seconds(progress.elapsed_s),
        count_of(progress.pages, "page"),
        f"{progress.pages_per_s:.1f}/s",
        format_bytes(progress.wire_bytes),
        f"{progress.queued:,} queued",
    ]
    parts[2:2] = list_counts(progress.items, progress.invalid_items, progress.parser_errors)
    if progress.domains_silent:
        parts.append(f"{count_of(progress.domains_silent, 'domain')} silent")
    if progress.outcomes.get("failed"):
        parts.append(f"{progress.outcomes['failed']:,} failed")
    if forecast := format_forecast(progress):
        parts.append(forecast)
    if progress.waiting_for:
        parts.append(f"waiting: {clean(progress.waiting_for)}")
    if progress.notice:
        parts.append(f"notice: {clean(progress.notice)}")
    if progress.foreign_transaction:
        parts.append(f"notice: {clean(describe_foreign(progress.foreign_transaction))}")
    return "  ".join(parts)


def format_seconds(seconds: float) -> str:
    return format_duration(float(round(seconds)))


def format_forecast(progress: Progress) -> str:
    if progress.forecast_s is None:
        return "time left unknown"
    # Below a second it is not a forecast: the current page may link to a thousand new urls.
    return f"at least {format_seconds(progress.forecast_s)} left" if progress.forecast_s >= 1 else ""


def build_panel(progress: Progress) -> Any:
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim")
    table.add_column()
    table.add_row(
        "pages",
        f"{progress.pages:,}   {progress.pages_per_s:.1f}/s   {format_bytes(progress.wire_bytes)}",
    )
    if said := list_counts(progress.items, progress.invalid_items, progress.parser_errors):
        table.add_row("items", "   ".join(said))
    table.add_row("queue", f"{progress.queued:,} urls   {progress.in_flight} requests in progress")
    if progress.workers > 1:
        table.add_row("workers", f"{progress.workers}")
    table.add_row("visits", format_outcomes(progress.outcomes) or "none yet")
    silent = f" ({progress.domains_silent:,} silent)" if progress.domains_silent else ""
    table.add_row(
        "domains",
        f"{progress.domains_active:,} active{silent}   {progress.domains_resting:,} resting"
        f"   {progress.domains_blocked:,} blocked",
    )
    table.add_row("time", Text(f"{format_seconds(progress.elapsed_s)}   {describe_forecast(progress)}"))
    if progress.waiting_for:
        table.add_row("waiting", Text(clean(progress.waiting_for)))
    if progress.notice:
        table.add_row("notice", Text(clean(progress.notice)))
    if progress.foreign_transaction:
        table.add_row("notice", Text(clean(describe_foreign(progress.foreign_transaction))))
    return table


def describe_forecast(progress: Progress) -> str:
    text = format_forecast(progress)
    if text and progress.forecast_s and progress.slowest_domain:
        text += f" (longest queue: {clean(progress.slowest_domain)})"
    return text


def format_outcomes(outcomes: dict[str, int]) -> str:
    ordered = sorted(outcomes.items(), key=lambda item: -item[1])
    return "   ".join(f"{name} {count:,}" for name, count in ordered)
