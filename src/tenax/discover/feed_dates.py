"""Parses the dates of feeds: RFC 822, ISO 8601 and common deviations from them.

A date is parsed completely or not at all: a date without a day, with an ambiguous zone or with unknown parts
is None. Only a time without any zone is read as UTC, as all feed readers do.
"""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Final
from zoneinfo import ZoneInfo

from tenax.clock import Instant

MAX_LENGTH: Final = 100

_MONTHS: Final = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_MONTH_NAMES: Final = tuple(month[:3] for month in _MONTHS)
# In minutes. Those of RFC 822, and others with only one meaning: not BST, not IST, no letter but Z.
_OFFSETS: Final = {
    name: minutes
    for minutes, names in (
        (0, "z ut utc gmt wet"),
        (60, "west cet met mez"),
        (120, "cest mest mesz eet"),
        (180, "eest msk"),
        (480, "awst hkt sgt"),
        (540, "jst kst"),
        (570, "acst"),
        (600, "aest"),
        (630, "acdt"),
        (660, "aedt"),
        (720, "nzst"),
        (780, "nzdt"),
        (-150, "ndt"),
        (-180, "adt"),
        (-210, "nst"),
        (-240, "ast edt"),
        (-300, "est cdt"),
        (-360, "cst mdt"),
        (-420, "mst pdt"),
        (-480, "pst akdt"),
        (-540, "akst"),
        (-600, "hst"),
    )
    for name in names.split()
}
# Names for which the date decides whether daylight saving time applies.
_REGIONS: Final = {
    "at": "America/Halifax",
    "et": "America/New_York",
    "ct": "America/Chicago",
    "mt": "America/Denver",
    "pt": "America/Los_Angeles",
}
_MAX_OFFSET: Final = 14 * 60

_COMMENT = re.compile(r"\([^()]*\)")
_WEEKDAY = re.compile(r"(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,? |[^\W\d]+\.?, ?", re.IGNORECASE)
_TIME = (
    r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,](?P<fraction>\d{1,9}))?)?"
    r"(?: ?(?P<half>[ap])\.?m\b\.?)?"
)
_COMPACT_TIME = (
    r"(?P<hour>\d{2})(?P<minute>\d{2})(?:(?P<second>\d{2})(?:[.,](?P<fraction>\d{1,9}))?)?(?P<half>)"
)
_ZONE = r"(?: ?(?P<zone>[a-z+-][a-z0-9_/:+ -]*))?"
_FORMS: Final = tuple(
    re.compile(form, re.IGNORECASE | re.ASCII)
    for form in (
        # 2004-05-25T11:23:17+02:00, 2004/05/25 11:23, 2004-05-25
        rf"(?P<year>\d{{4}})([-/])(?P<month>\d{{1,2}})\2(?P<day>\d{{1,2}})(?:(?: ?t ?| ){_TIME})?{_ZONE}",
        # 20040525T112317Z
        rf"(?P<year>\d{{4}})(?P<month>\d{{2}})(?P<day>\d{{2}})(?:t{_COMPACT_TIME}{_ZONE})?",
        # 2004-146T11:23Z: the day of the year
        rf"(?P<year>\d{{4}})-?(?P<ordinal>\d{{3}})(?:t{_TIME}{_ZONE})?",
        # 25 May 2004 11:23:17 GMT, 25-May-04
        rf"(?P<day>\d{{1,2}})(?:[ -]|\. )(?P<month>[a-z]{{3,9}})\.?[ ,-] ?(?P<year>\d{{4}}|\d{{2}})"
        rf"(?:,? {_TIME}{_ZONE})?",
        # May 25, 2004 11:23 PM EDT
        rf"(?P<month>[a-z]{{3,9}})\.? (?P<day>\d{{1,2}}),? (?P<year>\d{{4}})(?:,? {_TIME}{_ZONE})?",
        # May 25 11:23:17 2004
        rf"(?P<month>[a-z]{{3,9}})\.? (?P<day>\d{{1,2}}) {_TIME}(?: (?P<zone>[a-z+-][a-z0-9:+-]*))?"
        r" (?P<year>\d{4})",
    )
)
_OFFSET = re.compile(
    r"(?P<name>[a-z]*) ?(?P<sign>[+-]) ?(?P<hours>\d{1,2})(?::?(?P<minutes>\d{2}))?(?: [a-z]+)?"
)
_PLACE = re.compile(r"[a-z]+(?:/[a-z_]+){1,2}", re.IGNORECASE)


def parse_date(text: str) -> Instant | None:
    """Parse a date; None: its meaning is not certain."""
    if len(text) > MAX_LENGTH:
        return None
    tidy = " ".join(_COMMENT.sub(" ", text).split())
    tidy = tidy[weekday.end() :] if (weekday := _WEEKDAY.match(tidy)) else tidy
    for form in _FORMS:
        if found := form.fullmatch(tidy):
            try:
                return _find_instant(found.groupdict())
            except (ValueError, OverflowError):
                return None
    return None


def _find_instant(found: dict[str, str | None]) -> Instant | None:
    """Raises ValueError or OverflowError for an impossible date or time."""
    local = _find_day(found) + _find_time(found)
    zone = (found.get("zone") or "").strip()
    where = _find_zone(zone.lower(), zone) if zone else UTC
    return _place(local, where).timestamp() if where is not None else None


def _find_day(found: dict[str, str | None]) -> datetime:
    year = _find_year(found["year"] or "")
    if ordinal := found.get("ordinal"):
        day = datetime(year, 1, 1) + timedelta(days=int(ordinal) - 1)
        if day.year != year:
            raise ValueError(ordinal)
        return day
    return datetime(year, _find_month(found["month"] or ""), int(found["day"] or ""))


def _find_year(text: str) -> int:
    year = int(text)
    if len(text) == 2:  # RFC 2822 §4.3
        return year + (2000 if year < 50 else 1900)
    return year


def _find_month(text: str) -> int:
    if text.isdigit():
        return int(text)
    name = text.lower()
    if len(name) > 3 and name not in (*_MONTHS, "sept"):
        raise ValueError(name)
    return 1 + _MONTH_NAMES.index(name[:3])


def _find_time(found: dict[str, str | None]) -> timedelta:
    if not found.get("hour"):
        return timedelta()
    hour, minute, second = (int(found[name] or 0) for name in ("hour", "minute", "second"))
    if half := found["half"]:
        hour = _find_hour(hour, half.lower())
    is_midnight = hour == 24 and minute == second == 0  # at the end of the day
    if (
        (hour > 23 and not is_midnight) or minute > 59 or second > 60
    ):  # a leap second belongs to the next minute
        raise ValueError(hour, minute, second)
    microseconds = int((found["fraction"] or "").ljust(6, "0")[:6])
    return timedelta(hours=hour, minutes=minute, seconds=second, microseconds=microseconds)


def _find_hour(hour: int, half: str) -> int:
    if not 1 <= hour <= 12:
        raise ValueError(hour)
    return hour % 12 + (12 if half == "p" else 0)


def _find_zone(name: str, as_written: str) -> tzinfo | None:
    """None: it is unknown or ambiguous."""
    if name in _OFFSETS:
        return timezone(timedelta(minutes=_OFFSETS[name]))
    if offset := _OFFSET.fullmatch(name):
        return _read_offset(offset)
    key = _REGIONS.get(name) or (as_written if _PLACE.fullmatch(as_written) else None)
    try:
        return ZoneInfo(key) if key else None
    except (KeyError, OSError, ValueError):
        return None  # no such place, or a system without a zone database


def _read_offset(offset: re.Match[str]) -> tzinfo | None:
    minutes = int(offset["hours"]) * 60 + int(offset["minutes"] or 0)
    if minutes > _MAX_OFFSET or int(offset["minutes"] or 0) > 59:
        return None
    signed = -minutes if offset["sign"] == "-" else minutes
    name = offset["name"]
    # "GMT+2" counts from GMT. Any other name with an offset must have that offset, or it contradicts itself.
    if name not in ("", "utc", "gmt", "ut") and _OFFSETS.get(name) != signed:
        return None
    return timezone(timedelta(minutes=signed))


def _place(local: datetime, zone: tzinfo) -> datetime:
    """Raises ValueError for hours that occur twice or never in the zone."""
    first, second = local.replace(tzinfo=zone, fold=0), local.replace(tzinfo=zone, fold=1)
    if first.utcoffset() != second.utcoffset():
        raise ValueError(local)
    return first
