import zoneinfo
from collections.abc import Iterator
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from tenax.errors import ConfigError
from tenax.jobs.schedule.hours import WeeklyHours, find_open, parse_hours, parse_zone

VIENNA = "Europe/Vienna"


def hours(text: str, zone: str = VIENNA) -> WeeklyHours | None:
    return parse_hours(text, zone)


def at(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def open_at(text: str, moment: str, zone: str = VIENNA) -> str:
    found = find_open(hours(text, zone), at(moment))
    return datetime.fromtimestamp(found, UTC).isoformat(timespec="minutes").replace("+00:00", "Z")


WORK = '{"days": ["mon", "tue", "wed", "thu", "fri"], "from": "08:00", "until": "18:00"}'
NIGHT = '{"days": ["fri"], "from": "22:00", "until": "04:00"}'


@pytest.mark.parametrize(
    ("moment", "opens"),
    [
        ("2026-06-01T08:00+02:00", "2026-06-01T06:00Z"),  # a Monday, as it opens
        ("2026-06-01T07:59+02:00", "2026-06-01T06:00Z"),
        ("2026-06-01T17:59+02:00", "2026-06-01T15:59Z"),
        ("2026-06-01T18:00+02:00", "2026-06-02T06:00Z"),
        ("2026-06-05T18:00+02:00", "2026-06-08T06:00Z"),  # Friday evening
        ("2026-12-07T07:00+01:00", "2026-12-07T07:00Z"),  # an hour later in winter
    ],
)
def test_a_time_outside_waits_for_the_next_opening(moment: str, opens: str) -> None:
    assert open_at(WORK, moment) == opens


@pytest.mark.parametrize(
    ("moment", "opens"),
    [
        ("2026-06-05T23:00+02:00", "2026-06-05T21:00Z"),
        ("2026-06-06T03:59+02:00", "2026-06-06T01:59Z"),  # Saturday, but of Friday's night
        ("2026-06-06T04:00+02:00", "2026-06-12T20:00Z"),
        ("2026-06-05T03:00+02:00", "2026-06-05T20:00Z"),  # Friday, but of Thursday's night
    ],
)
def test_a_window_across_midnight_belongs_to_the_day_on_which_it_opens(moment: str, opens: str) -> None:
    assert open_at(NIGHT, moment) == opens


def test_an_opening_that_clocks_jump_over_comes_as_late_as_it_would_have() -> None:
    # In Vienna 2026-03-29 has no 02:30.
    assert open_at('{"from": "02:30", "until": "05:00"}', "2026-03-29T00:00+01:00") == "2026-03-29T01:30Z"


def test_a_window_that_a_jump_swallows_is_left_out_that_day() -> None:
    assert open_at('{"from": "02:30", "until": "03:00"}', "2026-03-29T00:00+01:00") == "2026-03-30T00:30Z"


def test_an_hour_that_comes_twice_belongs_to_its_window_both_times() -> None:
    # In Vienna 2026-10-25 has 02:00 to 03:00 twice.
    window = '{"from": "02:00", "until": "02:30"}'
    assert open_at(window, "2026-10-25T02:10+02:00") == "2026-10-25T00:10Z"
    assert open_at(window, "2026-10-25T02:10+01:00") == "2026-10-25T01:10Z"
    assert open_at(window, "2026-10-25T02:30+01:00") == "2026-10-26T01:00Z"


def test_leap_day_is_a_day() -> None:
    assert open_at('{"days": ["tue"], "from": "09:00"}', "2028-02-28T12:00Z", "UTC") == "2028-02-29T09:00Z"


def test_until_midnight_and_from_midnight_join() -> None:
    assert open_at('{"days": ["mon", "tue"]}', "2026-06-01T23:59Z", "UTC") == "2026-06-01T23:59Z"
    assert open_at('{"days": ["mon", "tue"]}', "2026-06-02T00:00Z", "UTC") == "2026-06-02T00:00Z"


def test_without_hours_it_is_always_open() -> None:
    assert find_open(parse_hours(None, "UTC"), 12345.6) == 12345.6


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"day": ["mon"]}',
        '{"days": []}',
        '{"days": ["monday"]}',
        '{"days": "mon"}',
        '{"from": "8:00"}',
        '{"from": "24:30"}',
        '{"until": 18}',
    ],
)
def test_hours_that_make_no_sense_are_refused_with_an_example(text: str) -> None:
    with pytest.raises(ConfigError, match="active_hours must look like"):
        parse_hours(text, "UTC")


@pytest.mark.parametrize(
    "name", ["", "Mars/Olympus", "../../etc/passwd", "/etc/localtime", "Europe", "a\0b", "ä"]
)
def test_a_timezone_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match="is not a known time zone"):
        parse_zone(name)


@pytest.fixture
def no_zones() -> Iterator[None]:
    """As on a system without any."""
    zoneinfo.reset_tzpath(to=[])
    ZoneInfo.clear_cache()
    yield
    zoneinfo.reset_tzpath()


@pytest.mark.usefixtures("no_zones")
def test_utc_needs_no_system_that_knows_timezones() -> None:
    hours = parse_hours('{"days": ["mon"], "from": "08:00", "until": "18:00"}', "UTC")
    at = find_open(hours, 0.0)  # a Thursday
    assert datetime.fromtimestamp(at, UTC).isoformat() == "1970-01-05T08:00:00+00:00"
