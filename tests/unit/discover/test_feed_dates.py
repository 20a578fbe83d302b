"""Dates of feeds: parsed completely or not at all."""

from datetime import UTC, datetime

import pytest

from tenax.discover.feed_dates import parse_date

# 2012-05-01 in UTC with the time that is given.
READ = {
    "Tue, 01 May 2012 10:40:00 GMT": "10:40",
    "1 May 2012 10:40 UT": "10:40",
    "Tuesday, 1 May 2012 10:40:00 +0000": "10:40",
    "Tue,01 May 2012 10:40:00 Z": "10:40",
    "Tue, 01 May 12 10:40:00 GMT": "10:40",
    "Tuesday, 01-May-12 10:40:00 GMT": "10:40",
    "Tue, 1 May, 2012 10:40:00 UTC": "10:40",
    "mar., 01 May 2012 10:40:00 GMT": "10:40",
    "Tue, 01 May 2012 05:40:00 -05:00": "10:40",
    "Tue, 01 May 2012 05:40 -0500": "10:40",
    "Tue, 01 May 2012 12:40:00 +2": "10:40",
    "Tue, 01 May 2012 16:10:00 +530": "10:40",
    "Tue, 01 May 2012 12:40:00 GMT+2": "10:40",
    "Tue, 01 May 2012 12:40:00 UTC +02:00": "10:40",
    "Tue, 01 May 2012 12:40:00 +0200 (CEST)": "10:40",
    "Tue, 01 May 2012 12:40:00 +0200 CEST": "10:40",
    "Tue, 01 May 2012 12:40:00 CEST+0200": "10:40",
    "Tue, 01 May 2012 12:40:00 CEST": "10:40",
    "Tue, 01 May 2012 12:40:00 Europe/Berlin": "10:40",
    "Tue, 01 May 2012 10:40:00 Etc/GMT": "10:40",
    "Tue, 01 May 2012 06:40:00 EDT": "10:40",
    "Tue, 01 May 2012 05:40:00 EST": "10:40",
    "Tue, 01 May 2012 06:40:00 ET": "10:40",
    "Tue, 01 May 2012 03:40:00 PT": "10:40",
    "Tue, 01 May 2012 04:40:00 mt": "10:40",
    "Tue, 01 May 2012 10:40 PM": "22:40",
    "Tue, 01 May 2012 10:40:00 a.m. GMT": "10:40",
    "Tue, 01 May 2012 12:00 AM": "00:00",
    "Tue, 01 May 2012 12:00 pm": "12:00",
    "Tue, 01 May 2012 6:40PM EDT": "22:40",
    "Tue, 01 May 2012": "00:00",
    "May 1, 2012 10:40 PM": "22:40",
    "May 01 2012 10:40:00 GMT": "10:40",
    "Tue May  1 10:40:00 2012": "10:40",
    "Tue May  1 10:40:00 +0000 2012": "10:40",
    "2012-05-01": "00:00",
    "2012-05-01Z": "00:00",
    "2012-5-1 10:40": "10:40",
    "2012-05-01T10:40Z": "10:40",
    " 2012-05-01t10:40:00z\n": "10:40",
    "2012-05-01T10:40:00": "10:40",
    "2012-05-01T10:40:00.000+00:00": "10:40",
    "2012-05-01T10:40:00,000000001Z": "10:40",
    "2012-05-01T05:40:00-05:00": "10:40",
    "2012-05-01T05:40:00 -0500": "10:40",
    "2012-05-01 05:40:00 -05:00": "10:40",
    "2012-05-01 10:40:00 +0000 UTC": "10:40",
    "2012-05-01 06:40 AM EDT": "10:40",
    "2012/05/01 10:40:00": "10:40",
    "Tue, 2012/05/01 06:40:00 EDT": "10:40",
    "20120501": "00:00",
    "20120501T104000Z": "10:40",
    "2012-122": "00:00",
    "2012122T10:40Z": "10:40",
    "2012-04-30T24:00:00Z": "00:00",
    "2012-04-30T23:59:60Z": "00:00",
}


@pytest.mark.parametrize("text", READ)
def test_a_date_is_read(text: str) -> None:
    found = parse_date(text)
    assert found is not None
    assert datetime.fromtimestamp(found, UTC).strftime("%Y-%m-%d %H:%M") == f"2012-05-01 {READ[text]}"


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("Thu, 01 Jan 1970 00:00:01.5 GMT", 1.5),
        ("Wed, 31 Dec 1969 23:59:59 GMT", -1.0),
        ("Fri, 01 Jan 99 00:00:00 GMT", 915148800.0),
        ("Sat, 01 Jan 49 00:00:00 GMT", 2493072000.0),
        ("Sat, 01 Dec 2012 05:00:00 ET", 1354356000.0),  # in winter
        ("3 Sept 2012", 1346630400.0),
    ],
)
def test_an_instant(text: str, instant: float) -> None:
    assert parse_date(text) == instant


UNREAD = [
    *("", " ", "today", "2012", "2012-05", "May 2012", "-0312", "031231", "03-12-31", "10:40", "1325376000"),
    *(
        "01/05/2012",
        "5/13/2012",
        "13.5.2012",
        "1. Mai 2012",
        "2012-02-30",
        "2012-13-01",
        "2012-366T",
        "2011-366",
    ),
    *("Tue, 01 May 2012 25:00:00 GMT", "Tue, 01 May 2012 10:60 GMT", "Tue, 01 May 2012 10:40:61 GMT"),
    *(
        "2012-05-01T24:00:01Z",
        "Tue, 01 May 2012 1:2:3:4 GMT",
        "Tue, 01 May 2012 13:40 PM",
        "1 May 2012 0:40 AM",
    ),
    *("Tue, 01 May 2012 10:40:00 XYZ", "Tue, 01 May 2012 10:40:00 BST", "Tue, 01 May 2012 10:40:00 IST"),
    *(
        "Tue, 01 May 2012 10:40:00 A",
        "Tue, 01 May 2012 10:40:00 EST+0200",
        "Tue, 01 May 2012 10:40:00 No/Where",
    ),
    *("Tue, 01 May 2012 10:40:00 +9999", "Tue, 01 May 2012 10:40:00 +15", "Tue, 01 May 2012 10:40:00 +0260"),
    *("Tue, 01 May 2012 10:40:00 +zz:00", "2012-05-01T10:40:00-06:00Textra", "2012-05-01T10:xx:00Z"),
    *("Sun, 04 Nov 2012 01:30:00 ET", "Sun, 11 Mar 2012 02:30:00 ET"),  # twice, never
    *("Tue, 01 Mayday 2012", "Tue, 01 Ma 2012", "Tue, 99 May 2012", "1 May 012", "1 May 30000", "0000-01-01"),
    *("9999-12-31T23:59:60Z", "٢٠١٢-05-01", "2012-05-01 " * 20, "Tue, 01 May 2012 10:40:00 ../../etc/passwd"),
]


@pytest.mark.parametrize("text", UNREAD)
def test_what_is_no_whole_date_is_none(text: str) -> None:
    assert parse_date(text) is None
