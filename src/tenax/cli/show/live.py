"""How a running crawl shows itself: a live panel on a terminal, a line every few seconds elsewhere."""

import re
from typing import Any, Protocol, TextIO

from tenax.cli.show.render import format_bytes, format_duration
from tenax.crawl.insight.progress import Progress
from tenax.crawl.insight.waiting import describe_foreign
from tenax.visible import clean
from tenax.wording import count_of

LINE_EVERY_S = 5.0
# A line that says the same is a sign of life, and logs are kept.
SAME_LINE_EVERY_S = 300.0

_SPAN = re.compile(r"[0-9.]+ (s|min|h|days?)\b")


class ProgressView(Protocol):
    def show(self, progress: Progress) -> None: ...

    def say(self, sentence: str) -> None:
        """Something that stays on the screen."""
        ...

    def close(self) -> None: ...


def open_view(stream: TextIO, *, is_quiet: bool) -> ProgressView:
    if is_quiet:
        return QuietView()
    return LiveView(stream) if stream.isatty() else LineView(stream)


class QuietView:
    def show(self, progress: Progress) -> None:
        pass

    def say(self, sentence: str) -> None:
        pass

    def close(self) -> None:
        pass


class LineView:
    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._last_s = 0.0
        self._last_said: tuple[object, ...] = ()

    def show(self, progress: Progress) -> None:
        said = list_news(progress)
        pause_s = LINE_EVERY_S if said != self._last_said else SAME_LINE_EVERY_S
        if progress.elapsed_s - self._last_s >= pause_s:
            self._last_s, self._last_said = progress.elapsed_s, said
            self.say(format_line(progress))

    def say(self, sentence: str) -> None:
        print(sentence, file=self._stream, flush=True)

    def close(self) -> None:
        pass


class LiveView:
    """Imports Rich where it is used: crawls without a terminal would pay 30 ms for it."""

    def __init__(self, stream: TextIO) -> None:
        from rich.console import Console
        from rich.live import Live

        self._console = Console(file=stream, highlight=False)
        # Without a thread that refreshes it: a process with threads cannot fork workers.
        self._live = Live(console=self._console, auto_refresh=False, transient=True)
        self._live.start()

    def show(self, progress: Progress) -> None:
        self._live.update(build_panel(progress), refresh=True)

    def say(self, sentence: str) -> None:
        self._console.print(sentence, markup=False, emoji=False)

    def close(self) -> None:
        self._live.stop()


def list_news(progress: Progress) -> tuple[object, ...]:
    """What a line tells besides the time that goes by: rates, forecasts and waits change with that alone."""
    foreign = progress.foreign_transaction
    return (
        progress.pages,
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
    if progress.domains_silent:
        parts.append(f"{count_of(progress.domains_silent, 'domain')} silent")
    if progress.outcomes.get("failed"):
        parts.append(f"{progress.outcomes['failed']:,} failed")
    if forecast := format_forecast(progress):
        parts.append(forecast)
    if progress.waiting_for:
        parts.append(f"waits: {clean(progress.waiting_for)}")
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
    # Below a second it is no forecast: the page under way may name a thousand new urls.
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
    table.add_row("queue", f"{progress.queued:,} urls   {progress.in_flight} requests under way")
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
        table.add_row("waits for", Text(clean(progress.waiting_for)))
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
