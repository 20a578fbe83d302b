from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from tenax.jobs.schedule.hours import DAYS, find_open, parse_hours

VIENNA = "Europe/Vienna"


@given(
    days=st.sets(st.sampled_from(DAYS), min_size=1).map(sorted),
    begins=st.integers(0, 95),
    ends=st.integers(1, 96),
    zone=st.sampled_from(["UTC", VIENNA, "America/St_Johns", "Australia/Lord_Howe", "Africa/Casablanca"]),
    moment=st.datetimes(datetime(2024, 1, 1), datetime(2030, 1, 1)),
)
def test_what_is_found_is_open_not_earlier_and_within_nine_days(
    days: list[str], begins: int, ends: int, zone: str, moment: datetime
) -> None:
    def spell(quarters: int) -> str:
        return f"{quarters // 4:02}:{quarters % 4 * 15:02}"

    text = f'{{"days": {days}, "from": "{spell(begins)}", "until": "{spell(ends)}"}}'.replace("'", '"')
    given = parse_hours(text, zone)
    now = moment.replace(tzinfo=UTC).timestamp()
    found = find_open(given, now)
    assert now <= found <= now + timedelta(days=15).total_seconds()
    assert find_open(given, found) == found
