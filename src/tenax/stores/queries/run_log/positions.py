"""The position of a reader in a run's log, as an opaque string to continue from."""

import base64
import binascii
from typing import Any

import orjson

from tenax.clock import Instant
from tenax.errors import UsageError
from tenax.record import record
from tenax.stores.queries.run_log.tail import MOST_GAPS, IdGap, TableTail

MOST_CHARS = 5000


@record
class RunLogPosition:
    visits: TableTail
    events: TableTail
    moment: tuple[Instant, int, int]  # the order of the last line about the run or a worker


def format_position(position: RunLogPosition) -> str:
    fields = [_pack(position.visits), _pack(position.events), position.moment]
    return base64.urlsafe_b64encode(orjson.dumps(fields)).decode().rstrip("=")


def parse_position(word: str) -> RunLogPosition:
    """Raises UsageError."""
    try:
        if len(word) > MOST_CHARS:
            raise ValueError
        padded = word + "=" * (-len(word) % 4)
        visits, events, (at, owner, number) = orjson.loads(base64.urlsafe_b64decode(padded))
        moment = (float(at), int(owner), int(number))
        return RunLogPosition(visits=_unpack(visits), events=_unpack(events), moment=moment)
    except (ValueError, TypeError, binascii.Error) as error:
        raise UsageError("This is not a position in the log of a run.") from error


def _pack(tail: TableTail) -> list[Any]:
    return [tail.last_id, *([gap.first, gap.last, gap.until] for gap in tail.gaps)]


def _unpack(fields: list[Any]) -> TableTail:
    last_id, *gaps = fields
    if len(gaps) > MOST_GAPS:
        raise ValueError
    return TableTail(
        last_id=int(last_id),
        gaps=tuple(
            IdGap(first=int(first), last=int(last), until=float(until)) for first, last, until in gaps
        ),
    )
