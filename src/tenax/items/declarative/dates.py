"""Reads dates as pages write them. A date whose meaning is not certain is none: 03/04/2026 is a day of March
or of April, unless the language of the page decides.
"""

import re
from datetime import UTC, date, datetime
from typing import Final

from tenax.discover.feed_dates import parse_date as parse_feed_date

SEARCHED_CHARS: Final = 200

# By number; the English ones are known to the reader of feeds.
_MONTHS: Final = (
    "januar januari janvier enero gennaio janeiro ianuarie stycznia января ledna tammikuuta ocak january jan",
    "februar februari février fevrier febrero febbraio fevereiro lutego февраля února helmikuuta şubat"
    " february feb",
    "märz maerz mars marzo março marco maart marca марта března maaliskuuta mart march mar mär",
    "april avril abril aprile kwietnia апреля dubna huhtikuuta nisan apr",
    "mai maj mayo maggio maio mei maja мая května toukokuuta mayıs may",
    "juni juin junio giugno junho czerwca июня června kesäkuuta haziran june jun",
    "juli juillet julio luglio julho lipca июля července heinäkuuta temmuz july jul",
    "august août aout agosto augustus augusti sierpnia августа srpna elokuuta ağustos aug",
    "september septembre septiembre settembre setembro września сентября září syyskuuta eylül sept sep",
    "oktober octobre octubre ottobre outubro października октября října lokakuuta ekim october oct okt",
    "november novembre noviembre novembro listopada ноября listopadu marraskuuta kasım nov",
    "dezember december décembre decembre diciembre dicembre dezembro grudnia декабря prosince joulukuuta"
    " aralık desember dec dez des",
)
_NUMBERS: Final = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}

_DAY_FIRST: Final = re.compile(
    r"(?<![\w.])(\d{1,2})(?:\.|º|er|st|nd|rd|th)?,? (?:de |of )?([^\W\d]{3,15})\.?,? (?:de )?(\d{4})(?!\d)"
)
_MONTH_FIRST: Final = re.compile(r"(?<!\w)([^\W\d]{3,15})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})(?!\d)")
_YEAR_FIRST: Final = re.compile(r"(?<![\d-])(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)")
_EAST_ASIAN: Final = re.compile(r"(\d{4}) ?[年년] ?(\d{1,2}) ?[月월] ?(\d{1,2}) ?[日일]")
_NUMERIC: Final = re.compile(r"(?<![\d./-])(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?!\d)")
_HAS_TIME: Final = re.compile(r"\d{1,2}:\d{2}|\dT\d{2}", re.IGNORECASE)
_MONTH_BEFORE_DAY: Final = frozenset(("en-us", "en-ca", "en-ph"))


def parse_date(text: str, language: str | None = None) -> str | None:
    """Read a date as `2026-05-25`, or one with a time as `2026-05-25T09:23:17Z`. None: its meaning is not
    certain."""
    text = " ".join(text[:SEARCHED_CHARS].split())
    instant = parse_feed_date(text)
    if instant is not None:
        return _format(instant, has_time=_HAS_TIME.search(text) is not None)
    found = _find_day(text.lower(), language)
    return None if found is None else found.isoformat()


def _format(instant: float, *, has_time: bool) -> str | None:
    try:
        moment = datetime.fromtimestamp(instant, UTC)
    except (OverflowError, ValueError, OSError):
        return None
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ") if has_time else moment.date().isoformat()


def _find_day(text: str, language: str | None) -> date | None:
    """Find the first form that fits. ValueError is no day of the calendar."""
    try:
        if found := _YEAR_FIRST.search(text):
            return date(int(found[1]), int(found[3]), int(found[4]))
        if found := _EAST_ASIAN.search(text):
            return date(int(found[1]), int(found[2]), int(found[3]))
        if found := next((each for each in _DAY_FIRST.finditer(text) if each[2] in _NUMBERS), None):
            return date(int(found[3]), _NUMBERS[found[2]], int(found[1]))
        if found := next((each for each in _MONTH_FIRST.finditer(text) if each[1] in _NUMBERS), None):
            return date(int(found[3]), _NUMBERS[found[1]], int(found[2]))
        return _read_numeric(text, language)
    except ValueError:
        return None


def _read_numeric(text: str, language: str | None) -> date | None:
    found = _NUMERIC.search(text)
    if found is None:
        return None
    first, second, year = int(found[1]), int(found[3]), int(found[4])
    # Points and dashes stand between a day and its month; a slash says nothing.
    is_day_first = found[2] in ".-" or first > 12 or (language is not None and _writes_day_first(language))
    if is_day_first:
        return date(year, second, first)
    is_month_first = second > 12 or first == second or language in _MONTH_BEFORE_DAY
    return date(year, first, second) if is_month_first else None


def _writes_day_first(language: str) -> bool:
    """English is written by both."""
    return language not in _MONTH_BEFORE_DAY and language != "en"
