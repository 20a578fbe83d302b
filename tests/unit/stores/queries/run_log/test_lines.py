"""Lines of a log, as people and programs read them."""

import pytest

from tenax.stores.queries.run_log.lines import LogKind, LogLine, format_log_line, list_fields
from tenax.stores.queries.run_log.positions import RunLogPosition, format_position, parse_position
from tenax.stores.queries.run_log.tail import IdGap, TableTail

AT = 1_751_328_000.25


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (
            LogLine(
                at=AT,
                kind=LogKind.VISIT,
                event="fetched",
                url="https://a.example/",
                status=200,
                duration_ms=35,
                wire_bytes=1200,
            ),
            "fetched 200 35 ms 1200 B https://a.example/",
        ),
        (
            LogLine(
                at=AT,
                kind=LogKind.VISIT,
                event="failed",
                url="https://a.example/",
                duration_ms=10,
                wire_bytes=0,
                detail="dns: no answer",
            ),
            "failed - 10 ms 0 B https://a.example/ (dns: no answer)",
        ),
        (
            LogLine(
                at=AT,
                kind=LogKind.VISIT,
                event="robots",
                domain="a.example",
                status=404,
                duration_ms=1,
                wire_bytes=0,
            ),
            "robots 404 1 ms 0 B robots.txt of a.example",
        ),
        (
            LogLine(at=AT, kind=LogKind.DOMAIN, event="blocked", domain="a.example", detail="was active"),
            "domain a.example blocked (was active)",
        ),
        (LogLine(at=AT, kind=LogKind.WORKER, event="died", worker=7), "worker 7 died"),
        (LogLine(at=AT, kind=LogKind.RUN, event="started"), "run started"),
    ],
)
def test_a_line_says_what_happened(line: LogLine, text: str) -> None:
    assert format_log_line(line) == f"2025-07-01T00:00:00.250Z {text}"


@pytest.mark.parametrize("hostile", ["a\nb", "a\x1b[31mb", "a\u202eb", "a\x00b", "a\u2028b", "a\x9bb"])
def test_a_line_stays_one_line_of_plain_text(hostile: str) -> None:
    line = LogLine(at=AT, kind=LogKind.DOMAIN, event="blocked", domain="a.example", detail=hostile)
    text = format_log_line(line)
    assert text.isprintable()
    assert "\\" in text


def test_a_program_gets_every_field() -> None:
    line = LogLine(at=AT, kind=LogKind.RUN, event="done")
    assert list_fields(line) == {
        "at": "2025-07-01T00:00:00.250Z",
        "kind": "run",
        "event": "done",
        "domain": None,
        "url": None,
        "status": None,
        "duration_ms": None,
        "wire_bytes": None,
        "detail": None,
        "worker": None,
    }


def test_a_position_comes_back_as_it_was_given() -> None:
    gaps = (IdGap(first=3, last=5, until=AT), IdGap(first=9, last=9, until=AT + 1))
    position = RunLogPosition(
        visits=TableTail(last_id=12, gaps=gaps), events=TableTail(last_id=0), moment=(AT, 3, 1)
    )
    assert parse_position(format_position(position)) == position
