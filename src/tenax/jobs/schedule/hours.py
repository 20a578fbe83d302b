"""The hours in which a job may start: days of the week, from and until, in local time of its time zone. Pure.

At clock changes, a window that would open in the skipped hour opens at the same instant as if clocks had not
changed; an hour that occurs twice belongs to the window both times.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from math import inf
from typing import Any, Final
from zoneinfo import ZoneInfo

import orjson

from tenax.clock import Instant
from tenax.errors import ConfigError
from tenax.record import record

DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
FULL_DAY: Final = 24 * 60
# A window opens at least once a week. The gap is longer if a clock change skips one.
_DAYS_AHEAD: Final = 15
_FORM: Final = "active_hours must look like {'days': ['mon', 'fri'], 'from': '08:00', 'until': '18:00'}"
_TIME: Final = re.compile(r"([01]\d|2[0-3]):([0-5]\d)|24:00")


@record
class WeeklyHours:
    days: frozenset[int]  # on which a window opens; 0 is Monday
    opens: int  # minutes since midnight
    closes: int  # the same; if not after `opens`, on the next day
    zone: tzinfo


def parse_zone(name: str) -> tzinfo:
    if name == "UTC":
        return UTC  # works even without time zone data
    try:
        # Names become file paths: accept only well-formed ones.
        if re.fullmatch(r"[A-Za-z][A-Za-z0-9_+\-/]{0,63}", name) is None:
            raise ValueError(name)
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError) as error:
        hint = (
            "use a name such as Europe/Vienna"
            if _has_zones()
            else ("this system only knows UTC; install tzdata")
        )
        raise ConfigError(f"{name!r} is not a known time zone: {hint}.") from error


def _has_zones() -> bool:
    try:
        return ZoneInfo("Europe/Vienna").key is not None
    except (OSError, KeyError):
        return False


def parse_hours(text: str | None, timezone: str) -> WeeklyHours | None:
    """Parse active hours from JSON; None: always."""
    zone = parse_zone(timezone)
    if text is None:
        return None
    try:
        given = orjson.loads(text)
    except ValueError as error:
        raise ConfigError(f"{_FORM}.") from error
    if not isinstance(given, dict) or not given.keys() <= {"days", "from", "until"}:
        raise ConfigError(f"{_FORM}.")
    return WeeklyHours(
        days=_parse_days(given.get("days", list(DAYS))),
        opens=_parse_time(given.get("from", "00:00")) % FULL_DAY,
        closes=_parse_time(given.get("until", "24:00")),
        zone=zone,
    )


def _parse_days(given: Any) -> frozenset[int]:
    if not isinstance(given, list) or not given or any(day not in DAYS for day in given):
        raise ConfigError(f"{_FORM}; the days are {', '.join(DAYS)}.")
    return frozenset(DAYS.index(day) for day in given)


def _parse_time(given: Any) -> int:
    if not isinstance(given, str) or _TIME.fullmatch(given) is None:
        raise ConfigError(f"{_FORM}; times are between 00:00 and 24:00.")
    hours, minutes = given.split(":")
    return 60 * int(hours) + int(minutes)


def find_open(hours: WeeklyHours | None, at: Instant) -> Instant:
    """This instant if it is in a window, otherwise the start of the next window."""
    if hours is None:
        return at
    for begins_at, ends_at in _iter_windows(hours, at):
        if at < ends_at and begins_at < ends_at:
            return max(at, begins_at)
    return at


def keep_hours(hours: WeeklyHours | None, ticks: Iterable[Instant]) -> Iterator[Instant]:
    """When the job starts for these ticks, given in order: ticks outside the windows become one start when
    the next window opens."""
    if hours is None:
        yield from ticks
        return
    last = begins_at = ends_at = -inf
    windows: Iterator[tuple[Instant, Instant]] = iter(())
    for tick in ticks:
        if last == -inf:
            windows = _iter_windows(hours, tick)
        while tick >= ends_at or begins_at >= ends_at:
            begins_at, ends_at = next(windows, (-inf, inf))
        at = max(tick, begins_at)
        if at != last:
            yield at
        last = at


def _iter_windows(hours: WeeklyHours, at: Instant) -> Iterator[tuple[Instant, Instant]]:
    """All windows in order, from the one that may have opened the day before."""
    today = datetime.fromtimestamp(at, hours.zone).date()
    length = (hours.closes - hours.opens) % FULL_DAY or FULL_DAY
    for offset in range(-1, _DAYS_AHEAD):
        day = today + timedelta(days=offset)
        if day.weekday() in hours.days:
            begins_at = _find_instant(day, hours.opens, hours.zone, fold=0)
            yield begins_at, _find_instant(day, hours.opens + length, hours.zone, fold=1)


def _find_instant(day: date, minutes: int, zone: tzinfo, *, fold: int) -> Instant:
    """The instant of a local time: the first occurrence with fold 0, the last with fold 1."""
    days, rest = divmod(minutes, FULL_DAY)
    shown = datetime.combine(day + timedelta(days=days), time(rest // 60, rest % 60, fold=fold), zone)
    return shown.astimezone(UTC).timestamp()
