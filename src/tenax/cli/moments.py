"""Reads a moment as people write it: a time, a date, or how long ago."""

import re
from datetime import UTC, datetime

from tenax.clock import Instant
from tenax.errors import UsageError

_AGO = re.compile(r"(\d+(?:\.\d+)?)([smhdw])")
_UNITS_S = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0}


def read_moment(text: str, now: Instant) -> Instant:
    """A time without a zone is UTC. Raises UsageError with what can be written instead."""
    if ago := _AGO.fullmatch(text.strip()):
        return now - float(ago[1]) * _UNITS_S[ago[2]]
    try:
        moment = datetime.fromisoformat(text.strip())
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError) as error:
        raise UsageError(
            f"{text!r} is no moment: write 2026-05-01, 2026-05-01T12:30, 3h or 2d (s, m, h, d, w ago)."
        ) from error
